/**
 * Databases as version 0.2.0 has left them when it was killed: stored records that break what later
 * versions check, batches that wait, one of them stored but not marked as finished, a file in
 * `working/` that failed again and again, the position of a sync, and a parked row, which is added when
 * they are restored. `make-version-0-2.ts` makes them.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import pg from 'pg'
import type { DemoRecord } from '#demo'
import { generateKey } from '#keys'
import { hashOf } from '../../src/keys/key.ts'
import { ownerNumber } from '../../src/store/schema/owners.ts'

export type RecordSet = { readonly [path: string]: readonly DemoRecord[] }

/** What the version was given, and what it has stored of it. */
export interface Version02 {
  readonly brand: string
  readonly shared: RecordSet
  readonly records: RecordSet
  /** The rules of `check` that the records break. */
  readonly rules: readonly string[]
  /** The ingest key that the batches were sent with. */
  readonly key: string
  /** The batches in their order. The first is stored. */
  readonly batches: readonly SentBatch[]
  /** The file in `working/` of the watched folder. */
  readonly file: { readonly name: string; readonly content: string }
  /** The source of the sync: the statements that made it, and the mapping. */
  readonly source: { readonly statements: readonly string[]; readonly mapping: string }
  /** SQL of each SQLite file by its suffix, such as `.queue`; of PostgreSQL, all under ''. */
  readonly dump: { readonly [suffix: string]: readonly string[] }
}

export interface SentBatch {
  readonly id: string
  readonly idempotencyKey: string
  readonly items: readonly object[]
}

type Engine = 'sqlite' | 'postgres'

const fileOf = (engine: Engine) => new URL(`version-0.2/${engine}.json.br`, import.meta.url)

/** Stand for the time and the watched folder of the program that restores. */
export const placeholders = { now: '{{now}}', folder: '{{folder}}' } as const

export const storeVersion02 = (engine: Engine, made: Version02): void => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(fileOf(engine), brotliCompressSync(JSON.stringify(made), { params }))
}

/** Puts the database at an empty address. The version has watched the folder. */
export const restoreVersion02 = async (
  engine: Engine,
  databaseUrl: string,
  folder: string,
): Promise<Version02> => {
  const text = brotliDecompressSync(readFileSync(fileOf(engine)))
    .toString()
    .replaceAll(placeholders.now, new Date().toISOString())
    .replaceAll(placeholders.folder, folder)
  const made = JSON.parse(text) as Version02
  for (const [suffix, statements] of Object.entries(made.dump)) {
    const sql = statements.map((each) => `${each};\n`).join('')
    const all = suffix === '' ? `${sql}${parkSql(engine, made)};\n` : sql
    if (engine === 'postgres') await runOnPostgres(databaseUrl, all)
    else runOnSqlite(databaseUrl.slice('sqlite:'.length).replace(/\.db$/, `${suffix}.db`), all)
  }
  return made
}

/** Keys as the version has stored them, with the texts they were issued as. */
export const keysOf02 = (brand: string) => {
  const texts = ['global', 'brand', 'revoked'].map(() => generateKey(randomBytes).key)
  const [everywhere = '', own = '', revoked = ''] = texts
  const row = (id: string, text: string, rights: string): string =>
    `insert into "selvedge_keys" values ('${id}', '${hashOf(text)}', '${id}', ${rights}, 'read', null, 0)`
  const at = '2026-01-01T00:00:00.000Z'
  return {
    everywhere,
    own,
    revoked,
    statements: [
      row('key_everywhere', everywhere, `'[]', 1, '${at}', null, null, '${at}', 2.5, 7, null`),
      row(
        'key_own',
        own,
        `'["${brand}"]', 0, '${at}', '2099-01-01T00:00:00.000Z', null, null, null, null, null`,
      ),
      row(
        'key_revoked',
        revoked,
        `'["${brand}"]', 0, '${at}', null, '${at}', null, null, null, null`,
      ),
    ],
  }
}

/** Runs statements on the keys of a restored database. */
export const runOnKeys = (engine: Engine, databaseUrl: string, statements: readonly string[]) => {
  const sql = statements.map((each) => `${each};\n`).join('')
  if (engine === 'postgres') return runOnPostgres(databaseUrl, sql)
  return runOnSqlite(databaseUrl.slice('sqlite:'.length).replace(/\.db$/, '.keys.db'), sql)
}

/** A part of a stored order that the version has parked, and the SKU that it waits for. */
export const parkedOf = ({ records }: Version02): DemoRecord => {
  const [item = {}] = records['order-items'] ?? []
  const id = '00000000-0000-4000-8000-00000000aaaa'
  const skuId = '00000000-0000-4000-8000-00000000bbbb'
  return { ...item, id, skuId }
}

const parkSql = (engine: Engine, made: Version02): string => {
  const record = parkedOf(made)
  const text = (value: unknown) => `'${String(value).replaceAll("'", "''")}'`
  const blob = (hex: string) => (engine === 'postgres' ? `'\\x${hex}'::bytea` : `x'${hex}'`)
  const id = String(record['id']).replaceAll('-', '')
  const values = [
    ...[ownerNumber(made.brand), text('order-items'), blob(id), blob(''), blob('')],
    ...[text('skuId'), text(record['skuId']), text('order-items.ndjson'), 7],
    ...[text(new Date().toISOString()), text(new Date().toISOString())],
    text(JSON.stringify(record)),
  ]
  return `insert into "selvedge_parked" values (${values.join(', ')})`
}

const runOnSqlite = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(`pragma page_size = 16384; pragma journal_mode = wal; begin; ${sql} commit`)
  database.close()
}

const runOnPostgres = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
