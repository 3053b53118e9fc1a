import type { Database, Query } from '#database'

/** Reads a setting; undefined if it is not stored. */
export const readSetting = async (
  database: Database,
  name: string,
): Promise<string | undefined> => {
  const [rows = []] = await database.read([settingQuery(name)])
  return rows[0]?.[0] as string | undefined
}

/** Reads a setting, and creates it on first use. Concurrent processes all get the same value. */
export const readOrCreateSetting = async (
  database: Database,
  name: string,
  create: () => string,
): Promise<string> => {
  const stored = await readSetting(database, name)
  if (stored !== undefined) return stored
  return database.write(async (session) => {
    await session.run({
      text: [
        'insert into "selvedge_settings" ("name", "value")',
        'values (?1, ?2)',
        'on conflict do nothing',
      ].join('\n'),
      values: [name, create()],
    })
    const [row] = await session.all(settingQuery(name))
    return String(row?.[0])
  })
}

const settingQuery = (name: string): Query => ({
  text: 'select "value" from "selvedge_settings" where "name" = ?1',
  values: [name],
})
