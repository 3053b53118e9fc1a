/** Requests that could disclose data of another brand, and their expected responses. */
import { randomUUID } from 'node:crypto'
import { type Operation, patterns, relationsOf } from '#contract'
import type { DemoRecord } from '#demo'
import {
  type Brand,
  type BrandsModel,
  brands,
  commonId,
  ownFilterValues,
  ownId,
  pathOf,
  pictureOf,
  tracesOf,
} from '../../test/support/brands.ts'
import { askAll, type WireAnswer, wireOf } from '../../test/support/wire.ts'
import type { Place } from './mutants.ts'

export interface Probe {
  readonly operation: Operation
  /** A description for people. */
  readonly about: string
  readonly method: string
  readonly wire: string
  /** The statements that contribute to the response, as named by `statementOf`. */
  readonly touches: ReadonlySet<string>
  /** The problem with the response, or null. */
  judge(answer: WireAnswer): string | null
}

/** The name of a statement that reads a collection by brand. */
export const statementOf = (path: string, place: Place): string => `${path} ${place}`

export interface ProbeParts {
  readonly url: string
  readonly model: BrandsModel
  readonly keys: ReadonlyMap<Brand | 'global', string>
  /** Private records of each brand in a collection. */
  readonly own: number
  readonly operations: readonly Operation[]
  /** Ids of stored records that no key may read. */
  readonly planted?: (brand: Brand, operation: Operation) => readonly string[]
}

const passing = new Set(['date', 'x-request-id', 'ratelimit', 'keep-alive'])

/** The response without parts that differ between identical requests. */
const telling = ({ status, headers, text }: WireAnswer): string =>
  JSON.stringify([status, [...headers].filter(([name]) => !passing.has(name)), text])

/** Facts about each brand that probes of other brands use. */
interface Known {
  readonly cursor: string | null
  readonly tag: string
}

let addresses = 0
/** An unused client address: refusals are counted by address. */
const elsewhere = (): string => {
  addresses += 1
  return `fd00:0:${(addresses >> 16).toString(16)}:${(addresses & 65_535).toString(16)}::1`
}

const holders = ['own', 'global'] as const

/** All probes, built from the responses of each brand. */
export const probesOf = async (parts: ProbeParts): Promise<readonly Probe[]> => {
  const { url, model, keys, own, operations, planted = () => [] } = parts
  const { expected, withIncluded } = model
  const wire = (target: string, as: Brand | 'global', headers: { [name: string]: string } = {}) =>
    wireOf('GET', target, {
      Authorization: `Bearer ${keys.get(as)}`,
      'X-Forwarded-For': elsewhere(),
      ...headers,
    })
  const keyFor = (brand: Brand, holder: (typeof holders)[number]) =>
    holder === 'own' ? brand : holder
  const never = ({ resource }: Operation) =>
    resource.idPattern === patterns.country ? 'ZZ' : randomUUID()

  const firstPages = new Map<string, Known>()
  const nothing = new Map<string, string>()
  const refused = new Map<string, string>()
  const links = new Map<Brand, string>()
  /** The id of a record that the brand has. */
  const heldId = (operation: Operation, brand: Brand): string => {
    const { resource } = operation
    if (resource.scope === 'shared' || brand !== 'corvane') return commonId(operation)
    return String(expected(brand, resource)[0]?.[resource.key[0] ?? 'id'])
  }
  const first = operations.flatMap((operation) =>
    brands.flatMap((brand) => {
      const name = `${operation.id} ${brand}`
      const target = pathOf(operation, brand, heldId(operation, brand))
      const page = operation.endpoint === 'list' ? '?limit=1' : ''
      return [
        {
          method: 'GET',
          wire: wire(target + page, brand),
          hear: ({ status, headers, body, text }: WireAnswer) => {
            if (status !== 200) throw new RangeError(`${name}: ${status} ${text}`)
            const { nextCursor = null, url: link } = body as { nextCursor?: string; url?: string }
            firstPages.set(name, { cursor: nextCursor, tag: headers.get('etag') ?? '' })
            if (operation.endpoint === 'content' && link) links.set(brand, link)
          },
        },
        {
          method: 'GET',
          wire: wire(pathOf(operation, 'nobody', heldId(operation, brand)), brand),
          hear: (answer: WireAnswer) => refused.set(name, telling(answer)),
        },
        ...holders.map((holder) => ({
          method: 'GET',
          wire: wire(pathOf(operation, brand, never(operation)), keyFor(brand, holder)),
          hear: (answer: WireAnswer) => nothing.set(`${name} ${holder}`, telling(answer)),
        })),
      ]
    }),
  )
  await askAll(url, first, ({ hear }, answer) => hear(answer))

  const probes: Probe[] = []
  const add = (
    operation: Operation,
    seenBy: Brand | null,
    about: string,
    text: string,
    touches: readonly string[],
    judge: Probe['judge'],
  ) => {
    const traces = brands.filter((other) => other !== seenBy).flatMap(tracesOf)
    probes.push({
      operation,
      about: `${operation.id}: ${about}`,
      method: 'GET',
      wire: text,
      touches: new Set(touches),
      judge: (answer) => {
        const bytes = `${[...answer.headers].join('\n')}\n${answer.text}`
        const trace = traces.find((each) => bytes.includes(each))
        return trace ? `it shows ${trace}` : judge(answer)
      },
    })
  }
  const mustBe =
    (status: number, code: string): Probe['judge'] =>
    (answer) =>
      answer.status === status && answer.text.includes(`"errorCode":"${code}"`)
        ? null
        : `${answer.status} instead of ${status} ${code}`
  const mustTell =
    (expectation: string | undefined): Probe['judge'] =>
    (answer) =>
      telling(answer) === expectation ? null : `it tells ${answer.status}, not what nothing tells`
  const mustList =
    (records: readonly DemoRecord[], total: number): Probe['judge'] =>
    ({ text, status }) => {
      const wanted = `{"items":[${records.map((each) => JSON.stringify(each)).join(',')}],"nextCursor":`
      if (status !== 200) return `${status} instead of 200`
      if (!text.startsWith(wanted)) return 'the records are others than the brand has'
      return text.endsWith(`"totalItems":${total}}`) ? null : `the total is not ${total}`
    }
  const mustShow =
    (record: DemoRecord | undefined): Probe['judge'] =>
    ({ text, status }) =>
      status === 200 && text === JSON.stringify(record) ? null : `${status}, and not its record`

  for (const operation of operations) {
    const { resource, endpoint } = operation
    const relations = relationsOf(resource)
    const names = relations.map(({ name }) => name).join(',')
    const isPage = endpoint === 'list' || resource.lookup !== undefined
    const statements = (isPage ? (['page', 'count'] as const) : (['get'] as const)).map((place) =>
      statementOf(resource.path, place),
    )
    // The total of a whole collection is stored, not counted.
    const uncounted = statements.filter((each) => each !== statementOf(resource.path, 'count'))
    const withTargets = [...uncounted, ...relations.map(({ to }) => statementOf(to, 'include'))]
    const key = resource.key[0] ?? 'id'
    for (const brand of brands) {
      const has = new Set(expected(brand, resource).map((record) => String(record[key])))
      for (const other of brands) {
        if (other === brand) continue
        const there = pathOf(operation, brand, heldId(operation, brand))
        const theirs = firstPages.get(`${operation.id} ${other}`)

        add(
          operation,
          null,
          `${brand}'s key for ${other}`,
          wire(pathOf(operation, other, heldId(operation, other)), brand),
          [],
          mustTell(refused.get(`${operation.id} ${brand}`)),
        )
        for (const holder of holders) {
          const as = keyFor(brand, holder)
          const whose = `as ${brand} with ${holder === 'own' ? 'its key' : 'a global key'}`
          add(
            operation,
            brand,
            `the tag of ${other} ${whose}`,
            wire(there, as, { 'If-None-Match': theirs?.tag ?? '' }),
            [],
            ({ status }) => (status === 200 ? null : `${status} instead of 200`),
          )
          if (endpoint === 'list') {
            const all = expected(brand, resource)
            const page = all.slice(0, 100)
            add(
              operation,
              brand,
              `the list ${whose}`,
              wire(`${there}?limit=100`, as),
              uncounted,
              mustList(page, all.length),
            )
            if (names !== '') {
              add(
                operation,
                brand,
                `the list with everything included ${whose}`,
                wire(`${there}?limit=100&include=${names}`, as),
                withTargets,
                mustList(
                  page.map((record) => withIncluded(brand, resource, record)),
                  all.length,
                ),
              )
            }
            if (theirs?.cursor) {
              add(
                operation,
                brand,
                `the cursor of ${other} ${whose}`,
                wire(`${there}?cursor=${theirs.cursor}`, as),
                [],
                mustBe(400, 'cursor_mismatch'),
              )
            }
            for (let index = 0; index < own; index += 1) {
              const record = model.recordsOf(other, resource).at(index - own)
              for (const [name, value] of ownFilterValues(other, resource, record, index)) {
                const filter = resource.filters.find((each) => each.name === name)
                // The third brand's first record refers to one of the second brand; this match is
                // correct.
                const isPointed = brand === 'corvane' && other === 'birkholm' && index === 0
                if (isPointed || value === ownId(brand, 'brand')) continue
                add(
                  operation,
                  brand,
                  `${name}=${value} of ${other} ${whose}`,
                  wire(`${there}?${name}=${encodeURIComponent(value)}`, as),
                  filter?.through
                    ? [...statements, statementOf(filter.through.collection, 'link')]
                    : statements,
                  mustList([], 0),
                )
              }
            }
            continue
          }
          const foreign = [
            ...model.recordsOf(other, resource).map((record) => String(record[key])),
            ...planted(other, operation),
          ].filter((id) => !has.has(id))
          for (const id of operation.path.includes('{id}') ? foreign : []) {
            const target = pathOf(operation, brand, id)
            const must = mustTell(nothing.get(`${operation.id} ${brand} ${holder}`))
            const about = `the record ${id} of ${other} ${whose}`
            add(operation, brand, about, wire(target, as), statements, must)
            const tag = { 'If-None-Match': `${theirs?.tag}` }
            add(operation, brand, `${about}, with its tag`, wire(target, as, tag), statements, must)
            if (names === '' || endpoint === 'content') continue
            const including = `${target}?include=${names}`
            add(operation, brand, `${about}, with others`, wire(including, as), withTargets, must)
          }
          if (endpoint === 'content') continue
          const ownKey = heldId(operation, brand)
          const record = expected(brand, resource).find(
            (each) => resource.lookup !== undefined || String(each[key]) === ownKey,
          )
          const about = `its own record, whose id ${other} may have too, ${whose}`
          add(operation, brand, about, wire(there, as), statements, mustShow(record))
          if (names === '' || !record) continue
          add(
            operation,
            brand,
            `${about}, with others`,
            wire(`${there}?include=${names}`, as),
            withTargets,
            mustShow(withIncluded(brand, resource, record)),
          )
        }
        if (endpoint !== 'content') continue
        const { pathname, search } = new URL(links.get(other) ?? url)
        const file = (at: string) => wireOf('GET', at + search)
        add(operation, other, `the link of ${other}`, file(pathname), [], ({ status, text }) =>
          status === 200 && text === pictureOf(other) ? null : `${status}, and not its picture`,
        )
        const bent = file(pathname.replace(`/${other}/`, `/${brand}/`))
        const about = `the link of ${other}, bent to ${brand}`
        add(operation, null, about, bent, [], mustBe(403, 'invalid_link'))
      }
    }
  }
  return probes
}

/** Sends probes and returns the problems. Stops early after `enough` problems. */
export const askProbes = async (
  url: string,
  probes: Iterable<Probe>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ readonly sent: number; readonly wrong: readonly string[] }> => {
  const wrong: string[] = []
  let sent = 0
  const until = function* () {
    for (const probe of probes) {
      if (wrong.length >= enough) return
      yield probe
    }
  }
  const options = enough === Number.POSITIVE_INFINITY ? {} : { connections: 2, depth: 4 }
  await askAll(
    url,
    until(),
    (probe, answer) => {
      sent += 1
      const problem = probe.judge(answer)
      if (problem) wrong.push(`${probe.about}: ${problem}`)
    },
    options,
  )
  return { sent, wrong }
}
