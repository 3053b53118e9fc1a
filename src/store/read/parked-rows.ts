import { type Catalog, referencesOf } from '#contract'
import { type Database, literal, quote, type Row } from '#database'
import { identityColumns } from '../schema/change-tables.ts'
import { asInteger } from '../schema/collection-stats.ts'
import { keyFromBytes } from '../schema/identifier.ts'
import { ownerNumber, sharedOwner } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { parkedTable } from '../write/parking.ts'

/** A row that waits for a record it references. */
export interface ParkedRow {
  readonly collection: string
  readonly key: Key
  /** The display title of the record, such as an order number; null if it has no title field. */
  readonly title: string | null
  /** The missing reference. Other references of the row may be missing too. */
  readonly field: string
  readonly to: string
  readonly value: string
  readonly file: string
  readonly line: number
  readonly since: string
}

export interface ParkedRows {
  readonly total: number
  /** The first rows, longest waiting first. */
  readonly rows: readonly ParkedRow[]
}

export interface ParkedRequest {
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** Restricts to one collection. */
  readonly collection?: string | undefined
}

/** The rows that imports have parked. */
export interface ParkedReader {
  list(request: ParkedRequest & { readonly limit: number }): Promise<ParkedRows>
  /** Deletes parked rows and returns how many. */
  discard(request: ParkedRequest): Promise<number>
}

export const createParkedReader = (
  catalog: Catalog,
  database: Database,
  tables: ReadonlyMap<string, Table>,
): ParkedReader => {
  const { dialect } = database
  const titles = [
    'case',
    ...catalog.resources.flatMap(({ path, title }) => {
      const text = title && dialect.jsonText('"body"', title.split('.'))
      return text ? [`when "collection" = ${literal(path)} then ${text}`] : []
    }),
    'when true then null end',
  ].join('\n')
  const of = ({ owner, collection }: ParkedRequest) => ({
    where: `where "owner" = ?1${collection === undefined ? '' : ' and "collection" = ?2'}`,
    values: [ownerNumber(owner), ...(collection === undefined ? [] : [collection])],
  })

  const parseRow = (row: Row): ParkedRow => {
    const [collection, title, field, value, file, line, since, ...bytes] = row
    const path = String(collection)
    const table = tableAt(tables, path)
    const reference = referencesOf(table.resource).find((each) => each.field === field)
    return {
      collection: path,
      key: table.key.map(({ kind }, index) => keyFromBytes(kind, bytes[index] as Uint8Array)),
      title: title === null ? null : String(title),
      field: String(field),
      to: reference?.to ?? '',
      value: String(value),
      file: String(file),
      line: Number(line),
      since: String(since),
    }
  }

  return {
    list: async ({ limit, ...request }) => {
      const { where, values } = of(request)
      const [rows = [], counts = []] = await database.read([
        {
          text: [
            `select "collection", ${titles}, "field", "value", "file", "line", "since",`,
            identityColumns.map(quote).join(', '),
            `from "${parkedTable}"`,
            where,
            `order by "since", "collection", "file", "line", ${identityColumns.map(quote).join(', ')}`,
            `limit ${asInteger(`?${values.length + 1}`, dialect)}`,
          ].join('\n'),
          values: [...values, limit],
        },
        { text: [`select count(*)`, `from "${parkedTable}"`, where].join('\n'), values },
      ])
      // A newer version may have added collections that this one does not know.
      const ofCatalog = rows.filter(([collection]) => catalog.byPath.has(String(collection)))
      return { total: Number(counts[0]?.[0] ?? 0), rows: ofCatalog.map(parseRow) }
    },
    discard: (request) => {
      const { where, values } = of(request)
      const text = [`delete from "${parkedTable}"`, where].join('\n')
      const lock = request.owner === sharedOwner ? 'records' : { owner: request.owner }
      return database.write((session) => session.run({ text, values }), lock)
    },
  }
}
