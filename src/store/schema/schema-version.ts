import type { Catalog } from '#contract'
import type { Query } from '#database'
import { recordingMark } from './change-tables.ts'
import { fieldsTable } from './collection-stats.ts'
import { columnsOf, sortedField, type Table } from './tables.ts'

/**
 * Every migration raises the database's generation, in the transaction that changes the tables.
 * A program compares it before each write with the one it has last seen. Only when it differs are
 * the tables compared again.
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
 * Programs from before generations compare nothing but the rows of `fieldsTable`, and refuse a
 * database with a row they do not know: "it has records of a newer version, which this version does
 * not know". Filters are not part of those rows, so a migration that adds a filter adds this row too.
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
 * A row among the record fields of a database with entries. A program from before would change records
 * and not their entries; it finds a row that it does not know, and refuses to write.
 */
export const searchMark = 'search'

/** Rows among the record fields that are not those of a group. */
const marks: readonly string[] = [recordingMark, newerMark, searchMark]

/** What a program has last seen of the database's schema. */
interface SeenSchema {
  readonly generation: string | null
  readonly additions: readonly string[]
}

/**
 * Decides before each write whether this program knows everything that the database has. At first
 * nothing has been seen, so that the first write inspects the tables. The generation is read before
 * the tables: if it is outdated by then, the write notices that inside its transaction.
 */
export const createWriteGuard = (
  readGeneration: () => Promise<string | null>,
  readAdditions: () => Promise<readonly string[]>,
) => {
  let seen: SeenSchema | null = null
  return {
    /** Inspects the tables, so that the next `admits` of the same generation has an answer. */
    inspect: async (): Promise<void> => {
      const generation = await readGeneration()
      seen = { generation, additions: await readAdditions() }
    },
    /** Whether a write may continue; false when the tables have to be inspected first. */
    admits: (generation: string | null): boolean => {
      if (seen?.generation !== generation) return false
      if (seen.additions.length > 0) throw new NewerDatabaseError(seen.additions)
      return true
    },
  }
}

/** What the database has, as far as versions differ. */
export interface Schema {
  /** The columns of each table. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** The fields of each collection's records. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  /** Columns such as `orders.status` that a migration has added and not yet filled. */
  readonly unfilled: ReadonlySet<string>
}

/**
 * What the database has and the catalog does not: additions of a newer version. Records written
 * without them would be missed by its filters, or lack its fields. A column that is not filled yet
 * does not count: the migration fills it from what has been written until then.
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

/** The first few of many, for a sentence. */
export const listed = (names: readonly string[]): string =>
  names.length <= listedMax
    ? names.join(', ')
    : `${names.slice(0, listedMax).join(', ')} and ${names.length - listedMax} more`
