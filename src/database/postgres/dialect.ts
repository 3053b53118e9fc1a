import { type Dialect, quote } from '../database.ts'
import { postgresRowSecurity } from './row-security.ts'

export const postgresDialect: Dialect = {
  name: 'postgres',
  text: 'text collate "C"',
  integer: 'bigint',
  identifier: 'uuid',
  blob: 'bytea',
  types: {
    text: 'text collate "C"',
    prefix: 'text collate "C"',
    integer: 'bigint',
    uuid: 'uuid',
    date: 'integer',
    timestamp: 'bigint',
    decimal: 'numeric',
    folded: 'text collate "C"',
  },
  uuid: (text) => `(${text})::uuid`,
  uuidText: (identifier) => `(${identifier})::text collate "C"`,
  // PostgreSQL has no min and max for uuid, only for its text.
  aggregateUuid: (aggregate, identifier) => `${aggregate}(${identifier}::text collate "C")::uuid`,
  keyBytes: (column, kind) =>
    kind === 'uuid' ? `uuid_send(${column})` : `convert_to(${column}::text, 'UTF8')`,
  keyOfBytes: (bytes, kind) => {
    if (kind === 'uuid') return `encode(${bytes}, 'hex')::uuid`
    const text = `convert_from(${bytes}, 'UTF8')`
    return kind === 'integer' ? `${text}::bigint` : `${text} collate "C"`
  },
  tableOptions: '',
  // PostgreSQL has statistics and chooses an index itself.
  indexedBy: (table, alias) => `${quote(table)} as ${alias}`,
  primaryKeyIndex: () => undefined,
  jsonText: (column, path) => `(${column}::json #>> '{${path.join(',')}}') collate "C"`,
  decimal: (text) => `(${text})::numeric`,
  product: (factors) => factors.map((text) => `(${text})::numeric`).join(' * '),
  decimalText: (cell) => {
    const text = String(cell)
    return text.includes('.') ? text.replace(/\.?0+$/, '') : text
  },
  sum: (factors, where = 'true') =>
    [
      `(sum(${factors.map((text) => `(${text})::numeric`).join(' * ')})`,
      `filter (where ${where}))::text`,
    ].join('\n'),
  sumIntegers: (value) => `sum(${value})::text`,
  extreme: (aggregate, text) => `${aggregate}((${text})::numeric)::text`,
  least: (value, key, count, where) =>
    [
      `array_to_string((array_agg((${value})::text || ' ' || ${key}`,
      `order by ${value}, ${key}) filter (where ${where}))[1:${count}], ',')`,
    ].join('\n'),
  onceForEachRow: 'offset 0',
  uuidHex: (identifier) => `encode(uuid_send(${identifier}), 'hex')`,
  shiftedDay: (timestamp, seconds) =>
    `to_char((${timestamp})::timestamp + (${seconds}) * interval '1 second', 'YYYY-MM-DD')`,
  mondayOf: (day) => `to_char(date_trunc('week', (${day})::timestamp), 'YYYY-MM-DD')`,
  textsIn: (parameter, alias) =>
    `json_array_elements_text((${parameter})::json) as ${alias} ("value")`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  // The same bytes as a type that the driver returns as bytes: see `row-decoder.ts`.
  bytes: (text) => `(${text})::varchar`,
  concat: (column, order) => `string_agg(${column}, ',' order by ${order})`,
  keptOrder: (order) => `\norder by ${order}`,
  limit: (parameter) => parameter,
  // A generic plan assumes that an unknown limit returns a tenth of the table. It then looks so
  // expensive that PostgreSQL plans every execution, which takes longer than running it.
  firstRows: (ordered, parameter, most) =>
    [`select p.* from (${ordered}`, `limit ${most}) as p`, 'order by 1', `limit ${parameter}`].join(
      '\n',
    ),
  countsApart: true,
  joinsInOrder: false,
  joinsLaterally: true,
  rebuildsIndexes: false,
  rewritesIndexEntries: false,
  now: `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  randomInt: 'floor(random() * 1000000)::bigint',
  orderKey: (column) => column,
  temporaryIndex: (name) => quote(name),
  // A statement that waits for a table lock blocks all later statements.
  // 0 would mean no limit.
  lockTimeout: (ms) => [`set local lock_timeout = ${Math.max(1, Math.round(ms))}`],
  dropsBesideReaders: false,
  followIndexes: ['seqscan', 'bitmapscan', 'sort', 'incremental_sort'].map(
    (name) => `set local enable_${name} = off`,
  ),
  joinsByLookup: {
    begin: ['set local enable_hashjoin = off; set local enable_mergejoin = off'],
    end: ['set local enable_hashjoin to default; set local enable_mergejoin to default'],
  },
  gatherStatistics: (table) => [`analyze ${quote(table)}`],
  reusePlan: [
    {
      text: [
        "select set_config('plan_cache_mode', 'force_generic_plan', true),",
        "set_config('jit', 'off', true)",
      ].join('\n'),
      values: [],
    },
  ],
  // `statement_timeout` ends a statement.
  inTime: [],
  rowLevelSecurity: postgresRowSecurity,
}
