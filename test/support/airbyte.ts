/**
 * The part of Airbyte's low-code source that our manifest uses: which components there are and what
 * each may hold, as its documentation says, and what they do when a stream is read.
 */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'

export type Component = { readonly [name: string]: unknown }

/** What a component must and may hold beside its type. */
interface Shape {
  readonly needs: readonly string[]
  readonly may?: readonly string[]
}

const shapes: { readonly [type: string]: Shape } = {
  DeclarativeSource: {
    needs: ['version', 'check', 'streams'],
    may: ['definitions', 'schemas', 'spec', 'description', 'metadata'],
  },
  CheckStream: { needs: ['stream_names'] },
  DeclarativeStream: {
    needs: ['name', 'retriever'],
    may: ['primary_key', 'schema_loader', 'incremental_sync'],
  },
  IncrementingCountCursor: { needs: ['cursor_field'], may: ['start_value', 'start_value_option'] },
  SimpleRetriever: { needs: ['requester', 'record_selector'], may: ['paginator'] },
  HttpRequester: {
    needs: ['url_base'],
    may: ['path', 'http_method', 'authenticator', 'error_handler', 'request_parameters'],
  },
  BearerAuthenticator: { needs: ['api_token'] },
  DefaultErrorHandler: {
    needs: [],
    may: ['max_retries', 'response_filters', 'backoff_strategies'],
  },
  HttpResponseFilter: { needs: ['action', 'http_codes'] },
  WaitTimeFromHeader: { needs: ['header'], may: ['regex', 'max_waiting_time_in_seconds'] },
  ExponentialBackoffStrategy: { needs: [], may: ['factor'] },
  DefaultPaginator: {
    needs: ['pagination_strategy'],
    may: ['page_size_option', 'page_token_option'],
  },
  CursorPagination: { needs: ['cursor_value'], may: ['page_size', 'stop_condition'] },
  RequestOption: { needs: ['inject_into', 'field_name'] },
  RecordSelector: { needs: ['extractor'] },
  DpathExtractor: { needs: ['field_path'] },
  InlineSchemaLoader: { needs: ['schema'] },
  Spec: { needs: ['connection_specification'] },
}

/** Fields whose value is plain data and not a component. */
const free = new Set(['schema', 'schemas', 'connection_specification'])

/** Every reason why a resolved manifest is not valid. */
export const problemsOf = (value: unknown, where = 'manifest'): readonly string[] => {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => problemsOf(each, `${where}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  const { type, ...rest } = value as Component
  const inside = Object.entries(rest).flatMap(([name, each]) =>
    free.has(name) ? [] : problemsOf(each, `${where}.${name}`),
  )
  if (where.endsWith('.definitions')) return inside
  const shape = shapes[String(type)]
  if (!shape) return [`${where} is of an unknown type ${type}`, ...inside]
  const allowed = [...shape.needs, ...(shape.may ?? [])]
  return [
    ...shape.needs.filter((name) => !(name in rest)).map((name) => `${where} lacks ${name}`),
    ...Object.keys(rest)
      .filter((name) => !allowed.includes(name))
      .map((name) => `${where} has an unknown ${name}`),
    ...inside,
  ]
}

/** A manifest with its references resolved; fields next to a reference take precedence. */
export const resolved = (manifest: Component, value: unknown = manifest): unknown => {
  if (Array.isArray(value)) return value.map((each) => resolved(manifest, each))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...own } = value as Component
  const beside = Object.fromEntries(
    Object.entries(own).map(([name, each]) => [name, resolved(manifest, each)]),
  )
  if (typeof $ref !== 'string') return beside
  const target = $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, name) => (at as Component | undefined)?.[name], manifest)
  assert.ok(target !== undefined, `${$ref} leads nowhere`)
  return { ...(resolved(manifest, target) as Component), ...beside }
}

type Scope = { readonly [name: string]: Component }

/** `{{ config['url'] }}`, `{{ not response['hasMore'] }}`: no other words are used. */
const interpolate = (text: string, scope: Scope): unknown => {
  const evaluate = (expression: string): unknown => {
    const [, not, name = '', key = ''] =
      /^(not )?(\w+)\['(\w+)'\]$/.exec(expression.trim()) ?? assert.fail(expression)
    const value = scope[name]?.[key]
    return not ? !value : value
  }
  const [, whole] = /^\{\{([^}]+)\}\}$/.exec(text) ?? []
  if (whole !== undefined) return evaluate(whole)
  return text.replaceAll(/\{\{([^}]+)\}\}/g, (_, expression) => String(evaluate(expression)))
}

// biome-ignore lint/suspicious/noExplicitAny: a manifest was checked before it is read
type Checked = any

/**
 * Reads a stream of a resolved manifest to its end. An incremental one starts after `state`, the
 * largest value of its cursor field that an earlier sync has seen.
 */
export const readStream = async (
  stream: Component,
  config: Component,
  state?: number,
): Promise<Component[]> => {
  const incremental = stream['incremental_sync'] as Checked
  const { requester, record_selector, paginator } = stream['retriever'] as Checked
  const base = String(interpolate(requester.url_base, { config }))
  const path = String(interpolate(requester.path, { config }))
  const strategy = paginator?.pagination_strategy
  const records: Component[] = []
  let token: unknown = null
  do {
    const url = new URL(`${base.replace(/\/$/, '')}/${path.replace(/^\//, '')}`)
    const inject = (option: Checked, value: unknown) => {
      assert.equal(option.inject_into, 'request_parameter')
      url.searchParams.set(option.field_name, String(value))
    }
    if (incremental) inject(incremental.start_value_option, state ?? incremental.start_value)
    if (strategy) inject(paginator.page_size_option, strategy.page_size)
    if (token !== null) inject(paginator.page_token_option, token)
    const response = await ask(requester, url, config)
    const extracted = record_selector.extractor.field_path.reduce(
      (at: Component, name: string) => at[name],
      response,
    )
    records.push(...(Array.isArray(extracted) ? extracted : [extracted]))
    const isLast = !strategy || interpolate(strategy.stop_condition, { response, config })
    token = isLast ? null : interpolate(strategy.cursor_value, { response, config })
  } while (token !== null)
  return records
}

const ask = async (requester: Checked, url: URL, config: Component): Promise<Component> => {
  const { authenticator, error_handler: handler } = requester
  assert.equal(authenticator.type, 'BearerAuthenticator')
  const token = interpolate(authenticator.api_token, { config })
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(url, {
      method: requester.http_method,
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.ok) return (await response.json()) as Component
    const filter = handler.response_filters.find((each: Checked) =>
      each.http_codes.includes(response.status),
    )
    const text = await response.text()
    assert.equal(filter?.action, 'RETRY', `${url} ${response.status} ${text}`)
    assert.ok(tries < handler.max_retries, `${url} ${response.status}, again and again`)
    const [first] = handler.backoff_strategies
    assert.equal(first.type, 'WaitTimeFromHeader')
    await wait(Number(response.headers.get(first.header) ?? 1) * 1_000)
  }
}
