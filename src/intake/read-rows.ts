import { Readable } from 'node:stream'
import { type Catalog, resourceAt } from '#contract'
import {
  cutValue,
  givenSources,
  lineEnd,
  parseRow,
  type Report,
  type Source,
  SourceError,
  type StreamInput,
  tableRow,
} from '#ingest'
import type { CollectionMapping, Mapping, MappingContext } from '#mapping'
import { bodyName } from './body.ts'
import type { BatchSources } from './read-items.ts'

export interface MappedOptions {
  readonly catalog: Catalog
  readonly mapping: Mapping
  readonly brand: string
  /** The collections that may be written; null for all. */
  readonly collections: readonly string[] | null
  readonly importedAt: string
  readonly context: MappingContext
}

export interface ReadRowsOptions extends MappedOptions {
  /** Receives what is wrong with rows that no collection is made of. */
  readonly report: Report
}

/**
 * Rows in the sender's own form: each becomes a record of every collection that is made of such rows. In
 * a mapping with names of tables, a row can say which table it is of: `{ "table": …, "row": { … } }`.
 */
export const readRows = (body: Buffer, options: ReadRowsOptions): BatchSources => {
  const { catalog, mapping, importedAt, context } = options
  const sent = sentMappings(options)
  const tables = tablesOf(mapping)
  const mappings = sent.filter(({ from }) => tables.size > 0 || from.rows?.tables === null)
  const takesAll = sent.some(({ from }) => from.rows?.tables === null)
  const counts =
    tables.size > 0
      ? checkTables(body, tables, takesAll, options)
      : { items: countLines(body), named: 0 }
  if (mappings.length === 0 || (!takesAll && counts.items > 0 && counts.named === 0)) {
    throw new SourceError(
      `cannot be mapped: no collection of ${mapping.file} is made of all rows that are sent (rows: true)${tables.size > 0 ? ', and no row names one of its tables: {"table": …, "row": {…}}' : ''}`,
    )
  }
  const inputOf = (own: readonly string[] | null): StreamInput => ({
    ...{ kind: 'stream', stream: Readable.from([body]), format: 'ndjson', gzipped: false },
    ...(tables.size > 0 && { tables: own }),
  })
  const sources = mappings.map((each): Source => {
    const joined = each.join?.flatMap(({ name, from }) => {
      if (!from.rows) return []
      const input = inputOf(from.rows.tables)
      return [{ name, files: [{ name: bodyName, bytes: body.length, input }] }]
    })
    return {
      name: bodyName,
      resource: resourceAt(catalog, each.collection),
      bytes: body.length,
      input: inputOf(each.from.rows?.tables ?? null),
      mapping: each,
      ...(joined && { joined }),
      importedAt,
      context,
    }
  })
  return { items: counts.items, named: [], sources: [...sentGiven(options), ...sources] }
}

/** The tables that a mapping names, also those of joined rows. */
const tablesOf = ({ collections }: Mapping): ReadonlySet<string> =>
  new Set(
    collections.flatMap(({ from, join = [] }) =>
      [from, ...join.map((each) => each.from)].flatMap(({ rows }) => rows?.tables ?? []),
    ),
  )

/** Reports rows that no collection is made of. Counts all rows, and those of the tables. */
const checkTables = (
  body: Buffer,
  tables: ReadonlySet<string>,
  takesAll: boolean,
  { mapping, report }: ReadRowsOptions,
): { readonly items: number; readonly named: number } => {
  let [items, named, line] = [0, 0, 0]
  for (let at = 0; at < body.length; ) {
    line += 1
    const [end, next] = lineEnd(body, at)
    const row = parseRow(line, body.subarray(at, end))
    at = next
    if (row === null) continue
    items += 1
    // What cannot be read is reported by the mappings that read it.
    const table = 'value' in row ? tableRow(row.value)?.table : undefined
    const isNamed = table !== undefined && tables.has(table)
    if (isNamed) named += 1
    if (takesAll || isNamed) continue
    const reason =
      table === undefined
        ? `does not say its table, as ${mapping.file} wants: {"table": …, "row": {…}}`
        : `is a row of a table that ${mapping.file} does not name`
    const value = cutValue(table ?? ('problem' in row ? row.text : ''))
    report.add({ file: bodyName, line, field: '', value, reason, severity: 'error' })
  }
  return { items, named }
}

/** The rows that the mapping has itself, as far as the sender may write them. */
export const sentGiven = ({
  mapping,
  collections,
  catalog,
  importedAt,
  context,
}: MappedOptions): readonly Source[] =>
  givenSources(mapping.collections, { catalog, importedAt })
    .filter(({ resource }) => collections === null || collections.includes(resource.path))
    .map((source) => ({ ...source, context }))

/** The mappings of rows that are sent. Throws a `SourceError` if the batch must not use them. */
export const sentMappings = ({
  mapping,
  brand,
  collections,
}: MappedOptions): readonly CollectionMapping[] => {
  if (mapping.brand !== null && mapping.brand !== brand) {
    throw new SourceError(`cannot be mapped: ${mapping.file} is for the brand ${mapping.brand}`)
  }
  const sent = mapping.collections.filter(({ from }) => from.rows !== null)
  const forbidden = sent.find(({ collection }) => collections && !collections.includes(collection))
  if (forbidden) {
    throw new SourceError(
      `cannot be mapped: ${mapping.file} makes records of ${forbidden.collection}, which this key may not write`,
    )
  }
  return sent
}

/** Lines that are not blank. */
export const countLines = (body: Buffer): number => {
  let lines = 0
  for (let at = 0; at < body.length; ) {
    const [end, next] = lineEnd(body, at)
    if (end > at && body.toString('latin1', at, end).trim() !== '') lines += 1
    at = next
  }
  return lines
}
