/** Which of several rows with one key an import stores if the mapping says so, on every engine. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { ingest, type OnError, openReport, type Source } from '#ingest'
import { type CollectionMapping, parseMapping } from '#mapping'
import { createStore, type Store } from '#store'
import { queriesOf, runRound } from '#sync'
import { decodeBody } from '../../../src/store/read/body.ts'
import { createSqliteSource } from '../../support/sqlite-source.ts'
import { brand, crates, type OpenedForStore, small, uuid } from './samples.ts'

interface KeyedRow {
  readonly no: number
  readonly code: string
  readonly changed: string
}

/** Two of these are the same instant. */
const times = ['', '2026-03-01T10:00:00Z', '2026-03-01T12:00:00+02:00', '2026-03-02', '1999-12-31']

const rowsOf = fc.array(
  fc.record({
    no: fc.integer({ min: 1, max: 4 }),
    code: fc.constantFrom('a', 'b', 'c'),
    changed: fc.constantFrom(...times),
  }),
  { maxLength: 12 },
)

const newness = ({ changed }: KeyedRow) =>
  changed === '' ? Number.NEGATIVE_INFINITY : Date.parse(changed)

/** Whether a row counts instead of an earlier one. */
const replaces: { readonly [keep: string]: (row: KeyedRow, earlier: KeyedRow) => boolean } = {
  first: () => false,
  last: () => true,
  'newest by CHANGED': (row, earlier) => newness(row) >= newness(earlier),
}

export const keptRowsConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`rows with one key on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    let owners = 0
    before(async () => {
      opened = await open()
      store = await createStore(small, opened.database)
    })
    after(() => opened.close())

    const mappingOf = async (keep: string, from = 'x.csv'): Promise<CollectionMapping> => {
      const lines = [
        ...['version: 1', 'collections:', '  crates:', `    from: ${from}`, `    keep: ${keep}`],
        ...(from === 'log.csv' ? ['    remove: { OP: [D] }'] : []),
        ...['    id: { key: [NO] }', '    fields:', '      code: CODE', '      size: { value: 1 }'],
        ...["      weight: { value: '1' }", '      label.state: { value: new }'],
      ]
      const text = lines.join('\n')
      const { collections } = await parseMapping({ file: 'x.map.yaml', text, catalog: small })
      return collections[0] as CollectionMapping
    }
    const sourceOf = (mapping: CollectionMapping, rows: readonly KeyedRow[]): Source => {
      const lines = rows.map(({ no, code, changed }) => `${no},${code},${changed}\n`)
      const stream = Readable.from([Buffer.from(`NO,CODE,CHANGED\n${lines.join('')}`)])
      return {
        ...{ name: 'x.csv', resource: crates, bytes: null, mapping },
        input: { kind: 'stream', stream, format: 'csv', gzipped: false },
        importedAt: '2026-03-03T00:00:00.000Z',
      }
    }
    /** Rows of a log, which say what became of a key. */
    const logOf = (
      mapping: CollectionMapping,
      rows: readonly (KeyedRow & { readonly op: string })[],
    ): Source => {
      const lines = rows.map(({ no, code, changed, op }) => `${no},${code},${changed},${op}\n`)
      const stream = Readable.from([Buffer.from(`NO,CODE,CHANGED,OP\n${lines.join('')}`)])
      const input = { kind: 'stream', stream, format: 'csv', gzipped: false } as const
      return { ...sourceOf(mapping, []), name: 'log.csv', input }
    }
    /** Imports, by default into a new brand. */
    const send = async (
      sources: readonly Source[],
      owner = `b${owners + 1}`,
      onError: OnError = 'refuse',
    ) => {
      owners += 1
      const report = openReport(undefined)
      const own: Source = {
        ...{ name: 'brand.rows', resource: brand, bytes: null },
        input: {
          kind: 'rows',
          rows: async function* () {
            const value = { id: uuid(Number(owner.slice(1))), name: owner }
            yield { rows: [{ line: 1, value, losses: [] }], canonical: null }
          },
        },
      }
      const { collections } = await ingest({
        ...{ store, owner, replace: false, allowRemovals: false, dryRun: false },
        ...{ allowDangling: false, report, now: Date.now, onError },
        sources: [own, ...sources],
      })
      const problems = report.first.map(({ line, column, reason }) => `${line} ${column} ${reason}`)
      return { owner, problems, collections, codes: await codesOf(owner) }
    }
    const codesOf = async (owner: string): Promise<readonly string[]> => {
      const request = { resource: crates, brand: owner, filters: new Map(), limit: 100 }
      const { items } = await store.list({ ...request, after: null, include: [] })
      const records = JSON.parse(`[${decodeBody(items)}]`) as readonly { readonly code: string }[]
      return records.map(({ code }) => code).sort()
    }

    for (const [keep, counts] of Object.entries(replaces)) {
      it(`keeps the right one of all its sources: ${keep}`, async () => {
        const mapping = await mappingOf(keep)
        await fc.assert(
          fc.asyncProperty(rowsOf, rowsOf, async (one, other) => {
            const expected = new Map<number, KeyedRow>()
            for (const row of [...one, ...other]) {
              const earlier = expected.get(row.no)
              if (!earlier || counts(row, earlier)) expected.set(row.no, row)
            }
            const sent = await send([sourceOf(mapping, one), sourceOf(mapping, other)])
            assert.deepEqual(sent.problems, [])
            assert.deepEqual(sent.codes, [...expected.values()].map(({ code }) => code).sort())
            const { read, refused } = sent.collections.at(-1) ?? {}
            assert.deepEqual([read, refused], [expected.size, 0])
          }),
          { numRuns: 15 },
        )
      })
    }

    for (const [keep, counts] of Object.entries(replaces)) {
      it(`removes the record if a removal is the one to keep: ${keep}`, async () => {
        const mapping = await mappingOf(keep, 'log.csv')
        const logRows = fc.array(
          fc.record({
            no: fc.integer({ min: 1, max: 3 }),
            // An empty code is bad.
            code: fc.constantFrom('a', 'b', ''),
            changed: fc.constantFrom(...times),
            op: fc.constantFrom('U', 'D'),
          }),
          { maxLength: 8 },
        )
        await fc.assert(
          fc.asyncProperty(logRows, logRows, async (one, other) => {
            const before = [1, 2, 3].map((no) => ({ no, code: 'z', changed: '', op: 'U' }))
            const { owner } = await send([logOf(mapping, before)])
            const isBad = ({ code, op }: (typeof one)[number]) => code === '' && op === 'U'
            const expected: string[] = []
            const held: number[] = []
            for (const no of [1, 2, 3]) {
              const log = [...one, ...other].filter((row) => row.no === no)
              const best = (rows: typeof log) =>
                rows.reduce<(typeof one)[number] | undefined>(
                  (last, row) => (last && !counts(row, last) ? last : row),
                  undefined,
                )
              const good = best(log.filter((row) => !isBad(row)))
              const whole = best(log.filter((row) => isBad(row) || row.op === 'D'))
              // A bad row is settled by a removal that counts, and not by a good row.
              if (log.some(isBad) && whole?.op !== 'D') held.push(no)
              if (!good) expected.push('z')
              else if (good.op === 'U') expected.push(good.code)
              else if (held.includes(no)) expected.push('z')
            }
            const sources = [logOf(mapping, one), logOf(mapping, other)]
            const { codes } = await send(sources, owner, 'quarantine')
            assert.deepEqual(codes, expected.sort())
            const { rows } = await store.quarantine.list({ owner, limit: 100 })
            assert.equal(new Set(rows.map(({ key }) => String(key))).size, held.length)
          }),
          { numRuns: 25 },
        )
      })
    }

    it('are compared between the queries of a round', async () => {
      const { owner } = await send([])
      const source = new DatabaseSync(':memory:')
      source.exec('create table a (NO, CODE, CHANGED)')
      source.exec('create table b (NO, CODE, CHANGED)')
      source.exec("insert into a values ('1', 'a', '2026-03-02'), ('2', 'b', null)")
      source.exec("insert into b values ('1', 'c', '2026-03-01'), ('2', 'd', '1999-12-31')")
      const queries = queriesOf([
        await mappingOf('newest by CHANGED', '{ sql: select * from a, deleted: select 3 as NO }'),
        await mappingOf('newest by CHANGED', '{ sql: select * from b, reconcile: 1h }'),
      ])
      const report = openReport(undefined)
      await runRound({
        ...{ store, brand: owner, source: { kind: 'sync', name: 'erp' }, report, now: Date.now },
        ...{ database: createSqliteSource(source, []), queries, mappedQueries: queries },
        write: store.write,
        options: {
          ...{ allowRemovals: false, allowDangling: false, onError: 'refuse' },
          ...{ dryRun: false, reconcile: true },
        },
      })
      assert.deepEqual(report.first, [])
      assert.deepEqual(await codesOf(owner), ['a', 'd'])
    })

    it('are refused between mappings that keep different ones', async () => {
      const [first, last] = [await mappingOf('first'), await mappingOf('last')]
      const row = { no: 1, changed: '' }
      const { problems, codes } = await send([
        sourceOf(first, [
          { ...row, code: 'a' },
          { ...row, code: 'b' },
        ]),
        sourceOf(last, [{ ...row, code: 'c' }]),
      ])
      assert.equal(problems.length, 1)
      assert.match(problems.join(), /^2 NO has the same identity as line 2 /)
      assert.deepEqual(codes, [])
    })

    it('are problems if the column is neither a time nor a number', async () => {
      const row = { no: 1, code: 'a', changed: 'recently' }
      const { problems } = await send([sourceOf(await mappingOf('newest by CHANGED'), [row])])
      assert.deepEqual(problems, [
        '2 CHANGED is neither a time nor a number, so that it cannot tell the newest row',
      ])
    })
  })
}
