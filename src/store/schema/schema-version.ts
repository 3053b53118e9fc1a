import type { Catalog } from '#contract'
import type { Query } from '#database'
import { recordingMark } from './change-tables.ts'
import { fieldsTable } from './collection-stats.ts'
import { columnsOf, sortedField, type Table } from './tables.ts'

/**
 * Every migration raises the database's generation, in the transaction that changes the tables.
 * Before each write, a program compares the generation with the last one it has seen, and inspects
 * the tables again only if they differ.
 */
export const generationQuery: Query = {
  text: 'select "value" from "selvedge_settings" where "name" = \'schema generation\'',
  values: [],
}

export const raiseGeneration: Query = {
  text: [
    'insert into "selvedge_settings" ("name", "value")',
    "values ('schema generation', '1')",
    'on conflict ("name") do update',
    'set "value" = cast(cast("selvedge_settings"."value" as integer) + 1 as text)',
  ].join('\n'),
  values: [],
}

/**
 * Programs older than generations compare only the rows of `fieldsTable`. They reject a database
 * with an unknown row: "it has records of a newer version, which this version does not know".
 * Filters are not part of those rows, so a migration that adds a filter also adds this row.
 */
export const newerMark = 'a newer version'

export const markNewer: Query = {
  text: [
    `insert into "${fieldsTable}" ("collection", "fields")`,
    "values (?1, '[]')",
    'on conflict do nothing',
  ].join('\n'),
  values: [newerMark],
}

/**
 * A row among the record fields of a database with search entries. An older program would change
 * records without their entries. It finds this unknown row and rejects writes.
 */
export const searchMark = 'search'

/**
 * A row among the record fields of a database with quarantined rows. An older program would look
 * for them in another table. It finds this unknown row and rejects writes.
 */
export const quarantineMark = 'quarantine'

/** Rows among the record fields that do not belong to a group. */
const marks: readonly string[] = [recordingMark, newerMark, searchMark, quarantineMark]

/** The schema state that a program has seen last. */
interface SeenSchema {
  readonly generation: string | null
  readonly additions: readonly string[]
}

/**
 * Decides before each write whether this program knows everything that the database has. The first
 * write always inspects the tables. The generation is read before the tables: if it becomes
 * outdated in between, the write notices that inside its transaction.
 */
export const createWriteGuard = (
  readGeneration: () => Promise<string | null>,
  readAdditions: () => Promise<readonly string[]>,
) => {
  let seen: SeenSchema | null = null
  return {
    /** Inspects the tables, so that the next `admits` of the same generation can decide. */
    inspect: async (): Promise<void> => {
      const generation = await readGeneration()
      seen = { generation, additions: await readAdditions() }
    },
    /** Whether a write may continue; false if the tables must be inspected first. */
    admits: (generation: string | null): boolean => {
      if (seen?.generation !== generation) return false
      if (seen.additions.length > 0) throw new NewerDatabaseError(seen.additions)
      return true
    },
  }
}

/** The parts of the stored schema that differ between versions. */
export interface Schema {
  /** The columns of each table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The fields of each collection's records. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** Columns such as `orders.status` that a migration has added but not filled yet. */
  readonly unfilled: ReadonlySet<string>
}

/**
 * Additions of a newer version: what the database has and the catalog does not. Records written
 * without them would be missed by its filters or lack its fields. Unfilled columns do not count:
 * the migration fills them later from all records written until then.
 */
export const additionsOf = (
  { columns, fields, unfilled }: Schema,
  catalog: Catalog,
  tables: ReadonlyMap<string, Table>,
): readonly string[] => {
  const additions: string[] = []
  for (const table of tables.values()) {
    const { name, resource } = table
    const own = new Set(['owner', 'body', ...columnsOf(table).map((each) => each.name)])
    for (const column of columns.get(name) ?? []) {
      if (own.has(column) || unfilled.has(`${name}.${column}`)) continue
      const field = sortedField(column)
      additions.push(
        field ? `sorting ${resource.path} by ${field}` : `the filter ${column} of ${resource.path}`,
      )
    }
    for (const field of fields.get(resource.path) ?? []) {
      if (Object.hasOwn(resource.fields, field)) continue
      additions.push(`the field ${field} of ${resource.path}`)
    }
  }
  for (const path of fields.keys()) {
    if (marks.includes(path) || catalog.byPath.has(path)) continue
    additions.push(`the group ${path}`)
  }
  return additions
}

/** The database has additions of a newer version, which records written here would lack. */
export class NewerDatabaseError extends Error {
  constructor(additions: readonly string[]) {
    super(
      `Nothing was written: the database belongs to a newer version of Selvedge, which has added ${listed(additions)}. This version can read it, but records that it writes would lack that. Upgrade this program, then try again.`,
    )
  }
}

const listedMax = 5

/** The first few names and the number of others, for a sentence. */
export const listed = (names: readonly string[]): string =>
  names.length <= listedMax
    ? names.join(', ')
    : `${names.slice(0, listedMax).join(', ')} and ${names.length - listedMax} more`
