import type { IncomingMessage } from 'node:http'
import { ApiError, relationsOf } from '#contract'
import type { Cursors } from '#cursors'
import type { Reader } from '#mcp'
import { nextTurn, type QueryParts } from '#reading'
import type { Reserve } from '#store'
import { allGroups } from '#usage'
import { type BrandLookup, type RateLimit, requireScope } from '../admission.ts'
import type { AuthenticateAgent } from '../agent-authentication.ts'
import { endStage, type RequestContext } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import type { ResponseMemory } from '../load-limits.ts'
import { chooseEncoding, compress } from '../response.ts'
import { readShortBody } from '../short-body.ts'

export interface McpParts extends QueryParts {
  readonly authenticateAgent: AuthenticateAgent
  readonly cursors: Cursors
  readonly lookUpBrand: BrandLookup
  readonly rateLimit: RateLimit
  readonly memory: ResponseMemory
  readonly release: string
  readonly corsOrigins: readonly string[]
  /** The address at which clients reach this server. */
  readonly ownUrl: () => string
  /** Logs an error if the fault is the server's. */
  readonly reportError: (ctx: RequestContext, error: ApiError) => void
}

/** Agents send short messages; a batch with the maximum number of calls stays far below this. */
const bodyBytesMax = 65_536

/**
 * Responds to agents: each message is a separate request, with the keys and limits of the API.
 * The protocol's library is loaded before the server listens.
 */
export const mcpHandler = (parts: McpParts): KeyedHandler => {
  const { store, cursors, queryCursors, now, release } = parts
  return async ({ ctx, grant, reserve, isCancelled }) => {
    const { text, message } = withoutCancels(
      (await readShortBody(ctx.request, bodyBytesMax)).toString(),
    )
    endStage(ctx, 'read')
    const { answerHttp, callerOf, messageBudget, createBudget, storeReader } = await import('#mcp')
    // Many messages may arrive at once; each starts in a separate event-loop turn.
    await nextTurn()
    if (Array.isArray(message) && message.length > messageBudget.messages) {
      throw new ApiError(
        'body_too_large',
        `A batch has at most ${messageBudget.messages} messages. Send the others in further requests.`,
      )
    }
    const consume = async () => parts.rateLimit.consume(ctx, grant)
    // The request itself has paid for the first message of a batch.
    let isPaid = true
    const pay = async () => {
      if (!isPaid) await consume()
      isPaid = false
    }
    for (const each of Array.isArray(message) ? message : []) {
      if (each?.method !== 'tools/call') await pay()
    }

    const budgeted = createBudget({ pay: consume })
    // Read once per message, for all its calls.
    let slugs: Promise<readonly string[]> | undefined
    const reserveOne = createSharedReserve(reserve)
    const caller = callerOf({
      scope: grant.scope,
      brands: () => {
        slugs ??= store
          .listBrands(grant.global ? null : grant.brands)
          .then((brands) => brands.map(({ slug }) => slug))
        return slugs
      },
      reader: async (brand) => {
        // The key may have been changed since the message began.
        const current = await parts.authenticateAgent(ctx)
        requireScope(current, brand)
        await parts.lookUpBrand(brand)
        ctx.brand = brand
        const shared = { store, cursors, queryCursors, now }
        const { scope } = current
        const reader = { ...shared, scope, reserve: reserveOne(), isCancelled }
        return budgeted(countedReader(ctx, storeReader(reader, brand)))
      },
    })
    const client = {
      ...caller,
      begin: async (tool: string) => {
        ctx.operation = `mcp.${tool}`
        await pay()
      },
      failed: (error: ApiError) => {
        ctx.errorCode = error.code
        parts.reportError(ctx, error)
      },
    }
    const request = new Request(`http://selvedge${ctx.url}`, {
      method: 'POST',
      headers: headersOf(ctx.request),
      body: text,
    })
    const response = await answerHttp({ release }, client, request, message)
    endStage(ctx, 'run')
    const type = response.headers.get('content-type')
    const body = Buffer.from(await response.arrayBuffer())
    parts.memory.hold(ctx.response, grant.keyId, { bytes: body.length })
    const encoding = chooseEncoding(ctx.headers.acceptEncoding, body.length)
    const content = encoding ? await compress(body, encoding) : body
    return {
      status: response.status,
      headers: {
        ...(type && { 'content-type': type }),
        ...(encoding && { 'content-encoding': encoding }),
        'content-length': String(content.length),
        'cache-control': 'no-store',
        vary: 'Authorization, Accept-Encoding',
        'x-content-type-options': 'nosniff',
      },
      content,
    }
  }
}

/** Counts the records that tools read, and notes their groups. */
const countedReader = (ctx: RequestContext, reader: Reader): Reader => {
  const note = (records: number, groups: readonly string[]) => {
    ctx.records += records
    ctx.groups = [...new Set([...(ctx.groups ?? []), ...groups])]
  }
  return {
    ...reader,
    list: async (resource, request) => {
      const page = await reader.list(resource, request)
      const included = relationsOf(resource).filter(({ name }) => request.include?.includes(name))
      note(page.items.length, [resource.path, ...included.map(({ to }) => to)])
      return page
    },
    get: async (resource, id, include) => {
      const record = await reader.get(resource, id, include)
      const included = relationsOf(resource).filter(({ name }) => include.includes(name))
      note(1, [resource.path, ...included.map(({ to }) => to)])
      return record
    },
    query: async (resource, parameters) => {
      const page = await reader.query(resource, parameters)
      note(page.items.length, [resource.path])
      return page
    },
    summary: async (resource, parameters) => {
      const summary = await reader.summary(resource, parameters)
      note(0, [resource.path])
      return summary
    },
    document: async (resource, id, parameters) => {
      const document = await reader.document(resource, id, parameters)
      const sections = Object.values(document['sections'] ?? {}) as { readonly items: unknown }[]
      note(1 + sections.reduce((sum, { items }) => sum + countOf(items), 0), [allGroups])
      return document
    },
    search: async (parameters) => {
      const results = await reader.search(parameters)
      note(countOf(results['items']), [allGroups])
      return results
    },
    today: async (parameters) => {
      const figures = await reader.today(parameters)
      note(0, [allGroups])
      return figures
    },
  }
}

/** Number of records in a part of a response. */
const countOf = (items: unknown): number => (Array.isArray(items) ? items.length : 0)

/**
 * Divides a response's reservation among readers, which may read concurrently. Each reader reads
 * sequentially.
 */
const createSharedReserve = (reserve: Reserve): (() => Reserve) => {
  let total = 0
  return () => {
    let own = 0
    return (bytes) => {
      if (bytes <= own) return
      total += bytes - own
      own = bytes
      return reserve(total)
    }
  }
}

/**
 * With DNS rebinding, a page in a browser may reach a server that only its user can reach. Browsers
 * send the origin of a page; other clients send none.
 */
export const checkOrigin = (
  { corsOrigins, ownUrl }: Pick<McpParts, 'corsOrigins' | 'ownUrl'>,
  { headers: { origin } }: RequestContext,
): void => {
  if (origin === undefined || corsOrigins.includes(origin)) return
  if (origin === new URL(ownUrl()).origin) return
  throw new ApiError(
    'forbidden_origin',
    'Web pages of this origin may not call the server. CORS_ORIGINS lists those that may.',
  )
}

/** The headers that the protocol's library reads. */
const passedOn = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

/**
 * Removes cancellations. Without sessions, one can only cancel a message of the same batch, and the
 * library gives no response to a batch with a cancelled message.
 */
const withoutCancels = (text: string): { readonly text: string; readonly message: unknown } => {
  const message = parse(text)
  if (!Array.isArray(message)) return { text, message }
  const rest = message.filter((each) => each?.method !== 'notifications/cancelled')
  return rest.length === 0 ? { text, message } : { text: JSON.stringify(rest), message: rest }
}

/** Undefined for invalid JSON, which the library reports to the client. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
