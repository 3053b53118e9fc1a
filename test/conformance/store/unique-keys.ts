/** What the store promises of unique keys and of the checks that an owner sets. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Checks,
  checkModes,
  id,
  integer,
  nullable,
  recordTimes,
  ref,
  text,
  uniqueKeysOf,
} from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import type { MergeOptions } from '../../../src/store/write/write.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

/** Keys with a sort column, with a column and a value of the text, with a null, and without columns. */
const tickets = resource({
  ...described,
  path: 'tickets',
  name: 'Ticket',
  unique: [['number'], ['trainId', 'seat', 'coach'], ['tag'], ['note']],
  parent: 'trainId',
  fields: {
    id: id(),
    number: text(),
    trainId: ref('trains'),
    seat: integer(),
    coach: nullable(text()),
    tag: nullable(text()),
    note: nullable(text()),
    ...recordTimes,
  },
  filters: ['trainId', 'tag'],
  sortable: ['number'],
  searchable: ['number'],
})

/** Loaded without staging, if that is possible. */
const trains = resource({
  ...described,
  path: 'trains',
  name: 'Train',
  unique: [['code']],
  fields: { id: id(), code: text() },
  filters: ['code'],
})

const catalog = joinCatalog([brand, tickets, trains])
const time = '2026-03-01T09:00:00.000Z'

const ticket = (n: number, changed: object = {}): StoredRecord => ({
  id: uuid(n),
  number: `N-${n}`,
  trainId: uuid(500),
  seat: n,
  coach: null,
  tag: null,
  note: null,
  createdAt: time,
  updatedAt: time,
  deletedAt: null,
  ...changed,
})

interface Broken {
  readonly key: string
  readonly values: readonly (string | null)[]
  readonly records: readonly [number, number]
  readonly severity: string
}

export const uniqueKeyConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the unique keys of a store on ${name}`, () => {
    let opened: OpenedForStore
    let store: Store
    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
    })
    after(() => opened.close())

    const numberOf = (identity: string) => Number(identity.slice(-12))
    const put = (
      owner: string,
      records: readonly StoredRecord[],
      options: MergeOptions = {},
      removals: readonly number[] = [],
      into = tickets as typeof tickets | typeof trains,
    ) =>
      store.write(owner, async (writer) => {
        const broken: Broken[] = []
        await writer.stage(into, records)
        // Removals end a load without staging.
        if (removals.length > 0)
          await writer.stageRemoval(
            into,
            removals.map((n) => [uuid(n)]),
          )
        for await (const row of writer.rejectInvalid(into, { references: false }))
          assert.fail(`${row}`)
        const merged = await writer.merge(into, {
          onBroken: ({ key, values, id, other, severity }) => {
            const records = [numberOf(id), numberOf(other.id)] as const
            broken.push({ key: key.fields.join('+'), values, records, severity })
          },
          ...options,
        })
        return { broken, ...merged }
      })
    const numbers = async (owner: string) => {
      const numbersOf = new Map<number, unknown>()
      await store.snapshot(owner, async (reader) => {
        for await (const batch of reader.bodies(tickets)) {
          for (const body of batch) {
            const record = JSON.parse(Buffer.from(body as Uint8Array).toString())
            numbersOf.set(numberOf(record.id), record.number)
          }
        }
      })
      return Object.fromEntries(numbersOf)
    }
    const set = (owner: string, checks: Partial<Checks>) =>
      store.setChecks(owner, { default: 'enforce', exceptions: {}, ...checks })
    const repeated = (row: number, other: number, severity = 'error') => ({
      key: 'number',
      values: ['N-1'],
      records: [row, other],
      severity,
    })

    it('refuse a row whose key a stored record has, or an earlier row, and take the others', async () => {
      await put('refuse', [ticket(1)])
      const { broken, added, rejected } = await put('refuse', [
        ticket(2),
        ticket(3, { number: 'N-1' }),
        ticket(4, { number: 'N-2' }),
        ticket(5, { seat: 1 }),
        ticket(6, { tag: 'a', note: 'x' }),
        ticket(7, { tag: 'a' }),
        ticket(8, { note: 'x' }),
      ])
      assert.deepEqual(broken, [
        repeated(3, 1),
        { ...repeated(4, 2), values: ['N-2'] },
        { ...repeated(5, 1), key: 'trainId+seat+coach', values: [uuid(500), '1', null] },
        { ...repeated(7, 6), key: 'tag', values: ['a'] },
        { ...repeated(8, 6), key: 'note', values: ['x'] },
      ])
      assert.deepEqual([added, rejected], [2, 5])
      assert.deepEqual(await numbers('refuse'), { 1: 'N-1', 2: 'N-2', 6: 'N-6' })
    })

    it('compare whole values, in which a column may hold a part', async () => {
      const long = 'n'.repeat(900)
      const { broken } = await put('whole', [
        ticket(1, { number: `${long}1`, tag: 'Ä' }),
        ticket(2, { number: `${long}2`, tag: 'ä' }),
        ticket(3, { number: `${long.toUpperCase()}1`, tag: 'a' }),
        ticket(4, { number: `${long}1` }),
      ])
      assert.deepEqual(
        broken.map(({ records }) => records),
        [[4, 1]],
      )
    })

    it('let records swap, pass on and free their values within one import', async () => {
      await put('swap', [ticket(1), ticket(2), ticket(3), ticket(4)])
      const { broken, changed, added, removed } = await put(
        'swap',
        [
          ticket(1, { number: 'N-2' }),
          ticket(2, { number: 'N-1' }),
          ticket(5, { number: 'N-3' }),
          ticket(4, { deletedAt: time }),
          ticket(6, { number: 'N-4', seat: 4 }),
        ],
        {},
        [3],
      )
      assert.deepEqual([broken, changed, added, removed], [[], 3, 2, 1])
      assert.deepEqual(await numbers('swap'), { 1: 'N-2', 2: 'N-1', 4: 'N-4', 5: 'N-3', 6: 'N-4' })
      const replaced = await put('swap', [ticket(7, { number: 'N-1' })], { replace: true })
      assert.deepEqual([replaced.broken, replaced.removed], [[], 5])
    })

    it('leave a record with its value if the row that would free it is refused', async () => {
      await put('chain', [ticket(1), ticket(2), ticket(3)])
      const { broken, changed } = await put('chain', [
        ticket(1, { number: 'N-2' }),
        ticket(2, { number: 'N-3' }),
      ])
      assert.deepEqual(
        broken.map(({ records }) => records),
        [
          [2, 3],
          [1, 2],
        ],
      )
      assert.equal(changed, 0)
    })

    it('do not count for nulls and deleted records', async () => {
      const { broken, added } = await put('nulls', [
        ticket(1, { tag: 'a', deletedAt: time }),
        ticket(2, { number: 'N-1', tag: 'a', seat: 1 }),
        ticket(3, { number: 'N-1', deletedAt: time }),
        ticket(4),
      ])
      assert.deepEqual([broken, added], [[], 4])
    })

    it('never refuse a stored duplicate that arrives unchanged, and report it if it changes elsewhere', async () => {
      await put('stored', [ticket(1), ticket(2, { number: 'N-1' }), ticket(3)], {
        onBroken: undefined,
      } as never)
      const same = await put('stored', [ticket(1), ticket(2, { number: 'N-1' })])
      assert.deepEqual([same.broken, same.unchanged], [[], 2])
      const changed = await put('stored', [
        ticket(1, { updatedAt: '2026-03-02T09:00:00.000Z' }),
        ticket(3, { number: 'N-1' }),
      ])
      assert.deepEqual(changed.broken, [repeated(3, 2), repeated(1, 2, 'warning')])
      assert.equal(changed.changed, 1)
    })

    it('are reported and stored for an owner that is only warned, per key', async () => {
      for (const mode of checkModes) {
        const owner = `mode-${mode}`
        const other = checkModes.find((each) => each !== mode) ?? mode
        await set(owner, { default: mode, exceptions: { 'tickets.tag': other } })
        const { broken, added } = await put(owner, [
          ticket(1, { tag: 'a' }),
          ticket(2, { number: 'N-1' }),
          ticket(3, { tag: 'a' }),
        ])
        const severity = (each: string) => (each === 'warn' ? 'warning' : 'error')
        assert.deepEqual(broken.map((each) => [each.key, each.severity]).sort(), [
          ['number', severity(mode)],
          ['tag', severity(other)],
        ])
        assert.equal(added, 2)
      }
    })

    it('hold between imports that run at the same time', async () => {
      const results = await Promise.all(
        [1, 2, 3, 4].map((n) => put('parallel', [ticket(n, { number: 'N-1' })])),
      )
      assert.deepEqual(results.map(({ added }) => added).sort(), [0, 0, 0, 1])
      assert.equal(Object.keys(await numbers('parallel')).length, 1)
    })

    it('hold for rows that are loaded without staging', async () => {
      const train = (n: number, code: string) => ({ id: uuid(n), code })
      const some = Array.from({ length: 3_000 }, (_, n) => train(n + 1, `T-${n + 1}`))
      const all = [...some, train(3_001, 'T-7'), train(3_002, 'T-8000')]
      const loaded = await put('direct', all, {}, [], trains)
      assert.deepEqual(loaded.broken, [{ ...repeated(3_001, 7), key: 'code', values: ['T-7'] }])
      assert.equal(loaded.added, 3_001)
    })

    it('are judged in a bounded number of rows, however many have one value', async () => {
      const many = Array.from({ length: 6_000 }, (_, n) => ticket(n + 1, { number: 'N-1' }))
      const { broken, added } = await put('many', many)
      assert.deepEqual([broken.length, added], [5_999, 1])
    })
  })

  describe(`the checks of an owner on ${name}`, () => {
    it('enforce for a new owner, and warn for one that an earlier version has stored', async () => {
      const opened = await open()
      try {
        const earlier = await createStore(catalog, opened.database)
        await earlier.write('old', async (writer) => {
          await writer.stage(trains, [{ id: uuid(1), code: 'T' }])
          await writer.merge(trains)
        })
        // The earlier version did not have the table.
        await opened.database.write((session) =>
          session.run({ text: 'drop table "selvedge_brand_checks"', values: [] }),
        )
        const store = await createStore(catalog, opened.database)
        assert.equal((await store.checks('old')).default, 'warn')
        assert.equal((await store.checks('new')).default, 'enforce')
        await store.removeBrand('old')
        assert.equal((await store.checks('old')).default, 'enforce')
      } finally {
        await opened.close()
      }
    })

    it('refuse an invalid code that is new, report one that is stored, and ignore unchanged records', async () => {
      const opened = await open()
      try {
        const store = await createStore(catalog, opened.database)
        const send = (records: readonly StoredRecord[], invalid: readonly number[]) =>
          store.write('codes', async (writer) => {
            const { pack, createDigester } = rowFormatOf(catalog, tickets)
            const digester = createDigester()
            const cells: Parameters<typeof pack>[1] = []
            for (const record of records) {
              const first = cells.length
              pack(record, cells)
              digester.addCells(cells, first)
            }
            const broken = await writer.stageRows(tickets, {
              source: 0,
              lines: records.map((_, row) => row + 1),
              canonical: null,
              others: [...records.keys()],
              cells,
              digest: digester.take(),
              codeProblems: invalid.map((row) => ({
                row,
                check: 'currency',
                pointer: '/tag',
                value: 'Dollar',
                reason: 'is not a code',
              })),
            })
            const { added, changed } = await writer.merge(tickets)
            return [...broken.map(({ row, severity }) => [row, severity]), added, changed]
          })
        const bad = (n: number, more: object = {}) => ticket(n, { tag: `Dollar ${n}`, ...more })
        assert.deepEqual(await send([ticket(1), bad(2), ticket(3)], [1]), [[1, 'error'], 2, 0])
        await store.setChecks('codes', { default: 'enforce', exceptions: { currency: 'warn' } })
        assert.deepEqual(await send([bad(2)], [0]), [[0, 'warning'], 1, 0])
        await store.setChecks('codes', { default: 'enforce', exceptions: {} })
        assert.deepEqual(await send([bad(2)], [0]), [0, 0])
        assert.deepEqual(await send([bad(2, { note: 'x' })], [0]), [[0, 'warning'], 0, 1])
        const changed = [bad(2, { tag: 'Euro' }), bad(1), ticket(3, { note: 'y' })]
        assert.deepEqual(await send(changed, [0, 1]), [[0, 'error'], [1, 'error'], 0, 1])
      } finally {
        await opened.close()
      }
    })
  })

  it(`a unique key has a name, and a brand has none`, () => {
    assert.deepEqual(
      uniqueKeysOf(tickets).map(({ name }) => name),
      ['tickets.number', 'tickets.trainId+seat+coach', 'tickets.tag', 'tickets.note'],
    )
    assert.deepEqual(uniqueKeysOf({ ...brand, unique: [['name']] }), [])
  })
}
