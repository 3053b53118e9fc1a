import { quotedText } from '#contract'
import { createBinding } from './binding.ts'
import { type Cell, textOf } from './cell.ts'
import { naturalKeyAt } from './compile.ts'
import { addColumns } from './expression-parts.ts'
import type { CollectionMapping } from './mapping.ts'

/** Names rows as their sender knows them: by the columns of a key, not by a hashed identifier. */
export interface RowNamer {
  /** The key of a row: `order_no "B777", line "2"`. Empty if it has no column. */
  keyOf(cells: readonly Cell[]): string
  /** The natural key of the record that the row refers to at a JSON pointer; null if there is none. */
  referenceOf(pointer: string, cells: readonly Cell[]): string | null
  /** The texts of the `namingColumns` of a row, from which it can be named later. */
  textsOf(cells: readonly Cell[]): readonly (string | null)[]
}

/** `key` has the key fields of the collection, `columns` the columns of the rows in cell order. */
export const compileRowNamer = (
  mapping: CollectionMapping,
  key: readonly string[],
  columns: readonly string[],
): RowNamer => {
  const binding = createBinding(mapping, { columns, owner: '', importedAt: '' })
  const parts = [...keyColumnsOf(mapping, key)].map(
    (column) => [column, binding.cell(column, mapping.line, true)] as const,
  )
  const named = namingColumns(mapping, key).map((column) =>
    binding.cell(column, mapping.line, true),
  )
  return {
    textsOf: (cells) => named.map((read) => textOf(read(cells))),
    keyOf: (cells) =>
      parts
        .map(([column, read]) => `${column} ${quotedText(textOf(read(cells)))}`)
        .join(', ')
        .slice(0, keyLengthMax),
    referenceOf: (pointer, cells) => naturalKeyAt(mapping, binding, pointer, cells),
  }
}

/** The columns that a namer needs: of the key, and of the keys of records that a row refers to. */
export const namingColumns = (
  mapping: CollectionMapping,
  key: readonly string[],
): readonly string[] => {
  const columns = keyColumnsOf(mapping, key)
  for (const { value } of mapping.fields) {
    if (value.source.kind === 'identity') addColumns(value, columns)
  }
  return [...columns]
}

const keyColumnsOf = ({ fields }: CollectionMapping, key: readonly string[]): Set<string> => {
  const columns = new Set<string>()
  for (const { field, value } of fields) if (key.includes(field)) addColumns(value, columns)
  return columns
}

const keyLengthMax = 300
