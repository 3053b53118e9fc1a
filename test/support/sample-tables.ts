import { catalog } from '#contract'
import { type Cell, CivilTime, proposeMapping, type SampleTable, writeProposal } from '#mapping'

type Kind = NonNullable<SampleTable['types']>[number]['kind']

interface DatabaseTable {
  readonly columns: { readonly [name: string]: Kind }
  readonly key?: readonly string[]
  readonly unique?: readonly (readonly string[])[]
  /** Column: table.column; several separated by commas. */
  readonly to?: { readonly [columns: string]: string }
  readonly rows?: readonly (readonly Cell[])[]
}

/** A table of a database, as a proposal sees it. */
export const databaseTable = (name: string, table: DatabaseTable): SampleTable => {
  const { columns, key = [], unique = [], to = {}, rows = [] } = table
  const kinds = Object.values(columns)
  const cellOf = (cell: Cell, kind: Kind | undefined): Cell =>
    typeof cell === 'string' && (kind === 'date' || kind === 'time') ? new CivilTime(cell) : cell
  return {
    name,
    title: name.slice(name.lastIndexOf('.') + 1),
    from: `{ sql: 'select * from ${name}' }`,
    joinFrom: `{ sql: 'select * from ${name}' }`,
    columns: Object.keys(columns),
    types: kinds.map((kind) => ({ kind, scale: kind === 'decimal' ? 4 : null, isNullable: true })),
    rows: rows.map((row) => row.map((cell, at) => cellOf(cell, kinds[at]))),
    rowCount: rows.length,
    isView: false,
    primaryKey: key,
    uniqueKeys: unique,
    foreignKeys: Object.entries(to).map(([own, other]) => {
      const at = other.lastIndexOf('.')
      return {
        columns: own.split(','),
        table: other.slice(0, at),
        to: other.slice(at + 1).split(','),
      }
    }),
  }
}

/** A file with a header and rows of texts, or of the given cells. */
export const fileTable = (
  name: string,
  header: string,
  rows: readonly (string | readonly Cell[])[],
): SampleTable => ({
  name,
  title: name.replace(/\.[a-z]+$/, ''),
  from: `{ files: '${name}' }`,
  columns: header.split(';'),
  rows: rows.map((row) =>
    typeof row === 'string' ? row.split(';').map((cell) => (cell === '' ? null : cell)) : row,
  ),
  rowCount: rows.length,
  isView: false,
})

/** The text of the mapping that is proposed for tables. */
export const proposalOf = (
  tables: readonly SampleTable[],
  database: string | null = null,
): string =>
  writeProposal(proposeMapping(catalog, tables), {
    ...{ brand: 'halden', timezone: 'UTC', database },
  })
