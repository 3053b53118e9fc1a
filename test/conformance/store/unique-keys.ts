/** What the store promises of unique keys and of the checks that an owner sets. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Checks,
  checkModes,
  coordinate,
  id,
  integer,
  nullable,
  objects,
  recordTimes,
  ref,
  text,
  uniqueKeysOf,
} from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import type { StoredRecord } from '../../../src/store/schema/record-body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import type { BrokenKey } from '../../../src/store/write/row-checks.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import type { MergeOptions } from '../../../src/store/write/writer.ts'
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

/** Refers to itself. */
const lines = resource({
  ...described,
  path: 'lines',
  name: 'Line',
  unique: [['code']],
  fields: {
    id: id(),
    code: text(),
    mainId: nullable(ref('lines')),
    latitude: nullable(coordinate('latitude')),
    stops: nullable(objects({ country: text() })),
  },
  filters: ['code'],
})

const catalog = joinCatalog([brand, tickets, trains, lines])
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

/** Stages records with invalid codes, and returns how these are judged and what is stored. */
const sendInvalid = (
  store: Store,
  into: typeof tickets | typeof lines,
  records: readonly StoredRecord[],
  invalid: readonly (readonly [row: number, pointer: string])[],
) =>
  store.write('codes', async (writer) => {
    const { pack, createDigester } = rowFormatOf(catalog, into)
    const digester = createDigester()
    const cells: Parameters<typeof pack>[1] = []
    for (const record of records) {
      const first = cells.length
      pack(record, cells)
      digester.addCells(cells, first)
    }
    const broken = await writer.stageRows(into, {
      source: 0,
      lines: records.map((_, row) => row + 1),
      canonical: null,
      others: [...records.keys()],
      cells,
      digest: digester.take(),
      codeProblems: invalid.map(([row, pointer]) => ({
        ...{ row, pointer, check: 'currency' },
        ...{ value: 'Dollar', reason: 'is not a code' },
      })),
    })
    const { added, changed } = await writer.merge(into)
    return [...broken.map(({ row, severity }) => [row, severity]), added, changed]
  })

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
      into = tickets as typeof tickets | typeof trains | typeof lines,
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
        const onBroken = ({ key, values, id, other, severity }: BrokenKey) => {
          const records = [numberOf(id), numberOf(other.id)] as const
          broken.push({ key: key.fields.join('+'), values, records, severity })
        }
        const checks = { onBroken, ...options }
        const errors = () => broken.filter(({ severity }) => severity === 'error').length
        const replaces = () => options.replace === true && errors() === 0
        const dangling: number[] = []
        const references = () => into === lines
        for await (const { line } of writer.rejectInvalid(into, {
          ...checks,
          references,
          replaces,
        }))
          dangling.push(line)
        const merged = await writer.merge(into, { ...checks, replace: replaces() })
        return { broken, dangling, rejected: errors(), ...merged }
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

    it('are followed along a long chain without repeating the search', {
      timeout: 60_000,
    }, async () => {
      const length = 3_000
      const chain = Array.from({ length }, (_, n) => ticket(n + 1))
      await put('long', [...chain, ticket(length + 1)])
      const { broken, changed } = await put(
        'long',
        chain.map((_, n) => ticket(n + 1, { number: `N-${n + 2}` })),
      )
      assert.deepEqual([broken.length, changed], [length, 0])
      assert.deepEqual(broken[0]?.records, [length, length + 1])
    })

    it('of a row that another key refuses stay with its record', async () => {
      await put('both', [ticket(1, { tag: 'a' }), ticket(2, { note: 'x' }), ticket(3)])
      const { broken, changed } = await put('both', [
        ticket(1, { tag: 'b', note: 'x' }),
        ticket(3, { tag: 'a' }),
      ])
      assert.deepEqual(
        broken.map(({ key, records }) => [key, ...records]),
        [
          ['note', 1, 2],
          ['tag', 3, 1],
        ],
      )
      assert.equal(changed, 0)
    })

    it('let a replacement that refuses a row remove nothing, and what stays keep its values', async () => {
      await put(
        'kept',
        [1, 2, 3, 4, 5].map((n) => ticket(n)),
      )
      const { broken, removed, added } = await put(
        'kept',
        [
          ...[1, 2, 3].map((n) => ticket(n)),
          ticket(6, { number: 'N-1' }),
          ticket(7, { number: 'N-4' }),
          ticket(8),
        ],
        { replace: true },
      )
      assert.deepEqual(
        broken.map(({ records }) => records),
        [
          [6, 1],
          [7, 4],
        ],
      )
      assert.deepEqual([removed, added], [0, 1])
    })

    it('are judged before the references to their rows, which return values in turn', async () => {
      const line = (n: number, code: string, mainId: number | null = null) => ({
        ...{ id: uuid(n), code },
        mainId: mainId && uuid(mainId),
        ...{ latitude: null, stops: null },
      })
      await put('within', [line(1, 'A'), line(9, 'J')], {}, [], lines)
      const sent = [line(2, 'A'), line(3, 'C', 2), line(9, 'K', 3), line(4, 'J'), line(5, 'E', 1)]
      const { broken, dangling, added } = await put('within', sent, {}, [], lines)
      assert.deepEqual(
        broken.map(({ records }) => records),
        [
          [2, 1],
          [4, 9],
        ],
      )
      assert.deepEqual([dangling, added], [[2, 3], 1])
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
          sendInvalid(
            store,
            tickets,
            records,
            invalid.map((row) => [row, '/tag']),
          )
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

  it(`an invalid code on ${name} is stored already in another spelling or place of its list`, async () => {
    const opened = await open()
    try {
      const store = await createStore(catalog, opened.database)
      const line = (code: string, latitude: string, ...countries: readonly string[]) => {
        const stops = countries.map((country) => ({ country }))
        return { id: uuid(1), code, mainId: null, latitude, stops }
      }
      await sendInvalid(store, lines, [line('A', '180', 'UK')], [])
      const send = (record: StoredRecord, pointer: string) =>
        sendInvalid(store, lines, [record], [[0, pointer]])
      assert.deepEqual(await send(line('B', '180.00', 'UK'), '/latitude'), [[0, 'warning'], 0, 1])
      const longer = line('B', '180', 'DE', 'UK')
      assert.deepEqual(await send(longer, '/stops/1/country'), [[0, 'warning'], 0, 1])
      const other = line('B', '180', 'DE', 'EN')
      assert.deepEqual(await send(other, '/stops/1/country'), [[0, 'error'], 0, 0])
      assert.deepEqual(await send(line('B', '181', 'DE'), '/latitude'), [[0, 'error'], 0, 0])
    } finally {
      await opened.close()
    }
  })

  it(`a unique key has a name, and a brand has none`, () => {
    assert.deepEqual(
      uniqueKeysOf(tickets).map(({ name }) => name),
      ['tickets.number', 'tickets.trainId+seat+coach', 'tickets.tag', 'tickets.note'],
    )
    assert.deepEqual(uniqueKeysOf({ ...brand, unique: [['name']] }), [])
  })
}
