import { type Reference, type Resource, referencesOf } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { packedColumns, type StagedRows } from './staging.ts'
import { ownerOf, type Table } from './tables.ts'

/**
 * Gathers what records refer to while they are staged, and looks each value up once, in order.
 * Most imports point at nothing missing, and then no row has to be looked through for it. A
 * reference that was not met, or whose column is not kept, has to be asked about row by row.
 */
export interface MetReferences {
  note(rows: StagedRows): Promise<void>
  /** Whether every value of a reference is there. */
  met(field: string): Promise<boolean>
}

export interface MetReferencesParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: string
}

/** How many values of one reference are gathered before they are looked up. */
const gatheredMax = 200_000

export const openMetReferences = (
  { session, dialect, tables, owner }: MetReferencesParts,
  table: Table,
): MetReferences => {
  const columns = packedColumns(table)
  const width = columns.length + 1
  const watched = referencesOf(table.resource).flatMap((reference) => {
    const column = columns.findIndex(({ path }) => path.join('.') === reference.field)
    const target = tables.get(reference.to)
    const isWatched = column >= 0 && target && target.name !== table.name
    return isWatched ? [{ column, target, reference, values: new Set<SqlValue>() }] : []
  })
  const unmet = new Set<string>()

  const lookUp = async ({ target, reference, values }: (typeof watched)[number]) => {
    if (unmet.has(reference.field) || values.size === 0) return
    const [key] = target.key
    const text = [
      `select 1 from ${dialect.textsIn('?1', 'v')}`,
      `where not exists (select 1 from ${quote(target.name)} as t`,
      `where t."brand" = ?2 and t.${quote(key?.name ?? 'id')} = v."value") limit 1`,
    ].join(' ')
    const inOrder = JSON.stringify([...values].sort())
    values.clear()
    const owned = ownerOf(target.resource, owner)
    const missing = await session.all({ text, values: [inOrder, owned] })
    if (missing.length > 0) unmet.add(reference.field)
  }

  return {
    note: async ({ cells }) => {
      for (const each of watched) {
        if (unmet.has(each.reference.field)) continue
        for (let at = each.column; at < cells.length; at += width) {
          const value = cells[at] ?? null
          if (value !== null) each.values.add(value)
        }
        if (each.values.size > gatheredMax) await lookUp(each)
      }
    },
    met: async (field) => {
      const each = watched.find(({ reference }) => reference.field === field)
      if (!each) return false
      await lookUp(each)
      return !unmet.has(field)
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
