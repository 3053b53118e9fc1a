import { type Reference, type Resource, referencesOf } from '#contract'
import { type Dialect, quote, type Session } from '#database'
import { tableAt } from '../read/list.ts'
import { ownerOf, type Table } from '../schema/tables.ts'
import { packedColumns } from './staging.ts'

/** The references of a collection to others whose values have a column, and which that is. */
export const watchedReferences = (
  table: Table,
): readonly { readonly reference: Reference; readonly column: number }[] => {
  const columns = packedColumns(table)
  return referencesOf(table.resource).flatMap((reference) => {
    const column = columns.findIndex(({ path }) => path.join('.') === reference.field)
    return column >= 0 && reference.to !== table.resource.path ? [{ reference, column }] : []
  })
}

/**
 * Gathers what records refer to while they are staged, and looks values up in order, most of them once.
 * Most imports point at nothing missing, and then no row has to be looked through for it. A
 * reference that was not met, or that is not watched, has to be asked about row by row.
 */
export interface ReferenceChecker {
  /** RowDigest what each of the watched references points at. */
  add(referenced: readonly (readonly string[])[]): Promise<void>
  /** Whether every value of a reference is there. */
  allExist(field: string): Promise<boolean>
}

export interface ReferenceCheckerParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: string
}

/** How many values of one reference are gathered before they are looked up. */
const gatheredMax = 100_000

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

  const lookUp = async ({ target, reference, values }: (typeof watched)[number]) => {
    if (missing.has(reference.field) || values.length === 0) return
    const [key] = target.key
    const text = [
      `select 1 from ${dialect.textsIn('?1', 'v')}`,
      `where not exists (select 1 from ${quote(target.name)} as t`,
      `where t."brand" = ?2 and t.${quote(key?.name ?? 'id')} = v."value") limit 1`,
    ].join(' ')
    const inOrder = JSON.stringify(values.splice(0).sort())
    const owned = ownerOf(target.resource, owner)
    const absent = await session.all({ text, values: [inOrder, owned] })
    if (absent.length > 0) missing.add(reference.field)
  }

  return {
    add: async (referenced) => {
      for (const [index, each] of watched.entries()) {
        if (missing.has(each.reference.field)) continue
        for (const value of referenced[index] ?? []) each.values.push(value)
        if (each.values.length > gatheredMax) await lookUp(each)
      }
    },
    allExist: async (field) => {
      const each = watched.find(({ reference }) => reference.field === field)
      if (!each) return false
      await lookUp(each)
      return !missing.has(field)
    },
  }
}

/** References in the order in which they are looked through: those within the collection last. */
export const referencesInOrder = (resource: Resource): readonly Reference[] => {
  // Rows taken out for other reasons may be what those within the collection point at.
  const references = referencesOf(resource)
  const within = ({ to }: Reference) => to === resource.path
  return [...references.filter((each) => !within(each)), ...references.filter(within)]
}
