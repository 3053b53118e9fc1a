import type { Read } from './binding.ts'
import { keyPartOf } from './cell.ts'
import { CellError } from './cell-error.ts'
import { type FoundRecord, foldLookup, type LookupTable, lookupOf, lookupText } from './context.ts'
import type { ValueSource } from './mapping.ts'

/**
 * Compiles a lookup to the identity of the only record with the values of a row. Upper and lower case
 * are the same, unless a record has the text exactly. Without values, there is no record.
 */
export const compileLookup = (
  source: Extract<ValueSource, { readonly kind: 'lookup' }>,
  values: readonly Read[],
  { table, hasDefault }: { readonly table: LookupTable; readonly hasDefault: boolean },
): Read => {
  const { collection, fields } = lookupOf(source)
  const what = `the ${fields.join(' and ')}`
  return (cells) => {
    const parts = values.map((read) => keyPartOf(read(cells)))
    if (parts.every((part) => part === null)) return null
    const text = lookupText(parts)
    const shown = parts.map((part) => part ?? '').join(' / ')
    if (text === null) throw new CellError(`has only a part of ${what} of ${collection}`, shown)
    const ids = idsOf(table.get(foldLookup(text)) ?? [], text)
    const [only] = ids
    if (ids.length === 1 && only) return only
    if (only) {
      const more = ids.length > shownMax ? ', …' : ''
      throw new CellError(
        `is ${what} of ${ids.length.toLocaleString('en')} records of ${collection} (${ids.toSorted().slice(0, shownMax).join(', ')}${more}): look the record up by further fields, or refer to it by its key`,
        shown,
      )
    }
    if (hasDefault) return null
    throw new CellError(
      `is ${what} of no record of ${collection}: import that record first, correct the row, or add default: null`,
      shown,
    )
  }
}

/** Candidates that a problem names. */
const shownMax = 3

const idsOf = (records: readonly FoundRecord[], text: string): readonly string[] => {
  const exact = records.filter(([each]) => each === text)
  return (exact.length > 0 ? exact : records).map(([, id]) => id)
}
