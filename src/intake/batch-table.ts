import type { RecordAudit } from '#audit'
import {
  type Dialect,
  type Query,
  type Row,
  type Session,
  type SqlValue,
  together,
} from '#database'
import type { BatchRequest, BatchResult, PackedBody } from './batch.ts'
import type { CombinedWrites } from './combined-writes.ts'
import type { Unit } from './unit.ts'
import { unitEntry } from './unit-entries.ts'
import {
  bodyTable,
  discardUnit,
  nextNumber,
  noResult,
  parseUnit,
  unitColumns,
  unitTable,
} from './unit-table.ts'

/** What of a request decides how its body is read. */
export type BatchOptions = Required<
  Pick<BatchRequest, 'collections' | 'map' | 'form' | 'dryRun' | 'park'>
> &
  // Earlier versions stored none.
  Pick<BatchRequest, 'quarantine' | 'maxBadRows' | 'results'>

/** A unit that came over HTTP, without its body. */
export interface QueuedBatch extends Unit {
  readonly keyId: string
  readonly idempotencyKey: string | null
  /** Of the brand, the options and the body. */
  readonly hash: string
  readonly options: BatchOptions
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

/** The batches of a brand are one source. */
export const batchSource = 'batches'

const unitNames = unitColumns.map((name) => `"${name}"`).join(', ')

const columns = [...unitColumns, 'key_id', 'idempotency_key', 'hash', 'options', 'result']
  .map((name) => `"${name}"`)
  .join(', ')

export const parseBatch = (row: Row): QueuedBatch => {
  const [keyId, idempotencyKey, hash, options, result] = row.slice(unitColumns.length)
  return {
    ...parseUnit(row),
    keyId: String(keyId),
    idempotencyKey: idempotencyKey as string | null,
    hash: String(hash),
    options: JSON.parse(String(options)) as BatchOptions,
    result: result === null ? null : (JSON.parse(String(result)) as BatchResult),
  }
}

/** The batch of an earlier request of the brand with the same key and idempotency key. */
export const findRepeated = async (
  session: Session,
  { brand, keyId, idempotencyKey }: Pick<BatchRequest, 'brand' | 'keyId' | 'idempotencyKey'>,
): Promise<QueuedBatch | null> => {
  const [row] = await session.all({
    text: [
      `select ${columns}`,
      `from "${unitTable}"`,
      'where "brand" = ?1 and "key_id" = ?2 and "idempotency_key" = ?3',
    ].join('\n'),
    values: [brand, keyId, idempotencyKey],
  })
  return row ? parseBatch(row) : null
}

export const findQuery = (brand: string, id: string): Query => ({
  text: [
    `select ${columns}`,
    `from "${unitTable}"`,
    `where "id" = ?1 and "brand" = ?2 and "kind" = 'batch'`,
  ].join('\n'),
  values: [id, brand],
})

/** How much waits in all, or of one brand. */
export const readWaiting = async (session: Session, brand?: string): Promise<Waiting> => {
  const [row] = await session.all({
    text: [
      'select count(*), coalesce(sum("bytes"), 0)',
      `from "${unitTable}"`,
      `where "kind" = 'batch' and "finished_at" is null`,
      ...(brand === undefined ? [] : ['and "brand" = ?1']),
    ].join('\n'),
    values: brand === undefined ? [] : [brand],
  })
  return { batches: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) }
}

export type NewBatch = Pick<
  QueuedBatch,
  'id' | 'brand' | 'keyId' | 'idempotencyKey' | 'hash' | 'options' | 'receivedAt'
>

export const insertBatch = async (
  session: Session,
  batch: NewBatch,
  body: StoredBody,
): Promise<QueuedBatch> => {
  const [[row]] = await together([
    session.all({
      text: [
        `insert into "${unitTable}" ("number", "id", "brand", "kind", "source", "state", "attempts",`,
        '"key_id", "idempotency_key", "hash", "options", "received_at", "bytes", "length")',
        `values (${nextNumber}, ?1, ?2, 'batch', '${batchSource}', 'waiting', 0,`,
        '?3, ?4, ?5, ?6, ?7, ?8, ?9)',
        `returning ${columns}`,
      ].join('\n'),
      values: [
        ...[batch.id, batch.brand, batch.keyId, batch.idempotencyKey, batch.hash],
        ...[JSON.stringify(batch.options), batch.receivedAt, body.bytes.length, body.length],
      ],
    }),
    session.run({
      text: [
        `insert into "${bodyTable}" ("number", "body")`,
        `values ((select max("number") from "${unitTable}"), ?1)`,
      ].join('\n'),
      values: [body.bytes],
    }),
  ])
  return parseBatch(row as Row)
}

/** The brands that have batches waiting, in the order of their first ones, with their numbers. */
export const waitingBrandsQuery: Query = {
  text: [
    'select "brand", count(*)',
    `from "${unitTable}"`,
    `where "kind" = 'batch' and "finished_at" is null`,
    'group by "brand"',
    'order by min("number")',
  ].join('\n'),
  values: [],
}

/** The first batches of a brand that wait, with the lengths of their bodies. */
export const headQuery = (brand: string, limit: number): Query => ({
  text: [
    `select ${columns}, "length"`,
    `from "${unitTable}"`,
    `where "brand" = ?1 and "kind" = 'batch' and "finished_at" is null`,
    'order by "number"',
    'limit ?2',
  ].join('\n'),
  values: [brand, limit],
})

export const bodyQuery = (number: number): Query => ({
  text: [
    'select "body", u."length"',
    `from "${bodyTable}" as b`,
    `join "${unitTable}" as u on u."number" = b."number"`,
    'where b."number" = ?1',
  ].join('\n'),
  values: [number],
})

/** Those of some batches that are neither finished nor removed. A later batch may have the number. */
export const stillOpenQuery = (ids: readonly string[], dialect: Dialect): Query => ({
  text: [
    'select "id"',
    `from "${unitTable}"`,
    'where "finished_at" is null',
    `and "id" in (select i."value" from ${dialect.textsIn('?1', 'i')})`,
  ].join('\n'),
  values: [JSON.stringify(ids)],
})

export const parseBody = (row: Row): StoredBody => ({
  bytes: row[0] as Uint8Array,
  length: Number(row[1]),
})

/** How many finished units are deleted at once. */
const pruneRows = 1_000

/** How many finished units are kept. */
export interface KeptLimits {
  readonly brand: number
  /** Beyond this number, the brand that has the most loses its oldest. */
  readonly total: number
}

/** How long, and how many, units are kept that are not open. */
export interface PruneLimits {
  readonly keepMs: number
  readonly keptBatches: KeptLimits
  /** Units of one brand in quarantine. Beyond this number, the oldest are refused. */
  readonly quarantine: Waiting
}

export const keptByDefault: PruneLimits = {
  keepMs: 3 * 86_400_000,
  keptBatches: { brand: 100_000, total: 1_000_000 },
  quarantine: { batches: 1_000, bytes: 268_435_456 },
}

/** Deletes old units, and refuses the oldest in quarantine of brands that have too many. */
export const prune = async (
  write: CombinedWrites,
  now: number,
  { keepMs, keptBatches, quarantine }: PruneLimits,
  recordAudit: RecordAudit,
): Promise<void> => {
  const before = new Date(now - keepMs).toISOString()
  while ((await write((session) => pruneUnits(session, before, keptBatches))) > 0);
  const at = new Date(now).toISOString()
  const pruneSome = (session: Session) => pruneQuarantine(session, at, quarantine, recordAudit)
  while ((await write(pruneSome)) > 0);
}

/** Refuses the oldest units in quarantine of brands that have too many. Returns how many. */
const pruneQuarantine = async (
  session: Session,
  at: string,
  { batches, bytes }: Waiting,
  recordAudit: RecordAudit,
): Promise<number> => {
  const rows = await session.all({
    text: [
      `select ${unitNames} from (select *, row_number() over w as n, sum("bytes") over w as held`,
      `from "${unitTable}"`,
      `where "state" = 'quarantined'`,
      'window w as (partition by "brand" order by "number" desc)) as q',
      `where n > ${batches} or held > ${bytes}`,
      `limit ${pruneRows}`,
    ].join('\n'),
    values: [],
  })
  const lastError = 'Too many units of the brand are in quarantine.'
  for (const unit of rows.map(parseUnit)) {
    await discardUnit(session, unit.id, { state: 'refused', at, lastError, ...noResult })
    await recordAudit(session, unitEntry('unit.discarded', unit))
  }
  return rows.length
}

/**
 * Deletes units that were finished before a time, and the oldest of brands that have too many. Those
 * in quarantine stay.
 */
const pruneUnits = async (
  session: Session,
  before: string,
  limits: KeptLimits,
): Promise<number> => {
  const oldest = (where: string, values: readonly SqlValue[], limit = pruneRows) =>
    session.run({
      text: [
        `delete from "${unitTable}"`,
        `where "number" in (select "number" from "${unitTable}"`,
        `where ${isEnded} and ${where}`,
        // The next number follows the last one.
        `and "number" < (select max("number") from "${unitTable}")`,
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

const isEnded = `"finished_at" is not null and "state" <> 'quarantined'`

/** The brands that have too many finished units, and how many. */
const crowdedBrands = async (session: Session, limits: KeptLimits) => {
  const rows = await session.all({
    text: [
      'select "brand", count(*)',
      `from "${unitTable}"`,
      `where ${isEnded}`,
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
