import type { Session } from '#database'

type Tables = Pick<ReadonlySet<string>, 'has'>

/** An earlier version had a table of batches, and one of interrupted conversions. */
const queue = 'selvedge_queue'
const attempts = 'selvedge_queue_attempts'

export const hasQueue = (tables: Tables): boolean => tables.has(queue)

/**
 * Moves the batches of an earlier version to the tables of units, in the transaction that creates
 * these. Earlier versions cannot use the queue afterwards.
 */
export const convertQueue = async (session: Session, tables: Tables): Promise<void> => {
  if (!tables.has(queue)) return
  const begun = tables.has(attempts)
    ? `coalesce((select sum(a."attempts") from "${attempts}" as a where a."id" = q."id"), 0)`
    : '0'
  for (const text of [
    `insert into "selvedge_units" ("number", "id", "brand", "kind", "source", "state", "attempts",
      "received_at", "finished_at", "key_id", "idempotency_key", "hash", "options", "bytes", "length",
      "result")
    select q."number", q."id", q."brand", 'batch', 'batches',
      case when q."finished_at" is null then 'waiting'
        when q."result" like '%"state":"refused"%' then 'refused' else 'done' end,
      case when q."finished_at" is null then ${begun} else 0 end,
      q."received_at", q."finished_at", q."key_id", q."idempotency_key", q."hash", q."options",
      q."bytes", q."length", q."result"
    from "${queue}" as q`,
    `insert into "selvedge_unit_bodies" ("number", "body")
    select "number", "body" from "${queue}" where "body" is not null`,
    ...(tables.has(attempts) ? [`drop table "${attempts}"`] : []),
    `drop table "${queue}"`,
  ]) {
    await session.run({ text, values: [] })
  }
}
