import type { RecordAudit } from '#audit'
import {
  type Catalog,
  type GroupScope,
  type Resource,
  referencesOf,
  valueAt,
  wholeScope,
} from '#contract'
import { type Database, literal, quote, type Row, type SqlValue } from '#database'
import { identityColumns } from '../schema/change-tables.ts'
import { asInteger } from '../schema/collection-stats.ts'
import { keyFromBytes } from '../schema/identifier.ts'
import { ownerNumber, sharedOwner } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { forgetFiles } from '../sources/imported-files.ts'
import type { SourceKind, SourceName } from '../sources/source-states.ts'
import { countMissingParts, missingPartsQuery } from '../write/missing-parts.ts'
import { quarantineTable, quarantineVersion } from '../write/quarantine-table.ts'
import { createVersions } from '../write/versions.ts'
import { lastWriteQuery } from '../write/write-log.ts'

/** What is shown of a row of a source that cannot be stored now. */
export interface QuarantinedSummary {
  /** Short, and the same whenever the row comes again. */
  readonly id: string
  readonly collection: string
  /** The identity of its record; null if that cannot be read. */
  readonly key: Key | null
  /** The display title of the record, such as an order number; null if it has none. */
  readonly title: string | null
  /** Null for rows that a command imported. */
  readonly source: SourceName | null
  readonly file: string
  readonly line: number
  /** The first problems of the row, as reports have them. */
  readonly problems: readonly QuarantineProblem[]
  /** The record that it waits for; null if the row itself is bad. */
  readonly waitsFor: {
    readonly field: string
    readonly collection: string
    readonly value: string
  } | null
  /** The record that it is a part of, if that can be read. */
  readonly parent: { readonly collection: string; readonly id: string } | null
  readonly since: string
  readonly triedAt: string
}

/** A row of a source that cannot be stored now, as it was received. */
export interface QuarantinedRow extends QuarantinedSummary {
  /** Its columns and cells as received; null if what was received is a record. */
  readonly row: ReceivedRow | null
  /** Whether a mapping makes the record of these columns. */
  readonly isMapped: boolean
  /** The record, of a row that is one. */
  readonly record: { readonly [field: string]: unknown } | null
  /** Changes when the row comes again with other content. */
  readonly version: string
}

/** A row as its source sent it. */
export interface ReceivedRow {
  readonly columns: readonly string[]
  readonly cells: readonly unknown[]
}

/** A problem of a row, as a report has it. */
export interface QuarantineProblem {
  readonly file: string
  readonly line: number
  readonly key?: string
  readonly field: string
  readonly value: string
  readonly reason: string
  readonly severity: 'error' | 'warning'
  readonly column?: string
  readonly mappingFile?: string
  readonly mappingLine?: number
}

/** The quarantined rows of a source and a collection. */
export interface QuarantineCount {
  readonly source: SourceName | null
  readonly collection: string
  readonly rows: number
  /** Those of them that wait for a record. */
  readonly waiting: number
}

/** Rows of a collection that are parts of a record and are not stored. */
export interface MissingParts {
  readonly collection: string
  readonly rows: number
}

export interface QuarantineRequest {
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** Restricts to one collection, or to the sources of a name. */
  readonly collection?: string | undefined
  /** Rows of other collections are left out; none are by default. */
  readonly scope?: GroupScope | undefined
  readonly source?: { readonly kind?: SourceKind; readonly name: string } | undefined
  /** Restricts to these rows. */
  readonly ids?: readonly string[] | undefined
}

/** A place in the order of rows, whether or not its row is still there. */
export interface QuarantinePosition {
  readonly since: string
  readonly id: string
}

export interface QuarantinePageRequest extends QuarantineRequest {
  readonly limit: number
  readonly after?: QuarantinePosition | undefined
}

/** The rows of sources that cannot be stored now. */
export interface QuarantinedRows {
  /** The first rows after a place, longest waiting first. */
  list(
    request: QuarantinePageRequest,
  ): Promise<{ readonly total: number; readonly rows: readonly QuarantinedRow[] }>
  /**
   * The same for a server: without what was received, and fewer rows if they have many problems. Of
   * large rows the title is not read.
   */
  page(request: QuarantinePageRequest): Promise<{
    readonly total: number
    readonly rows: readonly QuarantinedSummary[]
    /** The place of the last row; null if no rows follow. */
    readonly next: QuarantinePosition | null
  }>
  /** The number of the owner's last write, for corrections of rows that are listed after it. */
  lastChange(owner: string): Promise<number>
  counts(owner: string): Promise<readonly QuarantineCount[]>
  /** How many parts of a record are not stored, by collection. */
  missingParts(owner: string, collection: string, id: string): Promise<readonly MissingParts[]>
  /** Deletes rows and returns how many. */
  discard(request: QuarantineRequest): Promise<number>
}

const shownColumns = [
  ...['id', 'collection', 'is_identified', 'source_kind', 'source_name', 'file', 'line'],
  ...['problems', 'field', 'value', 'parent', 'since', 'tried_at', ...identityColumns],
].map(quote)

/** Parsing the texts of a page takes a few milliseconds. */
const titledBytesMax = 8_192
const problemsBytesMax = 131_072

interface QuarantineParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly recordAudit: RecordAudit
}

export const createQuarantinedRows = (parts: QuarantineParts): QuarantinedRows => {
  const { catalog, database, tables, recordAudit } = parts
  const { dialect } = database
  const condition = (request: QuarantineRequest) => {
    const { owner, collection, scope = wholeScope, source, ids } = request
    const values: SqlValue[] = [ownerNumber(owner)]
    const is = (column: string, value: string) => `and "${column}" = ?${values.push(value)}`
    const where = [
      'where "owner" = ?1',
      ...(collection === undefined ? [] : [is('collection', collection)]),
      ...(scope.isWhole ? [] : [`and "collection" in (${namesIn(scope)})`]),
      ...(source ? [is('source_name', source.name)] : []),
      ...(source?.kind ? [is('source_kind', source.kind)] : []),
      ...(ids
        ? [
            `and "id" in (select i."value" from ${dialect.textsIn(`?${values.push(JSON.stringify(ids))}`, 'i')})`,
          ]
        : []),
    ]
    return { where, values }
  }
  const namesIn = (scope: GroupScope): string =>
    catalog.resources
      .filter(({ path }) => scope.has(path))
      .map(({ path }) => literal(path))
      .join(', ')
  /** Selects rows with some columns after those that are shown. */
  const select = async (
    { limit, after, ...request }: QuarantinePageRequest,
    columns: readonly string[],
  ) => {
    const { where, values } = condition(request)
    const page = [...values]
    const isAfter =
      after === undefined
        ? []
        : [`and ("since", "id") > (?${page.push(after.since)}, ?${page.push(after.id)})`]
    const [rows = [], counts = []] = await database.read([
      {
        text: [
          `select ${[...shownColumns, ...columns].join(', ')}`,
          `from "${quarantineTable}"`,
          ...where,
          ...isAfter,
          'order by "since", "id"',
          `limit ${asInteger(`?${page.length + 1}`, dialect)}`,
        ].join('\n'),
        values: [...page, limit],
      },
      { text: ['select count(*)', `from "${quarantineTable}"`, ...where].join('\n'), values },
    ])
    // A newer version may have added collections that this one does not know.
    const ofCatalog = rows.filter(([, collection]) => catalog.byPath.has(String(collection)))
    return { total: Number(counts[0]?.[0] ?? 0), rows: ofCatalog }
  }
  return {
    list: async (request) => {
      const { total, rows } = await select(request, ['"body"', '"row"', '"mapping"'])
      return { total, rows: rows.map((row) => parseRow(tables, row)) }
    },
    page: async (request) => {
      const { total, rows } = await select(request, [
        `case when "bytes" <= ${titledBytesMax} then "body" end`,
      ])
      let bytes = 0
      const shown = rows.filter((row, index) => {
        bytes += String(row[problemsAt]).length
        return index === 0 || bytes <= problemsBytesMax
      })
      const isLast = rows.length < request.limit && shown.length === rows.length
      const page = shown.map((row) => parseSummary(tables, row))
      return { total, rows: page, next: isLast ? null : (page.at(-1) ?? null) }
    },
    lastChange: async (owner) => {
      const [[row] = []] = await database.read([lastWriteQuery(ownerNumber(owner))])
      return Number(row?.[0] ?? 0)
    },
    counts: async (owner) => {
      const [rows = []] = await database.read([
        {
          text: [
            'select "source_kind", "source_name", "collection", count(*),',
            `sum(case when "reason" = 'reference' then 1 else 0 end)`,
            `from "${quarantineTable}"`,
            'where "owner" = ?1',
            'group by "source_kind", "source_name", "collection"',
            'order by "source_kind", "source_name", "collection"',
          ].join('\n'),
          values: [ownerNumber(owner)],
        },
      ])
      return rows.map(([kind, name, collection, count, waiting]) => ({
        source: sourceOf(kind, name),
        collection: String(collection),
        rows: Number(count),
        waiting: Number(waiting),
      }))
    },
    missingParts: async (owner, collection, id) => {
      const parts = catalog.resources.filter(
        (each) => parentReference(each)?.to === collection && each.path !== collection,
      )
      if (parts.length === 0) return []
      const paths = parts.map(({ path }) => path)
      const query = missingPartsQuery(ownerNumber(owner), id, paths, dialect)
      const [rows = []] = await database.read([query])
      return rows.map(([path, count]) => ({ collection: String(path), rows: Number(count) }))
    },
    discard: (request) => {
      const { where, values } = condition(request)
      const query = {
        text: [`delete from "${quarantineTable}"`, ...where].join('\n'),
        values,
      }
      const files = {
        text: ['select "file"', `from "${quarantineTable}"`, ...where].join('\n'),
        values,
      }
      const lock = request.owner === sharedOwner ? 'records' : { owner: request.owner }
      return database.write(async (session) => {
        await session.run(forgetFiles(files))
        const discarded = await session.run(query)
        const number = ownerNumber(request.owner)
        const changed = await countMissingParts(session, number, tables.values())
        const versions = createVersions(session, dialect, number)
        for (const path of changed) versions.add(path)
        if (discarded > 0) {
          const details = { rows: discarded, collection: request.collection ?? null }
          await recordAudit(session, { action: 'rows.discarded', brand: request.owner, details })
        }
        if (changed.length > 0) await versions.assign()
        return discarded
      }, lock)
    },
  }
}

const problemsAt = shownColumns.indexOf(quote('problems'))

const parseRow = (tables: ReadonlyMap<string, Table>, row: Row): QuarantinedRow => {
  const [body, received, mapping] = row.slice(shownColumns.length)
  return {
    ...parseSummary(tables, row),
    row: received === null ? null : JSON.parse(String(received)),
    isMapped: mapping !== null,
    record: parseRecord(body),
    version: quarantineVersion(received ?? null, body ?? null),
  }
}

const parseRecord = (body: SqlValue | undefined): QuarantinedRow['record'] =>
  body === null ? null : JSON.parse(String(body))

/** Parses the columns that are shown, and the record for its title. */
const parseSummary = (tables: ReadonlyMap<string, Table>, row: Row): QuarantinedSummary => {
  const [id, path, isIdentified, kind, name, file, line, problems, field, value, ...rest] = row
  const [parent, since, triedAt, ...bytes] = rest
  const collection = String(path)
  const { resource, key } = tableAt(tables, collection)
  const place = { file: String(file), line: Number(line) }
  const reference = referencesOf(resource).find((each) => each.field === field)
  const waitsFor =
    field === null
      ? null
      : { field: String(field), collection: reference?.to ?? '', value: String(value) }
  const reported: readonly QuarantineProblem[] = JSON.parse(String(problems))
  const to = parentReference(resource)?.to
  return {
    id: String(id),
    collection,
    key:
      Number(isIdentified) === 1
        ? key.map((column, index) => keyFromBytes(column.kind, bytes[index] as Uint8Array))
        : null,
    title: titleOf(resource, row[shownColumns.length]),
    source: sourceOf(kind, name),
    ...place,
    problems: reported.length === 0 && waitsFor ? [missingRecord(place, waitsFor)] : reported,
    waitsFor,
    parent: parent === null || !to ? null : { collection: to, id: String(parent) },
    since: String(since),
    // Empty if it is to be tried with the next write.
    triedAt: String(triedAt || since),
  }
}

/** The reference of a part to its parent. */
export const parentReference = (resource: Resource) =>
  referencesOf(resource).find(({ field }) => field === resource.parent)

const sourceOf = (kind: SqlValue | undefined, name: SqlValue | undefined): SourceName | null =>
  kind === null || kind === undefined ? null : { kind: kind as SourceKind, name: String(name) }

const titleOf = ({ title }: Resource, body: SqlValue | undefined): string | null => {
  const record = title === undefined ? null : parseRecord(body)
  const value = title && record ? valueAt(record, title.split('.')) : null
  return value === null || value === undefined ? null : String(value)
}

/** The problem of a row that waits for a record. */
const missingRecord = (
  place: Pick<QuarantineProblem, 'file' | 'line'>,
  { field, collection, value }: NonNullable<QuarantinedRow['waitsFor']>,
): QuarantineProblem => ({
  ...place,
  field: `/${field.replaceAll('.', '/')}`,
  value,
  reason: `refers to a record of ${collection} that is not stored`,
  severity: 'warning',
})
