import { isJsonObject, type JsonValue, type Resource, resourceAt, writeIdentity } from '#contract'
import {
  cutValue,
  lineEnd,
  namesOf,
  parseRow,
  type Report,
  receiveCells,
  type Source,
  SourceError,
  type SourceRow,
  sourceRow,
} from '#ingest'
import {
  type Cell,
  type CollectionMapping,
  cellsOf,
  columnsOf,
  compileMapping,
  compileRowNamer,
  type RowMapper,
} from '#mapping'
import { sharedOwner } from '#store'
import { bodyName } from './body.ts'
import type { BatchSources } from './read-items.ts'
import { type MappedOptions, sentGiven, sentMappings } from './read-rows.ts'

export interface ReadEventsOptions extends MappedOptions {
  /** Receives what is wrong with events that no collection can be found for. */
  readonly report: Report
}

/**
 * Events of Debezium, one on each line, with or without their schema: rows of a database before and
 * after a change, which a mapping makes records and removals of. Of several events for one record, the
 * last one counts.
 */
export const readEvents = (body: Buffer, options: ReadEventsOptions): BatchSources => {
  const { mapping, report } = options
  const sent = sentMappings(options)
  const made = sent.find(({ join, group }) => join || group)
  if (made) {
    throw new SourceError(
      `cannot be mapped: ${made.file}:${made.line} makes ${made.collection} of several rows, and an event has one. Post the rows, or use selvedge sync`,
    )
  }
  const targets = sent.map((each) => createTarget(each, options))
  const add = (line: number, reason: string, value: unknown, severity: 'error' | 'warning') =>
    report.add({ file: bodyName, line, field: '', value: cutValue(value), reason, severity })
  let items = 0
  let line = 0
  for (let at = 0; at < body.length; ) {
    line += 1
    const [end, next] = lineEnd(body, at)
    const row = parseRow(line, body.subarray(at, end))
    at = next
    if (row === null) continue
    items += 1
    const event = parseEvent(row)
    // A tombstone follows the event of a deletion, for logs that keep the last message of each key.
    if (event === 'tombstone') continue
    if ('reason' in event) {
      add(line, event.reason, event.value, 'error')
      continue
    }
    const concerned = targets.filter(({ takes }) => takes(event))
    if (concerned.length === 0) {
      add(line, `is an event of a table that ${mapping.file} does not name`, event.table, 'warning')
    }
    for (const target of concerned) target.add(line, event)
  }
  const sources = targets.filter(({ hasRows }) => hasRows()).map(({ source }) => source)
  return { items, named: [], sources: [...sentGiven(options), ...sources] }
}

type ColumnValues = { readonly [name: string]: JsonValue }

/** A change of a row. */
interface RowEvent {
  readonly table: string
  /** With the schema, where the database has any. */
  readonly qualifiedTable: string
  readonly before: ColumnValues | null
  readonly after: ColumnValues | null
}

interface EventProblem {
  readonly reason: string
  readonly value: unknown
}

/** Operations with a row: created, updated, read by a snapshot, deleted. */
const rowOperations: { readonly [op: string]: 'after' | 'before' } = {
  c: 'after',
  u: 'after',
  r: 'after',
  d: 'before',
}

const parseEvent = (row: SourceRow): RowEvent | EventProblem | 'tombstone' => {
  if ('problem' in row) return { reason: row.problem, value: row.text }
  if (!('value' in row)) return { reason: 'is not an event of Debezium', value: '' }
  const message = row.value
  const event = isJsonObject(message) && 'payload' in message ? message['payload'] : message
  if (event === null) return 'tombstone'
  if (!isJsonObject(event) || typeof event['op'] !== 'string') {
    return { reason: 'is not an event of Debezium: it has no op', value: event }
  }
  const { op, source, before = null, after = null } = event
  const origin = isJsonObject(source) ? source : {}
  const table = String(origin['table'] ?? '')
  if (op === 't') {
    const reason =
      'says that a table was truncated, which removes nothing here: import it with --replace'
    return { reason, value: table }
  }
  const needed = Object.hasOwn(rowOperations, op) ? rowOperations[op] : undefined
  if (!needed) return { reason: 'has an op that is not supported', value: op }
  const values = { before, after }
  if (!isJsonObject(values[needed])) {
    const hint =
      needed === 'before' ? ': let the database log the old rows (REPLICA IDENTITY, row image)' : ''
    return { reason: `has no ${needed}${hint}`, value: table }
  }
  const schema = origin['schema'] ?? origin['db']
  return {
    table,
    qualifiedTable: typeof schema === 'string' ? `${schema}.${table}` : table,
    before: isJsonObject(before) ? before : null,
    after: needed === 'after' && isJsonObject(after) ? after : null,
  }
}

/** The rows of one collection that events make. */
interface Target {
  readonly source: Source
  takes(event: RowEvent): boolean
  add(line: number, event: RowEvent): void
  hasRows(): boolean
}

type MappedRow = NonNullable<ReturnType<RowMapper['map']>>
type EventRow = SourceRow & { readonly cells: readonly Cell[] }

const createTarget = (mapping: CollectionMapping, options: ReadEventsOptions): Target => {
  const { catalog, brand, importedAt, context } = options
  const resource = resourceAt(catalog, mapping.collection)
  const columns = columnsOf(mapping)
  const owner = resource.scope === 'shared' ? sharedOwner : brand
  const mapper = compileMapping(mapping, { resource, owner, columns, importedAt, ...context })
  const namer = compileRowNamer(mapping, resource.key, columns)
  const tables = mapping.from.rows?.tables ?? null
  /** The last row of each record, and the last one with problems after it, in order. */
  const rows = new Map<string, EventRow>()
  /** Of the record, also if its row has problems elsewhere. */
  const identityIn = (cells: readonly Cell[], mapped: MappedRow) =>
    identityOf(resource, 'problems' in mapped ? mapper.removal(cells) : mapped)
  const set = (line: number, cells: readonly Cell[], mapped: MappedRow) => {
    const isBad = 'problems' in mapped
    const identity = identityIn(cells, mapped)
    const name = isBad ? `bad ${identity ?? `line ${line}`}` : (identity ?? '')
    // What a later event says of the record counts, also of one that could not be read.
    for (const each of [name, `bad ${identity}`]) rows.delete(each)
    rows.set(name, { ...sourceRow(line, mapped), cells })
  }
  return {
    takes: ({ table, qualifiedTable }) =>
      tables === null || tables.includes(table) || tables.includes(qualifiedTable),
    add: (line, { before, after }) => {
      const oldCells = cellsOf(before ?? {}, columns)
      const old = before && mapper.removal(oldCells)
      if (!after) {
        if (old) set(line, oldCells, old)
        return
      }
      const cells = cellsOf(after, columns)
      const mapped = mapper.map(cells)
      // A row whose key was changed is another record: the one of the old key is gone, unless the new
      // key cannot be read. Databases that do not log old rows do not tell.
      if (old && 'removal' in old) {
        const identity = mapped && identityIn(cells, mapped)
        const isGone = identity !== undefined && identity !== identityOf(resource, old)
        if (isGone) set(line, oldCells, old)
      }
      if (mapped) set(line, cells, mapped)
    },
    hasRows: () => rows.size > 0,
    source: {
      name: bodyName,
      resource,
      bytes: null,
      mapping,
      importedAt,
      input: {
        kind: 'rows',
        rows: async function* () {
          const all = [...rows.values()]
          const { originOf } = mapper
          const receive = (cells: readonly Cell[]) =>
            receiveCells({ resource, mapper, columns }, cells)
          yield { rows: all, canonical: null, originOf, receive, names: namesOf(namer, () => all) }
        },
      },
    },
  }
}

/** Undefined for a row with problems. */
const identityOf = ({ key }: Resource, mapped: MappedRow): string | undefined => {
  if ('removal' in mapped) return writeIdentity(mapped.removal)
  if ('problems' in mapped) return undefined
  const { value } = mapped
  return writeIdentity(key.map((name) => String(value[name])))
}
