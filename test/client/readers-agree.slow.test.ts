/**
 * Every reader of a brand reads the same: plain requests, the client, an agent's tools and a copy made
 * by pull, for random records and random filters.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createClient } from '#client'
import { catalog, type Filter, type Resource } from '#contract'
import { type DemoRecord, season } from '#demo'
import { pullBrand } from '#pull'
import { type Free, httpAgent } from '../support/agent.ts'
import { absentValue, inOrder, lists, queryOf, seeded, valueAt, walk } from '../support/model.ts'
import type { Records } from '../support/prepared-database.ts'
import { openTestService, type TestService } from '../support/service.ts'

const questions = Number(process.env['SELVEDGE_QUESTIONS'] ?? 150)
const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_115)
const brand = 'acme'
const draw = seeded(seed)
const pick = <T>(from: readonly T[]): T => from[draw(from.length)] as T

const folder = mkdtempSync(join(tmpdir(), 'selvedge-readers-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A brand of its own kind at each draw, in the order that collections need each other. */
const randomRecords = (): Records => {
  const records: { [path: string]: DemoRecord[] } = {}
  for (const { path, record } of season({ brand, orders: 2 + draw(8), seed: draw(1_000) })) {
    records[path] ??= []
    records[path].push(record)
  }
  return records
}

/** A value that some record has, or that none has. */
const randomValue = (records: readonly DemoRecord[], filter: Filter): string => {
  const { field } = filter
  const value = field === undefined || records.length === 0 ? null : valueAt(pick(records), field)
  return value === null || typeof value === 'object' || draw(8) === 0
    ? absentValue(filter)
    : String(value)
}

/** What a copy holds that passes filters on fields of the record's own. */
const filterCopy = (
  copy: readonly DemoRecord[],
  resource: Resource,
  filters: ReadonlyMap<Filter, string>,
): readonly DemoRecord[] =>
  inOrder(
    resource.key,
    copy.filter((record) =>
      [...filters].every(([{ field }, value]) => {
        const own = valueAt(record, field ?? '')
        return own !== null && String(own) === value
      }),
    ),
  )

const inCamelCase = (path: string) =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

describe('plain requests, the client, agents and copies', () => {
  for (const environment of [{}, { CHANGE_FEED: 'on' }]) {
    const variant = 'CHANGE_FEED' in environment ? 'with the feed' : 'without a feed'

    it(`agree on ${questions} questions ${variant} (seed ${seed})`, async (context) => {
      const service: TestService = await openTestService(environment)
      context.after(() => service.close())
      await service.write(brand, randomRecords())
      const key = await service.key(brand)
      const to = join(folder, variant.replaceAll(' ', '-'))
      const pull = () =>
        pullBrand({
          ...{ catalog, url: service.url, brand, key, to },
          ...{ full: false, allowHttp: false, process: process.pid },
          now: () => Date.now(),
          clock: () => performance.now(),
          random: () => 0.5,
          log: () => undefined,
          onProgress: () => undefined,
        })
      await pull()
      // What changes between two pulls is in the second copy, whichever way it was learned.
      await service.write(brand, randomRecords())
      await pull()

      const reader = createClient({ url: service.url, key }).brand(brand) as Free
      const agent = await httpAgent(service.url, key)
      context.after(() => agent.close())
      const copies = new Map(
        lists.map(({ path, scope }) => {
          const file = join(to, scope === 'shared' ? 'shared' : '', `${path}.ndjson`)
          const lines = readFileSync(file, 'utf8').split('\n')
          return [path, lines.filter(Boolean).map((line) => JSON.parse(line) as DemoRecord)]
        }),
      )
      let matched = 0
      for (let index = 0; index < questions; index += 1) {
        const resource = lists[index % lists.length] as Resource
        const { path } = resource
        const copy = copies.get(path) ?? []
        const filters = new Map(
          resource.filters
            .filter(() => draw(resource.filters.length) === 0)
            .map((filter) => [filter, randomValue(copy, filter)] as const),
        )
        const named = Object.fromEntries([...filters].map(([{ name }, value]) => [name, value]))
        const limit = 1 + draw(100)
        const request = `${path}?${queryOf({ ...named, limit: String(limit) })}`
        const at = `/api/public/v1/brands/${brand}/${path}`
        const { items, totals } = await walk(service, at, { ...named, limit: `${limit}` }, { key })
        matched += items.length

        const group = reader[inCamelCase(path)]
        const typed = Object.fromEntries(
          [...filters].map(([{ name, kind }, value]) => [
            name,
            kind === 'integer' ? Number(value) : value,
          ]),
        )
        assert.deepEqual(await Array.fromAsync(group.all({ ...typed, limit })), items, request)
        assert.equal(await group.total(typed), totals[0], request)

        const listed: Free[] = []
        let call: Free = { tool: 'list_records', arguments: { group: path, filters: typed, limit } }
        while (call) {
          const { records, total, next } = await agent.ask(call.tool, call.arguments)
          assert.equal(total, totals[0], request)
          listed.push(...records)
          call = next
        }
        assert.deepEqual(
          listed.map((record) => identityOf(resource, record)),
          items.map((record) => identityOf(resource, record)),
          request,
        )
        if ([...filters.keys()].every(({ field }) => field !== undefined)) {
          assert.deepEqual(filterCopy(copy, resource, filters), items, request)
        }

        const [record] = items
        if (!record || !resource.endpoints.includes('get')) continue
        const id = String(record[resource.key[0] ?? ''])
        const { body } = await service.get(`${at}/${id}`, { key })
        assert.deepEqual(body, record, `${path}/${id}`)
        assert.deepEqual(await group.get(id), record, `${path}/${id}`)
        const { record: shown } = await agent.ask('get_record', { group: path, id })
        assert.equal(identityOf(resource, shown), id)
      }
      assert.ok(matched > questions, `${matched} records in ${questions} answers`)
    })
  }
})

const identityOf = ({ key }: Resource, record: DemoRecord): string =>
  key.map((name) => String(record[name])).join(',')
