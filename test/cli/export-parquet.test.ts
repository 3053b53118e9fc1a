/** Parquet files of an export, as DuckDB reads them. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  catalog,
  compareDecimals,
  exactTextColumn,
  type Kind,
  leafFields,
  parseDecimal,
  resourceAt,
  sumAmounts,
  valueAt,
} from '#contract'
import type { DemoRecord } from '#demo'
import { type ExportManifest, exportBrand } from '#export'
import { writeManifest } from '#files'
import { openFile } from '../../src/export/formats.ts'
import { type DuckDb, openDuckDb } from '../support/duckdb.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** What DuckDB must take a field for, so that queries need no cast. */
const typesByKind: Record<Kind, string> = {
  id: 'VARCHAR',
  ref: 'VARCHAR',
  person: 'VARCHAR',
  text: 'VARCHAR',
  integer: 'BIGINT',
  flag: 'BOOLEAN',
  amount: 'DOUBLE',
  date: 'DATE',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  any: 'VARCHAR',
  texts: 'VARCHAR',
  object: 'VARCHAR',
  objects: 'VARCHAR',
}

describe('an export as Parquet', () => {
  let service: TestService
  let duckdb: DuckDb
  let folder: string
  let manifest: ExportManifest
  const run = (reused: string[] = []) =>
    exportBrand({
      store: service.records.store,
      brand: 'aldermoor',
      folder,
      format: 'parquet',
      database: 'this one',
      feedCursor: () => '',
      now: () => Date.UTC(2026, 5, 1),
      onProgress: (progress) => {
        if (progress.reused) reused.push(progress.collection)
      },
    })
  before(async () => {
    service = await openTestService()
    folder = join(service.folder, 'parquet')
    manifest = await run()
    duckdb = await openDuckDb()
  })
  after(async () => {
    duckdb.close()
    await service.close()
  })
  const at = (path: string) => `'${join(folder, `${path}.parquet`)}'`
  const first = async (sql: string) => Object.values((await duckdb.query(sql))[0] ?? {})[0]
  const orders = recordsAt('orders') as readonly (DemoRecord & {
    readonly totalAmount: string | null
    readonly orderDate: string | null
    readonly updatedAt: string
  })[]

  it('has a type for each field that needs no cast', async () => {
    for (const { collection, file, records } of manifest.files) {
      const from = `'${join(folder, file)}'`
      const described = await duckdb.query(`describe select * from ${from}`)
      const expected = leafFields(resourceAt(catalog, collection).fields).flatMap(
        ({ name, field: { kind } }) => [
          [name, typesByKind[kind]],
          ...(kind === 'amount' ? [[exactTextColumn(name), 'VARCHAR']] : []),
        ],
      )
      assert.deepEqual(
        described.map((row) => [row['column_name'], row['column_type']]),
        expected,
      )
      assert.equal(Number(await first(`select count(*) from ${from}`)), records, collection)
    }
  })

  it('is summed, compared, grouped and filtered without a cast', async () => {
    const amounts = orders.flatMap(({ totalAmount }) => totalAmount ?? [])
    const sum = Number(await first(`select sum(totalAmount) from ${at('orders')}`))
    assert.ok(Math.abs(sum - Number(sumAmounts(amounts))) < 0.005, String(sum))
    const isLarge = (amount: string) =>
      compareDecimals(parseDecimal(amount), parseDecimal('10000')) > 0
    assert.equal(
      Number(await first(`select count(*) from ${at('orders')} where totalAmount > 10000`)),
      amounts.filter(isLarge).length,
    )
    const dates = orders.flatMap(({ orderDate }) => orderDate ?? []).toSorted()
    const [earliest = ''] = dates
    assert.equal(
      Number(
        await first(`select count(*) from ${at('orders')} where orderDate > date '${earliest}'`),
      ),
      dates.filter((date) => date > earliest).length,
    )
    assert.equal(
      Number(
        await first(
          `select count(*) from ${at('orders')} where updatedAt > now() - interval 100 years`,
        ),
      ),
      orders.length,
    )
    const months = await duckdb.query(`
      select date_trunc('month', updatedAt) as month, count(*) as orders
      from ${at('orders')}
      group by month
      order by month
    `)
    const byMonth = Map.groupBy(orders, ({ updatedAt }) => updatedAt.slice(0, 7))
    assert.deepEqual(
      months.map((row) => [String(row['month']).slice(0, 7), Number(row['orders'])]),
      [...byMonth].map(([month, each]) => [month, each.length]).toSorted(),
    )
  })

  it('has the value of every field of every record', async () => {
    const written: Partial<Record<Kind, (value: never) => unknown>> = {
      integer: String,
      amount: Number,
      timestamp: (value: string) => value.replace('T', ' ').replace(/(\.000)?Z$/, '+00'),
      any: JSON.stringify,
      texts: JSON.stringify,
      objects: JSON.stringify,
    }
    for (const path of ['orders', 'order-items', 'partners', 'invoices', 'samples']) {
      const { fields, key } = resourceAt(catalog, path)
      const rows = await duckdb.query(`select * from ${at(path)} order by ${key.join()}`)
      const records = recordsAt(path).toSorted((one, two) =>
        String(one['id']) < String(two['id']) ? -1 : 1,
      )
      assert.ok(records.length > 0 && rows.length === records.length, path)
      for (const [index, record] of records.entries()) {
        for (const { name, path: names, field } of leafFields(fields)) {
          const value = valueAt(record, names)
          const expected = value === null ? null : (written[field.kind]?.(value as never) ?? value)
          const actual = rows[index]?.[name]
          const shown =
            field.kind === 'timestamp' && actual !== null
              ? String(actual).replace(/(\.\d{3})000\+00$/, '$1+00')
              : actual
          assert.deepEqual(shown, expected, `${path} ${name}`)
          if (field.kind === 'amount')
            assert.equal(rows[index]?.[exactTextColumn(name)], value, `${path} ${name}`)
        }
      }
    }
  })

  it('writes files again that an earlier release wrote with other types', async () => {
    const reused: string[] = []
    await run(reused)
    assert.equal(reused.length, catalog.resources.length)
    const { layout: _layout, ...earlier } = manifest
    await writeManifest(folder, earlier)
    const reusedLater: string[] = []
    await run(reusedLater)
    assert.deepEqual(reusedLater, [])
  })

  it('has row groups of 100,000 rows, compressed with Zstandard, with statistics', async () => {
    const file = join(service.folder, 'large.parquet')
    const writer = await openFile('parquet', resourceAt(catalog, 'tags'), file)
    const tag = (number: number) => ({
      id: idOf(number),
      name: `tag ${number}`,
      code: null,
      uiColor: null,
      createdAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
    const [total, batch] = [100_001, 10_000]
    for (let from = 0; from < total; from += batch) {
      const count = Math.min(batch, total - from)
      await writer.write(
        Array.from({ length: count }, (_, index) => Buffer.from(JSON.stringify(tag(from + index)))),
      )
    }
    await writer.close()
    const groups = await duckdb.query(`
      select row_group_num_rows as rows, compression, stats_min_value as least, stats_null_count as nulls
      from parquet_metadata('${file}')
      where path_in_schema = 'createdAt'
      order by row_group_id
    `)
    assert.deepEqual(groups, [
      { rows: '100000', compression: 'ZSTD', least: '2026-01-01 00:00:00+00', nulls: '0' },
      { rows: '1', compression: 'ZSTD', least: '2026-01-02 03:46:40+00', nulls: '0' },
    ])
    assert.equal(
      await first(`select count(*) from '${file}' where createdAt >= '2026-01-02 03:46:40+00'`),
      '1',
    )
  })
})
