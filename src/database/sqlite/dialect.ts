import { type ColumnKind, type Dialect, quote } from '../database.ts'
import { decodeDecimal } from './decimal-key.mjs'

/**
 * Defined on every connection. In a reader thread it throws once the read exceeds its time limit.
 */
export const inTimeFunction = 'selvedge_in_time'

/**
 * Defined on every connection: encodes a decimal, or the product of several, as bytes that sort like
 * the number.
 */
export const decimalFunction = 'selvedge_decimal'

/** Defined in reader threads: exact sums, and the text of an encoded decimal. */
export const sumFunction = 'selvedge_sum'
export const decimalTextFunction = 'selvedge_decimal_text'
/** Combines an integer from the sums of its upper and lower bits. */
export const halvesFunction = 'selvedge_halves'
export const lowBits = 26
/** The smallest values with their keys. */
export const leastFunction = 'selvedge_least'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  text: 'text',
  integer: 'integer',
  identifier: 'blob',
  blob: 'blob',
  types: {
    text: 'text',
    prefix: 'text',
    integer: 'integer',
    uuid: 'blob',
    date: 'integer',
    timestamp: 'integer',
    decimal: 'blob',
    folded: 'text',
  },
  uuid: (text) => `unhex(${text}, '-')`,
  uuidText: (identifier) =>
    [
      'lower(',
      [
        [1, 8],
        [9, 4],
        [13, 4],
        [17, 4],
        [21, 12],
      ]
        .map(([from, length]) => `substr(hex(${identifier}), ${from}, ${length})`)
        .join(" || '-' || "),
      ')',
    ].join(''),
  aggregateUuid: (aggregate, identifier) => `${aggregate}(${identifier})`,
  keyBytes: (column, kind) => (kind === 'uuid' ? column : `cast(${column} as blob)`),
  keyOfBytes: (bytes, kind) => (kind === 'uuid' ? bytes : `cast(${bytes} as ${kind})`),
  // Stores short rows in the primary key's tree: no second tree and no second lookup.
  tableOptions: ' without rowid',
  // Without statistics the planner may scan the whole collection to follow its order.
  indexedBy: (table, alias, index) => `${quote(table)} as ${alias} indexed by ${quote(index)}`,
  primaryKeyIndex: (table) => `sqlite_autoindex_${table}_1`,
  jsonText: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  decimal: (text) => `${decimalFunction}(${text})`,
  product: (factors) => `${decimalFunction}(${factors.join(', ')})`,
  decimalText: (cell) => decodeDecimal(cell as Uint8Array),
  sum: (factors, where = 'true') => `${sumFunction}(${factors.join(', ')}) filter (where ${where})`,
  // In two halves: SQLite fails a statement whose sum exceeds 63 bits.
  sumIntegers: (value) =>
    `${halvesFunction}(sum((${value}) >> ${lowBits}), sum((${value}) & ${2 ** lowBits - 1}))`,
  extreme: (aggregate, text) => `${decimalTextFunction}(${aggregate}(${decimalFunction}(${text})))`,
  least: (value, key, count, where) =>
    `${leastFunction}(${value}, ${key}, ${count}) filter (where ${where})`,
  onceForEachRow: 'limit -1',
  uuidHex: (identifier) => `lower(hex(${identifier}))`,
  shiftedDay: (timestamp, seconds) => `date(${timestamp}, (${seconds}) || ' seconds')`,
  // The next Sunday, or the day itself, minus six days.
  mondayOf: (day) => `date(${day}, 'weekday 0', '-6 days')`,
  textsIn: (parameter, alias) => `json_each(${parameter}) as ${alias}`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  bytes: (text) => `cast(${text} as blob)`,
  // Values arrive in the order of the subquery. An explicit order would make SQLite sort them
  // again.
  concat: (column) => `group_concat(${column}, ',')`,
  keptOrder: () => '',
  // With a bare parameter SQLite would prepare the statement again at every execution.
  limit: (parameter) => `+${parameter}`,
  firstRows: (ordered, parameter) => `${ordered}\nlimit +${parameter}`,
  countsApart: false,
  joinsInOrder: true,
  joinsLaterally: false,
  rebuildsIndexes: true,
  rewritesIndexEntries: true,
  now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  randomInt: 'abs(random() % 1000000)',
  orderKey: (column) => `+${column}`,
  temporaryIndex: (name) => `temp.${quote(name)}`,
  lockTimeout: () => [],
  dropsBesideReaders: true,
  followIndexes: [],
  // SQLite keeps the order of a cross join.
  joinsByLookup: { begin: [], end: [] },
  // The queries name the index that they follow.
  gatherStatistics: () => [],
  reusePlan: [],
  // Nothing else can end a running statement.
  inTime: [`${inTimeFunction}()`],
  rowLevelSecurity: null,
}

/** Converts a bound value to its stored form. Only identifiers and decimals differ. */
export const boundValue = (kind: ColumnKind, parameter: string): string => {
  if (kind === 'uuid') return sqliteDialect.uuid(parameter)
  return kind === 'decimal' ? sqliteDialect.decimal(parameter) : parameter
}
