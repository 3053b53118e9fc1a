import { composeText } from '#contract'
import { nearest } from '#request'
import type { Cell } from './cell.ts'
import { type Lookup, type LookupTable, lookupName, type MappingContext } from './context.ts'
import type { BrandValues, CollectionMapping, FieldMapping } from './mapping.ts'
import { MappingError, type MappingProblem } from './mapping-error.ts'
import { checkedCell } from './problem-cell.ts'
import { createRowWork, type RowWork } from './row-work.ts'

/** The columns of the rows and the values that all of them share. */
export interface BindingOptions {
  /** The brand, or `sharedOwner`. It is part of every identity. */
  readonly owner: string
  /** The columns of the rows, in cell order. */
  readonly columns: readonly string[]
  /** The time of the import, for fields without an earlier time. */
  readonly importedAt: string
  /** The values of `{ brand: … }`; null if the records belong to no brand. */
  readonly brand?: BrandValues | null
  /** Records that the mapping looks up, by `lookupName`. */
  readonly lookups?: MappingContext['lookups']
}

/** The rows lack columns that the mapping uses. */
export class ColumnError extends Error {}

export type Read = (cells: readonly Cell[]) => Cell

/** Resolves columns to cells, and collects missing columns. */
export interface Binding {
  readonly owner: string
  readonly importedAt: string
  readonly brand: BrandValues | null
  readonly work: RowWork
  /** The fields of the mapping. */
  readonly fields: readonly FieldMapping[]
  cell(column: string, line: number, optional: boolean): Read
  /** The same, for values: throws a `CellError` if a row plan could not make the cell. */
  value(column: string, line: number, optional: boolean): Read
  /** A property of the brand; null if there is no brand. */
  brandValue(property: keyof BrandValues, line: number): string | null
  lookup(lookup: Lookup): LookupTable
  /** Throws if a column is missing or ambiguous, or if there is no brand and an expression needs it. */
  check(): void
}

export const createBinding = (
  { file, fields, made = [] }: CollectionMapping,
  { columns, owner, importedAt, brand = null, lookups }: BindingOptions,
): Binding => {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [index, column] of columns.entries()) {
    const name = columnName(column)
    if (places.has(name)) repeated.add(name)
    else places.set(name, index)
  }
  const madeNames = new Set(made.map(columnName))
  const withoutBrand: MappingProblem[] = []
  const issues = new Map<string, string>()
  const cellOf = (column: string, line: number, optional: boolean): Read => {
    const name = columnName(column)
    const at = places.get(name)
    if (at === undefined) {
      if (!optional && !issues.has(name)) issues.set(name, missing(column, columns, file, line))
      return () => null
    }
    if (repeated.has(name)) {
      issues.set(
        name,
        `column ${JSON.stringify(column)} (${file}:${line}) is there twice; rename one of them`,
      )
    }
    return (cells) => cells[at] ?? null
  }
  return {
    owner,
    importedAt,
    brand,
    work: createRowWork(),
    fields,
    cell: cellOf,
    value: (column, line, optional) => {
      const read = cellOf(column, line, optional)
      return madeNames.has(columnName(column)) ? (cells) => checkedCell(read(cells)) : read
    },
    brandValue: (property, line) => {
      if (brand !== null) return brand[property]
      withoutBrand.push({
        line,
        message: `{ brand: ${property} } needs records of one brand, and these are shared by all`,
      })
      return null
    },
    lookup: (lookup) => {
      const table = lookups?.get(lookupName(lookup))
      if (!table) throw new Error(`The records of ${lookup.collection} were not read.`)
      return table
    },
    check: () => {
      if (withoutBrand.length > 0) throw new MappingError(file, withoutBrand)
      if (issues.size === 0) return
      const shown = columns
        .slice(0, columnsShownMax)
        .map((each) => each.trim())
        .filter(Boolean)
      const more = columns.length > columnsShownMax ? ', …' : ''
      throw new ColumnError(
        [
          'does not have the columns that the mapping uses:',
          ...[...issues.values()].map((each) => `  ${each}`),
          `  its columns are ${shown.join(', ')}${more}`,
        ].join('\n'),
      )
    },
  }
}

const columnsShownMax = 60

/** Header names are compared without surrounding spaces and in composed form. */
export const columnName = (column: string): string => composeText(column.trim())

const missing = (
  column: string,
  columns: readonly string[],
  file: string,
  line: number,
): string => {
  const meant = nearest(column, columns)
  const advice = meant ? `; did you mean ${JSON.stringify(meant)}?` : ''
  return `no column ${JSON.stringify(column)} (${file}:${line})${advice}`
}
