/** Databases that are made once and copied: creating the tables takes ten times as long as a copy. */
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { type DemoRecord, openStory } from '#demo'
import { createStore, type Store, sharedOwner } from '#store'
import type { PostgresDatabases } from './postgres.ts'
import { preparedFolder } from './prepared.ts'

export type Records = { readonly [path: string]: readonly DemoRecord[] }

/** Writes records of one owner. */
export const writeRecords = (store: Store, owner: string, records: Records): Promise<void> =>
  store.write(owner, async (writer) => {
    for (const [path, each] of Object.entries(records)) {
      const resource = resourceAt(catalog, path)
      await writer.stage(resource, each)
      await writer.merge(resource)
    }
  })

/** Writes the records of the story. */
export const writeStory = async (store: Store): Promise<void> => {
  const { brand, records, shared } = await openStory()
  await writeRecords(store, sharedOwner, shared)
  await writeRecords(store, brand, records)
}

/** Writes the brand of the story without its records, and the shared records. */
export const writeStoryBrand = async (store: Store): Promise<void> => {
  const { brand, records, shared } = await openStory()
  await writeRecords(store, sharedOwner, shared)
  await writeRecords(store, brand, { brand: records['brand'] ?? [] })
}

/** What a new database holds: tables alone, or records as well. */
const contents = {
  tables: async () => undefined,
  storyBrand: writeStoryBrand,
  story: writeStory,
} satisfies { [name: string]: (store: Store) => Promise<void> }

type Content = keyof typeof contents

const fillDatabase = async (content: Content, url: string): Promise<void> => {
  const database = openDatabase(url)
  await contents[content](await createStore(catalog, database))
  await database.close()
}

/** The address of a new database on PostgreSQL with this content, which has no secret and no keys. */
export const copyOnPostgres = (
  postgres: PostgresDatabases,
  content: Content,
  name: string,
): Promise<string> =>
  postgres.copy(name, `prepared_${content}`, (url) => fillDatabase(content, url))

let made = 0

/** Puts a database at a path. It has no secret, no keys and no settings that a server makes. */
export const putDatabase = async (content: Content, path: string): Promise<void> => {
  const prepared = join(preparedFolder(), `${content}.db`)
  if (!existsSync(prepared)) {
    made += 1
    const making = `${prepared}-${process.pid}-${made}`
    await fillDatabase(content, `sqlite:${making}`)
    // Another process may have made it meanwhile; the two are alike.
    renameSync(making, prepared)
  }
  copyFileSync(prepared, path)
}
