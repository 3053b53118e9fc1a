import type { Database, Dialect, Query, Session } from '#database'
import { createOccasionalLog } from '../schema/occasional-log.ts'
import { walkedKey, walkRows } from '../schema/row-walk.ts'
import type { SearchIndex } from '../schema/store-tables.ts'
import type { Table } from '../schema/tables.ts'
import { searchEntries } from './entries.ts'
import {
  createEntryChanges,
  identityBytes,
  isSearchable,
  removeEntries,
  searchedValues,
  searchTable,
} from './search-table.ts'

/**
 * Raise it if the same record gets different entries, or if a field is no longer searched. All
 * entries are then rebuilt.
 */
const rulesVersion = 1

const settingPrefix = 'search '

/** The rules that a collection's entries are built with: their version, and the fields. */
const entrySource = ({ resource }: Table): string =>
  [rulesVersion, ...resource.searchable].join(' ')

const readEntrySources = async (database: Database): Promise<ReadonlyMap<string, string>> => {
  const [rows = []] = await database.read([
    {
      text: 'select "name", "value" from "selvedge_settings" where "name" like ?1',
      values: [`${settingPrefix}%`],
    },
  ])
  return new Map(
    rows.map(([name, value]) => [(name as string).slice(settingPrefix.length), value as string]),
  )
}

const outdatedEntries = (
  sources: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, Table>,
): readonly Table[] =>
  [...tables.values()].filter((table) => {
    const stored = sources.get(table.resource.path)
    const wanted = isSearchable(table) ? entrySource(table) : undefined
    const { searchable } = table.resource
    const hasAll = searchable.every((field) => fieldsOf(stored).includes(field))
    return stored !== wanted && !(hasAll && additionsIn(stored, table).length > 0)
  })

const entryAdditions = (
  sources: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, Table>,
): readonly string[] =>
  [...tables.values()].flatMap((table) => additionsIn(sources.get(table.resource.path), table))

const additionsIn = (
  stored: string | undefined,
  { resource: { path, searchable } }: Table,
): readonly string[] => {
  const version = Number(stored?.split(' ')[0] ?? 0)
  if (version > rulesVersion) return [`another search of ${path}`]
  const unknown = fieldsOf(stored).filter((field) => !searchable.includes(field))
  return version < rulesVersion ? [] : unknown.map((field) => `the search of ${path} by ${field}`)
}

const fieldsOf = (stored: string | undefined): readonly string[] =>
  stored?.split(' ').slice(1) ?? []

const fillEntries = async (
  session: Session,
  table: Table,
  dialect: Dialect,
  log: (sentence: string) => void,
): Promise<void> => {
  const { path } = table.resource
  await session.run(removeEntries(path))
  if (!isSearchable(table)) {
    await session.run({
      text: 'delete from "selvedge_settings" where "name" = ?1',
      values: [settingPrefix + path],
    })
    return
  }
  const changes = await createEntryChanges(session, dialect, table)
  const logProgress = createOccasionalLog(log)
  const { length } = walkedKey(table)
  let count = 0
  for await (const rows of walkRows(session, table, dialect)) {
    await changes.add(
      rows.map((row) => {
        const record: unknown = JSON.parse(row[length] as string)
        return {
          owner: Number(row[0]),
          key: identityBytes(table, row.slice(1, length) as readonly string[]),
          entries: searchEntries(searchedValues(table.resource, record)),
        }
      }),
    )
    count += rows.length
    logProgress(`Migration: ${path}, ${count.toLocaleString('en')} records indexed for search.`)
  }
  await changes.apply()
  await session.run(storeSource(path, entrySource(table)))
}

const storeSource = (path: string, source: string): Query => ({
  text: [
    'insert into "selvedge_settings" ("name", "value")',
    'values (?1, ?2)',
    'on conflict ("name") do update set "value" = excluded."value"',
  ].join('\n'),
  values: [settingPrefix + path, source],
})

const storeEntryRules: Query = storeSource('', String(rulesVersion))

export const searchIndex: SearchIndex = {
  searchTable,
  readEntrySources,
  entryAdditions,
  outdatedEntries,
  fillEntries,
  storeEntryRules,
}
