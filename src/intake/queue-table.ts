import type { Database, Query, Row, Session, SqlValue } from '#database'
import type { BatchRequest, BatchResult, PackedBody } from './batch.ts'

/** What of a request decides how its body is read. */
export type BatchOptions = Required<
  Pick<BatchRequest, 'collections' | 'map' | 'form' | 'dryRun' | 'park'>
>

/** A batch as the queue keeps it, without its body. */
export interface QueuedBatch {
  /** In the order of acceptance. */
  readonly number: number
  readonly id: string
  readonly brand: string
  readonly keyId: string
  readonly idempotencyKey: string | null
  /** Of the brand, the options and the body. */
  readonly hash: string
  readonly options: BatchOptions
  readonly receivedAt: string
  /** Null until the batch is finished. */
  readonly result: BatchResult | null
}

/** A body as it is stored. */
export type StoredBody = Pick<PackedBody, 'bytes' | 'length'>

/** How much waits. */
export interface Waiting {
  readonly batches: number
  readonly bytes: number
}

const table = 'selvedge_queue'
/** Batches that are being prepared, and how often that began on a host. */
const attempts = 'selvedge_queue_attempts'
/** Earlier versions have created the table without it. */
const keptIndex = `${table}__kept`

/** The body of a finished batch is dropped, and its result is kept for a while. */
export const createQueueTable = async (database: Database): Promise<void> => {
  const [tables, indexes] = await Promise.all([database.tables(), database.indexes()])
  if (tables.has(table) && tables.has(attempts) && indexes.has(keptIndex)) return
  const { text, integer, blob } = database.dialect
  await database.write(async (session) => {
    for (const ddl of [
      `create table if not exists "${table}" (
        "number" ${integer} primary key,
        "id" ${text} not null unique,
        "brand" ${text} not null,
        "key_id" ${text} not null,
        "idempotency_key" ${text},
        "hash" ${text} not null,
        "options" text not null,
        "received_at" ${text} not null,
        "finished_at" ${text},
        "bytes" ${integer} not null,
        "length" ${integer} not null,
        "result" text,
        "body" ${blob},
        unique ("key_id", "idempotency_key")
      )`,
      `create index if not exists "${table}__waiting"
        on "${table}" ("brand", "number", "bytes", "length", "received_at")
        where "finished_at" is null`,
      `create index if not exists "${table}__finished"
        on "${table}" ("finished_at")
        where "finished_at" is not null`,
      `create table if not exists "${attempts}" (
        "id" ${text} not null,
        "host" ${text} not null,
        "attempts" ${integer} not null,
        primary key ("id", "host")
      )`,
      `create index if not exists "${keptIndex}"
        on "${table}" ("brand", "finished_at")
        where "finished_at" is not null`,
    ]) {
      await session.run({ text: ddl, values: [] })
    }
  })
}

const columns = [
  'number',
  'id',
  'brand',
  'key_id',
  'idempotency_key',
  'hash',
  'options',
  'received_at',
  'result',
]
  .map((name) => `"${name}"`)
  .join(', ')

const one = async (session: Session, query: Query): Promise<QueuedBatch | null> => {
  const [row] = await session.all(query)
  return row ? parseBatch(row) : null
}

export const findByIdempotencyKey = (
  session: Session,
  keyId: string,
  idempotencyKey: string,
): Promise<QueuedBatch | null> =>
  one(session, {
    text: [
      `select ${columns}`,
      `from "${table}"`,
      'where "key_id" = ?1 and "idempotency_key" = ?2',
    ].join('\n'),
    values: [keyId, idempotencyKey],
  })

export const findQuery = (brand: string, id: string): Query => ({
  text: [`select ${columns}`, `from "${table}"`, 'where "id" = ?1 and "brand" = ?2'].join('\n'),
  values: [id, brand],
})

/** How much waits in all, or of one brand. */
export const readWaiting = async (session: Session, brand?: string): Promise<Waiting> => {
  const [row] = await session.all({
    text: [
      'select count(*), coalesce(sum("bytes"), 0)',
      `from "${table}"`,
      'where "finished_at" is null',
      ...(brand === undefined ? [] : ['and "brand" = ?1']),
    ].join('\n'),
    values: brand === undefined ? [] : [brand],
  })
  return { batches: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) }
}

export const insertBatch = async (
  session: Session,
  batch: Omit<QueuedBatch, 'number' | 'result'>,
  body: StoredBody,
): Promise<QueuedBatch> => {
  const [row] = await session.all({
    text: [
      `insert into "${table}" ("number", "id", "brand", "key_id", "idempotency_key", "hash",`,
      '"options", "received_at", "bytes", "length", "body")',
      // Writers of the queue exclude each other, so that numbers are committed in their order.
      `values ((select coalesce(max("number"), 0) + 1 from "${table}"),`,
      '?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)',
      'returning "number"',
    ].join('\n'),
    values: [
      ...[batch.id, batch.brand, batch.keyId, batch.idempotencyKey, batch.hash],
      ...[JSON.stringify(batch.options), batch.receivedAt],
      ...[body.bytes.length, body.length, body.bytes],
    ],
  })
  return { ...batch, number: Number(row?.[0]), result: null }
}

/** The brands that have batches waiting, in the order of their first ones, with their numbers. */
export const waitingBrandsQuery: Query = {
  text: [
    'select "brand", count(*)',
    `from "${table}"`,
    'where "finished_at" is null',
    'group by "brand"',
    'order by min("number")',
  ].join('\n'),
  values: [],
}

/** The first batches of a brand that wait, with the lengths of their bodies. */
export const headQuery = (brand: string, limit: number): Query => ({
  text: [
    `select ${columns}, "length"`,
    `from "${table}"`,
    'where "brand" = ?1 and "finished_at" is null',
    'order by "number"',
    'limit ?2',
  ].join('\n'),
  values: [brand, limit],
})

/** How many batches of a brand wait after a number, and since when. */
export const leftQuery = (brand: string, after: number): Query => ({
  text: [
    'select count(*), min("received_at")',
    `from "${table}"`,
    'where "brand" = ?1 and "number" > ?2 and "finished_at" is null',
  ].join('\n'),
  values: [brand, after],
})

export const bodyQuery = (id: string): Query => ({
  text: [`select "body", "length"`, `from "${table}"`, 'where "id" = ?1'].join('\n'),
  values: [id],
})

export const parseBody = (row: Row): StoredBody | null =>
  row[0] === null ? null : { bytes: row[0] as Uint8Array, length: Number(row[1]) }

/**
 * Returns the number of attempts of a host, with this one. Processes of other hosts may prepare the
 * batch at the same time.
 */
export const beginAttempt = async (session: Session, id: string, host: string): Promise<number> => {
  const [row] = await session.all({
    text: [
      `insert into "${attempts}" ("id", "host", "attempts") values (?1, ?2, 1)`,
      `on conflict ("id", "host") do update set "attempts" = "${attempts}"."attempts" + 1`,
      'returning "attempts"',
    ].join('\n'),
    values: [id, host],
  })
  return Number(row?.[0])
}

export const endAttempt = async (session: Session, id: string, host: string): Promise<void> => {
  const text = `delete from "${attempts}" where "id" = ?1 and "host" = ?2`
  await session.run({ text, values: [id, host] })
}

/** A batch that is finished already stays as it is. */
export const finishBatch = async (
  session: Session,
  id: string,
  result: BatchResult,
): Promise<void> => {
  await session.run({
    text: [
      `update "${table}"`,
      'set "finished_at" = ?2, "result" = ?3, "body" = null, "bytes" = 0',
      'where "id" = ?1 and "finished_at" is null',
    ].join('\n'),
    values: [id, result.finishedAt, JSON.stringify(result)],
  })
}

/** How many finished batches are deleted at once. */
const pruneRows = 1_000

/** How many finished batches are kept. */
export interface KeptLimits {
  readonly brand: number
  /** Beyond this number, the brand that has the most loses its oldest. */
  readonly total: number
}

/** Deletes batches that were finished before a time, and the oldest of brands that have too many. */
export const pruneBatches = async (
  session: Session,
  before: string,
  limits: KeptLimits,
): Promise<number> => {
  const oldest = (where: string, values: readonly SqlValue[], limit = pruneRows) =>
    session.run({
      text: [
        `delete from "${table}"`,
        `where "number" in (select "number" from "${table}"`,
        `where "finished_at" is not null and ${where}`,
        // The next number follows the last one.
        `and "number" < (select max("number") from "${table}")`,
        'order by "finished_at"',
        `limit ${Math.min(limit, pruneRows)})`,
      ].join('\n'),
      values,
    })
  let deleted = await oldest('"finished_at" < ?1', [before])
  for (const { brand, tooMany } of await crowdedBrands(session, limits)) {
    deleted += await oldest('"brand" = ?1', [brand], tooMany)
  }
  return deleted
}

/** The brands that have too many finished batches, and how many. */
const crowdedBrands = async (session: Session, limits: KeptLimits) => {
  const rows = await session.all({
    text: [
      'select "brand", count(*)',
      `from "${table}"`,
      'where "finished_at" is not null',
      'group by "brand"',
      'order by count(*) desc',
    ].join('\n'),
    values: [],
  })
  const counts = rows.map(([brand, count]) => ({ brand: String(brand), count: Number(count) }))
  const beyond = counts.reduce((sum, { count }) => sum + count, 0) - limits.total
  return counts
    .map(({ brand, count }, index) => ({
      brand,
      tooMany: Math.max(count - limits.brand, index === 0 ? beyond : 0),
    }))
    .filter(({ tooMany }) => tooMany > 0)
}

export const parseBatch = (row: Row): QueuedBatch => ({
  number: Number(row[0]),
  id: String(row[1]),
  brand: String(row[2]),
  keyId: String(row[3]),
  idempotencyKey: row[4] as string | null,
  hash: String(row[5]),
  options: JSON.parse(String(row[6])) as BatchOptions,
  receivedAt: String(row[7]),
  result: row[8] === null ? null : (JSON.parse(String(row[8])) as BatchResult),
})
