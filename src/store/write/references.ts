import { type Reference, type Resource, referencesOf } from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { ownerAmong } from '../schema/owners.ts'
import { type Column, columnsOf, storedValue, type Table, tableAt } from '../schema/tables.ts'

/** A collection's references to other collections that have a column, with the column's index. */
export const watchedReferences = (
  table: Table,
): readonly { readonly reference: Reference; readonly column: number }[] => {
  const columns = columnsOf(table)
  return referencesOf(table.resource).flatMap((reference) => {
    const column = columns.findIndex(({ path }) => path.join('.') === reference.field)
    return column >= 0 && reference.to !== table.resource.path ? [{ reference, column }] : []
  })
}

/**
 * Collects referenced values while records are staged and looks them up in batches, most of them
 * once. In most imports every referenced record exists, and no row has to be read again. Any other
 * reference is checked row by row.
 */
export interface ReferenceChecker {
  /** Adds the values of each watched reference. */
  add(referenced: readonly (readonly string[])[]): Promise<void>
  /** Whether a record exists for every value of a reference. */
  allExist(field: string): Promise<boolean>
}

export interface ReferenceCheckerParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
}

/** Values per reference collected before a lookup: about 10 MB. */
const collectedMax = 100_000

export const createReferenceChecker = (
  { session, dialect, tables, owner }: ReferenceCheckerParts,
  table: Table,
): ReferenceChecker => {
  const watched = watchedReferences(table).map(({ reference }) => ({
    reference,
    target: tableAt(tables, reference.to),
    values: [] as string[],
  }))
  const missing = new Set<string>()

  /** Looks up the collected values of some references in one statement. */
  const lookUp = async (references: typeof watched): Promise<void> => {
    const sought = references.filter(
      ({ reference, values }) => values.length > 0 && !missing.has(reference.field),
    )
    if (sought.length === 0) return
    const columns = sought.map(({ target }, index) => {
      const [key] = target.key as [Column]
      return [
        'exists (select 1',
        `from ${dialect.textsIn(`?${index * 2 + 1}`, 'v')}`,
        `where not exists (select 1 from ${quote(target.name)} as t`,
        `where t."owner" = ?${index * 2 + 2}`,
        `and t.${quote(key.name)} = ${storedValue(key, 'v."value"', dialect)}))`,
      ].join('\n')
    })
    const [row = []] = await session.all({
      text: `select ${columns.map((column) => `case when ${column} then 1 else 0 end`).join(',\n')}`,
      values: sought.flatMap(({ target, values }) => [
        JSON.stringify(values.splice(0).sort()),
        ownerAmong(target.resource, owner),
      ]),
    })
    for (const [index, { reference }] of sought.entries()) {
      if (row[index] !== 0) missing.add(reference.field)
    }
  }

  return {
    add: async (referenced) => {
      for (const [index, each] of watched.entries()) {
        if (missing.has(each.reference.field)) continue
        for (const value of referenced[index] ?? []) each.values.push(value)
        if (each.values.length > collectedMax) await lookUp([each])
      }
    },
    allExist: async (field) => {
      const each = watched.find(({ reference }) => reference.field === field)
      if (!each) return false
      await lookUp(watched)
      return !missing.has(field)
    },
  }
}

/** References in the order of their checks: those within the collection last. */
export const referencesInOrder = (resource: Resource): readonly Reference[] => {
  // Rows rejected by other checks may be the targets of references within the collection.
  const references = referencesOf(resource)
  const isWithin = ({ to }: Reference) => to === resource.path
  return [...references.filter((each) => !isWithin(each)), ...references.filter(isWithin)]
}
