/** Whatever the contract admits, every engine stores, lists, sorts, filters, sums and groups. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import {
  amount,
  any,
  checkRecord,
  compareDecimals,
  compileCanonicalScanner,
  date,
  foldText,
  id,
  integer,
  limits,
  nullable,
  parseDecimal,
  sumAmounts,
  text,
  timestamp,
  weekOf,
} from '#contract'
import { quote } from '#database'
import { ingest, openReport } from '#ingest'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { withCanonicalRows } from '../../../src/ingest/canonical-rows.ts'
import { createRowBatchBuilder } from '../../../src/ingest/row-batch.ts'
import type { SummaryGroup } from '../../../src/store/query/summary-request.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import { seeded } from '../../support/model.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const bales = resource({
  ...described,
  group: 'Bales',
  path: 'bales',
  name: 'Bale',
  scope: 'brand',
  fields: {
    id: id(),
    name: nullable(text()),
    code: text(),
    note: nullable(text()),
    size: nullable(integer()),
    count: nullable(integer()),
    weight: nullable(amount('weightKg')),
    length: nullable(amount('lengthCm')),
    dueDate: nullable(date()),
    seenAt: nullable(timestamp()),
    extra: any(),
  },
  filters: ['name', 'code', 'size'],
  sortable: ['name', 'size', 'count', 'weight', 'dueDate', 'seenAt'],
  searchable: ['name', 'code'],
})

/** Two texts of an identity beside each other in every index. */
const slots = resource({
  ...described,
  group: 'Slots',
  path: 'slots',
  name: 'Slot',
  scope: 'brand',
  key: ['id', 'kind', 'place'],
  fields: { id: id(), kind: text(), place: text(), weight: amount('weightKg') },
  filters: ['id', 'kind', 'place'],
  sortable: ['weight'],
})

const catalog = joinCatalog([brand, bales, slots])

interface Bale {
  readonly id: string
  readonly name: string | null
  readonly code: string
  readonly note: string | null
  readonly size: number | null
  readonly count: number | null
  readonly weight: string | null
  readonly length: string | null
  readonly dueDate: string | null
  readonly seenAt: string | null
  readonly extra: unknown
}

const { bounds, integer: integers, integerFilter } = limits

const range = (first: number, length: number) =>
  Array.from({ length }, (_, n) => String.fromCodePoint(first + n))

/**
 * Scripts with one to four bytes for each character in UTF-8, and marks that combine. Those of three
 * and four bytes have so many characters that a text of them cannot be compressed.
 */
const alphabets = [
  range(0x20, 95),
  [...range(0x410, 64), ...range(0x3b1, 24)],
  range(0x4e00, 20_000),
  [...range(0x20000, 40_000), ...range(0x1f300, 300)],
  [...'aeo\u0301\u0323\u0302çñøß'],
]

const draw = seeded(33)
const pick = <T>(values: readonly T[]): T => values[draw(values.length)] as T
/** A text that no engine can compress to a size that fits into an index. */
const drawText = (length: number, alphabet = pick(alphabets)): string =>
  Array.from({ length }, () => pick(alphabet)).join('')

const digits = (length: number) =>
  length === 0 ? '' : `${1 + draw(9)}${drawText(length - 1, [...'0123456789'])}`
const most = '9'.repeat(bounds.amountDigits)

const lengths = [0, 1, 99, 100, 101, 255, 256, 399, 400, 401, 600, 999, bounds.indexedCharacters]
/** Texts that differ in their last character only, in each script. */
const alike = alphabets.flatMap((alphabet) =>
  [400, 401, bounds.indexedCharacters].flatMap((length) => {
    const beginning = drawText(length - 1, alphabet)
    return [`${beginning}a`, `${beginning}b`]
  }),
)
const names = [
  ...alike,
  ...lengths.flatMap((length) => alphabets.map((each) => drawText(length, each))),
]
const amounts = [
  `${most}.${most}`,
  `-${most}.${most}`,
  `0.${'0'.repeat(bounds.amountDigits - 1)}1`,
  '-0.00',
  '0',
  '12.50',
  ...Array.from(
    { length: 20 },
    () => `${digits(1 + draw(38))}.${drawText(1 + draw(38), [...'0123456789'])}`,
  ),
]
const days = ['0001-01-01', '0001-01-31', '9999-12-31', '9999-12-01', '2026-03-01', '2024-02-29']
const orNull = <T>(value: T): T | null => (draw(5) === 0 ? null : value)

/** Half of them as most records are: an import stores their bytes as they are. */
const admitted: readonly Bale[] = Array.from({ length: 300 }, (_, n) => {
  const isShort = n >= alike.length && n % 2 === 0
  const drawName = () => pick(isShort ? names.filter((each) => each.length < 200) : names)
  const note =
    n % 60 < 2 ? pick(['x'.repeat(bounds.textBytes), drawText(21_845, alphabets[2])]) : 'n'
  return {
    id: uuid(n + 1),
    name: orNull(drawName()),
    code: alike[n] ?? drawName(),
    note: orNull(note),
    size: orNull(pick([0, 1, 7, ...(isShort ? [] : [integerFilter.maximum])])),
    count: orNull(pick([0, -1, 12, ...(isShort ? [] : [integers.minimum, integers.maximum])])),
    weight: orNull(pick(amounts)),
    length: orNull(pick(amounts)),
    dueDate: orNull(pick(days)),
    seenAt: orNull(`${pick(days)}T${pick(['00:00:00.000', '23:59:59.999'])}Z`),
    extra: pick<unknown>(
      isShort ? ['x', null] : [null, true, integers.maximum, { a: [drawText(500)] }],
    ),
  }
})

/** So many values that a summary reads them along their index, group by group. */
const many: readonly Bale[] = Array.from({ length: 1_000 }, (_, n) => ({
  ...(admitted[0] as Bale),
  id: uuid(n + 10_000),
  note: null,
  name: null,
  code: `C-${n}`,
}))

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Writes records as an import does: those that it can as bytes, the others as cells. */
const importAll = async (store: Store, records: readonly Bale[]): Promise<void> => {
  const { fields, textBytes, pack, createDigester } = rowFormatOf(catalog, bales)
  const scanner = compileCanonicalScanner(bales, { wanted: fields, wantedBytes: textBytes, isUtf8 })
  const rows = records.map((value, row) => ({ line: row + 1, value, losses: [] }))
  const source = (async function* () {
    yield { rows, canonical: null }
  })()
  await store.write('m', async (writer) => {
    for await (const batch of withCanonicalRows(source, { scanner, marksRepeats: false })) {
      assert.ok(batch.canonical && batch.canonical.lines.length > 10 && batch.rows.length > 10)
      const builder = createRowBatchBuilder(createDigester(), batch.canonical)
      for (const row of batch.rows as typeof rows) {
        const cells: Parameters<typeof pack>[1] = []
        pack(row.value as never, cells)
        builder.add(row.line, cells)
      }
      await writer.stageRows(bales, { ...builder.build(), source: 0 })
    }
    await writer.merge(bales)
  })
}

type Its = typeof bales | typeof slots | typeof brand

const stage = (store: Store, its: Its, records: readonly object[]) =>
  store.write('m', async (writer) => {
    await writer.stage(its as never, records as never)
    await writer.merge(its as never)
  })

/** Imports records one after the other. Returns their problems, and what became of the records. */
const send = async (store: Store, its: Its, records: readonly object[]) => {
  const report = openReport(undefined)
  const rows = records.map((value, row) => ({ line: row + 1, value, losses: [] }))
  const { collections } = await ingest({
    ...{ store, owner: 'm', replace: false, allowRemovals: false, dryRun: false },
    ...{ allowDangling: false, report, now: () => Date.parse('2026-06-01') },
    sources: [
      {
        ...{ name: 'its.rows', resource: its, bytes: null },
        input: {
          kind: 'rows',
          rows: async function* () {
            yield { rows, canonical: null }
          },
        },
      },
    ],
  })
  const problems = report.first.map(({ line, field, severity }) => `${line} ${field} ${severity}`)
  const [{ added, changed, unchanged, refused } = { added: 0 }] = collections
  return { problems, counts: { added, changed, unchanged, refused } }
}

const selection = { brand: 'm', resource: bales, filters: new Map(), where: [], ids: null }

/** All records of a query, page by page. */
const queryAll = async (store: Store, request: object): Promise<readonly string[]> => {
  const items: string[] = []
  let after: unknown = null
  do {
    const page = await store.query({
      ...{ ...selection, sort: null, fields: null, include: [], limit: 50, after: after as never },
      ...request,
    })
    const all = JSON.parse(`[${decodeBody(page.items)}]`) as readonly { readonly id: string }[]
    items.push(...all.map((each) => each.id))
    after = page.next
  } while (after)
  return items
}

const idsOf = (records: readonly { readonly id: string }[]) => records.map((each) => each.id)

/** The order of each field's values, in plain JavaScript. Texts sort by their first characters. */
const orders: { readonly [field: string]: (one: never, other: never) => number } = {
  name: (one: string, other: string) => byBytes(sortText(one), sortText(other)),
  size: (one: number, other: number) => one - other,
  count: (one: number, other: number) => one - other,
  weight: (one: string, other: string) => compareDecimals(parseDecimal(one), parseDecimal(other)),
  dueDate: byBytes,
  seenAt: byBytes,
}

const sortText = (value: string): string => {
  const beginning = foldText(value).slice(0, 100)
  return beginning.isWellFormed() ? beginning : beginning.slice(0, -1)
}

const sorted = (records: readonly Bale[], field: keyof Bale, isDescending: boolean) => {
  const [present, absent] = [true, false].map((is) =>
    records.filter((each) => (each[field] !== null) === is),
  ) as [Bale[], Bale[]]
  const byId = (one: Bale, other: Bale) => byBytes(one.id, other.id)
  const compare = orders[field] as (one: unknown, other: unknown) => number
  const all = [
    present.sort((one, other) => compare(one[field], other[field]) || byId(one, other)),
    absent.sort(byId),
  ]
  return all.flatMap((part) => (isDescending ? part.reverse() : part))
}

const plainSum = (values: readonly (string | null)[]): string => {
  const sum = sumAmounts(['0', ...values.filter((each) => each !== null)])
  return sum.includes('.') ? sum.replace(/\.?0+$/, '') : sum
}
const wholeSum = (values: readonly (number | null)[]): bigint =>
  values.reduce((all, each) => all + BigInt(each ?? 0), 0n)

/** The figures of each group, in plain JavaScript. */
const groupsOf = (records: readonly Bale[], groupOf: (record: Bale) => unknown) =>
  new Map(
    [...Map.groupBy(records, groupOf)].map(([group, its]) => [
      group,
      {
        items: its.length,
        weight: plainSum(its.map(({ weight }) => weight)),
        length: plainSum(its.map(({ length }) => length)),
        size: wholeSum(its.map(({ size }) => size)),
        count: wholeSum(its.map(({ count }) => count)),
      },
    ]),
  )

const summarize = (store: Store, request: object = {}) =>
  store.summary({
    ...{ ...selection, sum: ['weight', 'length', 'size', 'count'], min: [], max: [], by: [] },
    ...{ today: { day: '2026-03-01', timezone: 'UTC' }, baseCurrency: 'EUR', ...request },
  })

const readGroups = async (store: Store, field: string, dates: string | null, request = {}) => {
  const by = [{ name: dates ? `${field}:${dates}` : field, field, dates }]
  const { groups } = await summarize(store, { by, ...request })
  const read = ({ by: [group], items, sum }: SummaryGroup) => [group, { items, ...sum }] as const
  return new Map(groups.map(read))
}

export const boundsConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  const using = async (work: (store: Store, opened: OpenedForStore) => Promise<void>) => {
    const opened = await open()
    try {
      await work(await createStore(catalog, opened.database), opened)
    } finally {
      await opened.close()
    }
  }

  describe(`records at the bounds of the contract, on ${name}`, () => {
    it('are read back byte for byte, filtered, sorted, summed and grouped', async () => {
      for (const record of admitted) assert.deepEqual(checkRecord(bales, record), [])
      await using(async (store) => {
        await importAll(store, admitted)
        for (let from = 0; from < admitted.length; from += 100) {
          const { items } = await store.list({
            ...{ resource: bales, brand: 'm', filters: new Map(), limit: 100, include: [] },
            after: from === 0 ? null : [uuid(from)],
          })
          const expected = admitted.slice(from, from + 100).map((each) => JSON.stringify(each))
          assert.equal(decodeBody(items), expected.join())
        }
        for (const field of Object.keys(orders) as (keyof Bale)[]) {
          for (const isDescending of [false, true]) {
            const ids = await queryAll(store, { sort: { field, isDescending } })
            assert.deepEqual(ids, idsOf(sorted(admitted, field, isDescending)), field)
          }
        }
        for (const value of new Set(admitted.slice(0, 50).map(({ code }) => code))) {
          const expected = idsOf(admitted.filter(({ code }) => code === value))
          const { items, total } = await store.list({
            ...{ resource: bales, brand: 'm', filters: new Map([['code', value]]) },
            ...{ limit: 100, after: null, include: [] },
          })
          assert.deepEqual(idsOf(JSON.parse(`[${decodeBody(items)}]`)), expected)
          assert.equal(total, expected.length)
        }
        const wanted = alike.filter((_, index) => index % 2 === 0)
        assert.deepEqual(
          await queryAll(store, { where: [{ kind: 'in', field: 'code', values: wanted }] }),
          idsOf(admitted.filter(({ code }) => wanted.includes(code))),
        )
        const { total } = await summarize(store, { min: ['weight', 'dueDate'], max: ['count'] })
        const [all] = groupsOf(admitted, () => 'all').values()
        assert.deepEqual({ items: total.items, ...total.sum }, all)
        assert.deepEqual(total.tooLong, {})
        assert.deepEqual(total.min, { weight: `-${most}.${most}`, dueDate: '0001-01-01' })
        assert.deepEqual(total.max, { count: integers.maximum })
        for (const [field, dates, groupOf] of groupings) {
          assert.deepEqual(await readGroups(store, field, dates), groupsOf(admitted, groupOf))
        }
      })
    })

    it('are grouped along an index, also by texts that begin alike', async () => {
      await using(async (store) => {
        const records = [...admitted, ...many]
        await importAll(store, records)
        const expected = groupsOf(records, ({ code }) => code)
        assert.ok(expected.size > 1_000)
        const order = { field: null, isDescending: true }
        const groups = await readGroups(store, 'code', null, { top: 1_000, order })
        for (const [group, figures] of groups) assert.deepEqual(figures, expected.get(group))
        assert.equal(groups.size, 1_000)
        assert.ok(alike.filter((each) => groups.has(each)).length > 20)
      })
    })

    it('are found by the texts of their identity', async () => {
      const length = bounds.identityCharacters
      const texts = alphabets.map((each) => drawText(length, each))
      const weight = `${most}.${most}`
      const records = texts.map((kind, n) => ({
        id: uuid(1),
        kind,
        place: texts.at(-n) ?? '',
        weight,
      }))
      for (const record of records) assert.deepEqual(checkRecord(slots, record), [])
      await using(async (store) => {
        await stage(store, slots, records)
        for (const { kind } of records) {
          const { total } = await store.list({
            ...{ resource: slots, brand: 'm', filters: new Map([['kind', kind]]) },
            ...{ limit: 100, after: null, include: [] },
          })
          assert.equal(total, 1)
        }
        await stage(store, slots, records)
        const page = await store.list({
          ...{ resource: slots, brand: 'm', filters: new Map(), limit: 100, after: null },
          include: [],
        })
        assert.equal(page.total, records.length)
      })
    })
  })

  describe(`records of an earlier release beyond the bounds, on ${name}`, () => {
    const [base] = admitted as [Bale]
    const beyond: readonly Bale[] = [
      { ...base, id: uuid(1), weight: '1.5', length: '2', dueDate: '0000-05-01' },
      {
        ...base,
        id: uuid(2),
        weight: `1${'7'.repeat(140_000)}`,
        seenAt: '0000-12-31T23:00:00.000Z',
      },
      { ...base, id: uuid(3), weight: `0.${'3'.repeat(20_000)}`, name: 'é'.repeat(50_000) },
    ].map((each) => ({ ...each, note: null }))

    it('stay readable, and are left out of sums and counted', async () => {
      await using(async (store) => {
        await stage(store, bales, beyond)
        for (const field of Object.keys(orders)) {
          const ids = await queryAll(store, { sort: { field, isDescending: false } })
          assert.equal(ids.length, beyond.length, field)
        }
        const { total } = await summarize(store, { min: ['weight'], max: ['weight'] })
        assert.equal(total.items, beyond.length)
        assert.equal(total.sum['weight'], '1.5')
        assert.deepEqual(total.tooLong, { weight: 2 })
        assert.deepEqual([total.min, total.max], [{ weight: '1.5' }, { weight: '1.5' }])
        for (const [field, dates, groupOf] of groupings) {
          const groups = await readGroups(store, field, dates)
          assert.deepEqual(
            new Set(groups.keys()),
            new Set(beyond.map(groupOf)),
            `${field} ${dates}`,
          )
        }
        const above = { kind: 'compare', field: 'length', is: 'gt', value: '1' }
        assert.ok((await queryAll(store, { where: [above] })).includes(uuid(1)))
      })
    })

    it('arrive again: only values that are new or changed are refused', async () => {
      const far = {
        ...{ id: uuid(4), name: null, code: drawText(1_500, alphabets[2]), size: -5 },
        ...{ note: 'n'.repeat(70_000), seenAt: null, extra: { a: ['x'.repeat(70_000)] } },
      }
      const stored = [...beyond, { ...(beyond[0] as Bale), ...far, dueDate: null }]
      const fields = ['1 /dueDate', '2 /weight', '2 /seenAt', '3 /name', '3 /weight']
      const all = [...fields, '4 /code', '4 /note', '4 /size', '4 /extra/a/0']
      const each = (severity: string) => all.map((field) => `${field} ${severity}`)
      await using(async (store) => {
        await store.setChecks('m', { default: 'warn', exceptions: {} })
        await stage(store, brand, [{ id: uuid(1), name: 'm' }])
        await stage(store, bales, stored)
        const none = { added: 0, changed: 0, unchanged: 0, refused: 0 }
        const again = await send(store, bales, stored)
        assert.deepEqual(again, { problems: [], counts: { ...none, unchanged: 4 } })

        const changed = stored.map((record) => ({ ...record, count: 77, length: '3' }))
        const elsewhere = await send(store, bales, changed)
        assert.deepEqual(elsewhere.problems, each('warning'))
        assert.deepEqual(elsewhere.counts, { ...none, changed: 4 })

        const renewed = changed.map((record, n) => ({ ...record, id: uuid(n + 10) }))
        const unknown = await send(store, bales, renewed)
        assert.deepEqual(unknown.problems, each('error'))
        assert.deepEqual(unknown.counts, { ...none, refused: 4 })

        const [, longer] = changed as [Bale, Bale]
        const longerAgain = await send(store, bales, [{ ...longer, weight: `${longer.weight}7` }])
        assert.deepEqual(longerAgain.problems, ['1 /weight error', '1 /seenAt warning'])
        const invalid = await send(store, bales, [{ ...longer, code: 7 }])
        assert.deepEqual(
          invalid.problems,
          ['/code', '/weight', '/seenAt'].map((field) => `1 ${field} error`),
        )
        assert.deepEqual((await send(store, bales, changed)).counts, { ...none, unchanged: 4 })

        const slot = { id: uuid(1), kind: 'k'.repeat(256), place: 'p', weight: '1' }
        await stage(store, slots, [slot])
        assert.deepEqual((await send(store, slots, [slot])).problems, ['1 /kind error'])
      })
    })

    it('have long texts in columns, which the next start cuts', async () => {
      await using(async (store, { database }) => {
        const long = 'é'.repeat(5_000)
        await stage(store, bales, [{ ...base, code: long, note: null }, ...beyond.slice(1)])
        await database.write(async (session) => {
          await session.run({
            text: `update "bales" set "code" = ?1 where "code" = ?2`,
            values: [long, 'é'.repeat(400)],
          })
          await session.run({
            text: 'delete from "selvedge_settings" where "name" = ?1',
            values: ['short texts'],
          })
        })
        const matches = () =>
          queryAll(store, { where: [{ kind: 'compare', field: 'code', is: 'eq', value: long }] })
        assert.deepEqual(await matches(), [base.id])
        const logged: string[] = []
        const log = (sentence: string) => logged.push(sentence)
        await createStore(catalog, database, { log })
        await createStore(catalog, database, { log })
        assert.deepEqual(logged, [
          'Migration: keep the beginning of long texts in the columns of filters.',
        ])
        for (const column of ['name', 'code']) {
          const [rows = []] = await database.read([
            { text: `select max(length(${quote(column)})) from "bales"`, values: [] },
          ])
          assert.ok(Number(rows[0]?.[0]) <= 400)
        }
        assert.deepEqual(await matches(), [base.id])
        assert.deepEqual((await readGroups(store, 'code', null)).get(long)?.items, 1)
      })
    })
  })
}

const month = (day: string | null) => day?.slice(0, 7) ?? null
const groupings = [
  ['name', null, ({ name }: Bale) => name],
  ['code', null, ({ code }: Bale) => code],
  ['size', null, ({ size }: Bale) => size],
  ['dueDate', 'month', ({ dueDate }: Bale) => month(dueDate)],
  ['seenAt', 'month', ({ seenAt }: Bale) => month(seenAt)],
  ['dueDate', 'week', ({ dueDate }: Bale) => dueDate && weekOf(dueDate)],
] as readonly [string, string | null, (record: Bale) => unknown][]
