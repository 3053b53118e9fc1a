import { check } from './check.ts'
import { type ConversionSize, convertInterrupted } from './conversion/conversion.ts'
import { type Engine, engines } from './engine.ts'
import { sumsOf } from './sums.ts'

export default check<Readonly<Record<Engine, ConversionSize>>>({
  id: 'R30',
  claim: 'A database of an earlier storage layout is converted as a whole or not at all.',
  target:
    'A million order items, with a change log, other brands and removed records, on SQLite and on PostgreSQL. The server that converts them is killed with SIGKILL at 20 moments: each time the database is in the old layout, with every record, or in the new one. Of two servers that then start at once, one converts and both serve. Every response has the same bytes and ETag as before (pages of the feed: the same changes), with cursors and feed positions that were issued before; keys are valid, totals equal counts, the search index equals the records, and the rules find what they found.',
  sizes: {
    short: { sqlite: { rows: 3_000, kills: 2 }, postgres: { rows: 1_000, kills: 2 } },
    full: { sqlite: { rows: 1_000_000, kills: 20 }, postgres: { rows: 1_000_000, kills: 20 } },
  },
  try: async (sizes, task) => {
    const all = await Promise.all(
      engines.map((engine) => convertInterrupted(engine, sizes[engine], task)),
    )
    const { kills, oldAfterKill, responses, records } = sumsOf(
      all,
      ...(['kills', 'oldAfterKill', 'responses', 'records'] as const),
    )
    const [sqlite, postgres] = all
    const megabytes = (bytes = 0) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
    const of = (each: (typeof all)[number] | undefined) =>
      `${each?.records.toLocaleString('en')} records in ${each?.seconds.toFixed(1)} s, from ${megabytes(each?.bytesBefore)} to ${megabytes(each?.bytesAfter)}`
    return {
      measured: `SQLite: ${of(sqlite)}. PostgreSQL: ${of(postgres)}. Of ${kills} interrupted conversions ${oldAfterKill} left the old layout and ${kills - oldAfterKill} the new one. ${responses.toLocaleString('en')} responses were the same as before.`,
      counts: {
        ...{ records, kills, responses },
        sqliteBytesBefore: sqlite?.bytesBefore ?? 0,
        sqliteBytesAfter: sqlite?.bytesAfter ?? 0,
        sqliteSeconds: Math.round(sqlite?.seconds ?? 0),
        postgresBytesBefore: postgres?.bytesBefore ?? 0,
        postgresBytesAfter: postgres?.bytesAfter ?? 0,
        postgresSeconds: Math.round(postgres?.seconds ?? 0),
      },
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
