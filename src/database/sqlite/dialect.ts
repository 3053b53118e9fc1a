import { type ColumnKind, type Dialect, quote } from '../database.ts'
import { decodeDecimal } from './decimal-key.mjs'

/** Every connection has it. In a thread that reads, it throws once the time of its read is over. */
export const inTimeFunction = 'selvedge_in_time'

/** Every connection has it: the bytes of a decimal number, in the order of the numbers. */
export const decimalFunction = 'selvedge_decimal'

/** Threads that read have them: exact sums, and the text of a decimal number from its bytes. */
export const sumFunction = 'selvedge_sum'
export const decimalTextFunction = 'selvedge_decimal_text'
/** A whole number from the sums of its upper and its lower bits. */
export const halvesFunction = 'selvedge_halves'
export const lowBits = 26
/** The least values with their keys. */
export const leastFunction = 'selvedge_least'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  text: 'text',
  integer: 'integer',
  identifier: 'blob',
  blob: 'blob',
  types: {
    text: 'text',
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
  // Short rows are stored in the tree of the primary key: no second tree, and no second look-up.
  tableOptions: ' without rowid',
  // Without statistics the planner may scan the whole collection for the sake of its order.
  indexedBy: (table, alias, index) => `${quote(table)} as ${alias} indexed by ${quote(index)}`,
  primaryKeyIndex: (table) => `sqlite_autoindex_${table}_1`,
  jsonText: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  decimal: (text) => `${decimalFunction}(${text})`,
  decimalText: (cell) => decodeDecimal(cell as Uint8Array),
  sum: (...factors) => `${sumFunction}(${factors.join(', ')})`,
  // In two halves: SQLite ends a statement whose sum has more than 63 bits.
  sumIntegers: (value) =>
    `${halvesFunction}(sum((${value}) >> ${lowBits}), sum((${value}) & ${2 ** lowBits - 1}))`,
  extreme: (aggregate, text) => `${decimalTextFunction}(${aggregate}(${decimalFunction}(${text})))`,
  least: (value, key, count, where) =>
    `${leastFunction}(${value}, ${key}, ${count}) filter (where ${where})`,
  onceForEachRow: 'limit -1',
  uuidHex: (identifier) => `lower(hex(${identifier}))`,
  shiftedDay: (timestamp, seconds) => `date(${timestamp}, (${seconds}) || ' seconds')`,
  // The next Sunday, or the day itself, and six days back.
  mondayOf: (day) => `date(${day}, 'weekday 0', '-6 days')`,
  textsIn: (parameter, alias) => `json_each(${parameter}) as ${alias}`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  bytes: (text) => `cast(${text} as blob)`,
  // Values come in the order of the subquery. With an explicit order SQLite would sort them again.
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
  lockTimeout: [],
  dropsBesideReaders: true,
  followIndexes: [],
  // It follows the order of a cross join.
  joinsByLookup: { begin: [], end: [] },
  // The queries name the index that they follow.
  gatherStatistics: () => [],
  reusePlan: [],
  // Nothing else ends a statement that is running.
  inTime: [`${inTimeFunction}()`],
  rowLevelSecurity: null,
}

/** A bound value as a column of a kind stores it. Numbers and texts are stored as they are. */
export const boundValue = (kind: ColumnKind, parameter: string): string => {
  if (kind === 'uuid') return sqliteDialect.uuid(parameter)
  return kind === 'decimal' ? sqliteDialect.decimal(parameter) : parameter
}
