import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openSqliteTables } from '#database'
import { type ReadArchiveOptions, readArchive } from './archive-reader.ts'
import { type BackupError, damaged } from './backup-error.ts'
import { readCopyText } from './copy-text.ts'
import type { BackupManifest } from './manifest.ts'
import {
  type DescribedTables,
  isLeftOut,
  parseTables,
  postgresFiles,
  rowsText,
} from './postgres-source.ts'
import {
  type LoadedDatabase,
  type LoadedTable,
  partOf,
  postgresTables,
  type TableLoader,
} from './table-loader.ts'

/** Called with the name of a table and the number of rows so far. */
export type LoadProgress = (table: string, rows: number) => void

export interface LoadParts extends Pick<ReadArchiveOptions, 'secret'> {
  readonly archive: AsyncIterable<Uint8Array>
  readonly onProgress: LoadProgress
}

/** The files of a backup of SQLite, by the names that they have in the folder of a restore. */
export const sqliteNames: { readonly [name: string]: string } = {
  'records.db': 'records.db',
  'keys.db': 'records.keys.db',
  'queue.db': 'records.queue.db',
}

/** Unpacks a backup of SQLite into a folder. */
export const unpackSqlite = async (
  { archive, secret = null }: LoadParts,
  folder: string,
): Promise<BackupManifest> =>
  readArchive(archive, {
    secret,
    onFile: async (name, content) => {
      const own = sqliteNames[name]
      if (own === undefined) throw unexpected(name)
      await pipeline(content, createWriteStream(join(folder, own), { flags: 'wx', mode: 0o600 }))
    },
  })

/** Loads a backup of PostgreSQL into tables. Nothing may be committed before it returns. */
export const loadPostgres = async (
  { archive, secret = null, onProgress }: LoadParts,
  loader: TableLoader,
): Promise<BackupManifest> => {
  let tables: DescribedTables | undefined
  const manifest = await readArchive(archive, {
    secret,
    onFile: async (name, content) => {
      if (name === postgresFiles.tables) {
        tables = await parseTables(content)
        await loader.begin(tables.tables)
      } else if (tables && (name === postgresFiles.rows || name === postgresFiles.dump)) {
        await loadText(await rowsText(name, content, tables), loader, onProgress)
      } else throw unexpected(name)
    },
  })
  await loader.finish()
  return manifest
}

const loadText = async (
  text: AsyncIterable<Uint8Array>,
  loader: TableLoader,
  onProgress: LoadProgress,
): Promise<void> => {
  let total = 0
  for await (const { name, columns, rows } of readCopyText(text)) {
    if (rows.length === 0) continue
    await loader.insertText(name, columns, rows)
    total += rows.length
    onProgress(name, total)
  }
}

const unexpected = (name: string): BackupError =>
  damaged(`it has a file ${JSON.stringify(name.slice(0, 100))} that is not expected`)

/** Loads the unpacked files of a backup of SQLite into tables of PostgreSQL. */
export const loadSqlite = async (
  folder: string,
  target: LoadedDatabase,
  loader: TableLoader,
  onProgress: LoadProgress,
): Promise<void> => {
  const paths = Object.values(sqliteNames).map((name) => join(folder, name))
  const files = paths.filter((path) => existsSync(path)).map(openSqliteTables)
  try {
    const typed = await postgresTables(target)
    const tables = new Map<string, LoadedTable>()
    for (const [name, columns] of files.flatMap((file) => [...file.tables])) {
      // The files were migrated: what this version does not have is left of an earlier one.
      if (isLeftOut(name) || !typed.has(name)) continue
      const types = new Map(typed.get(name)?.columns.map((each) => [each.name, each.type]))
      tables.set(name, {
        name,
        columns: columns.map((column) => ({ name: column, type: types.get(column) ?? 'unknown' })),
      })
    }
    await loader.begin([...tables.values()])
    let total = 0
    for (const file of files) {
      for (const [name, columns] of file.tables) {
        const table = tables.get(name)
        if (!table) continue
        const rows = file.rows(
          name,
          table.columns.map((column) => partOf(column.name, column.type)),
        )
        const counted = function* () {
          for (const row of rows) {
            total += 1
            yield row
          }
        }
        await loader.insert(name, columns, counted())
        onProgress(name, total)
      }
    }
    await loader.finish()
  } finally {
    for (const file of files) file.close()
  }
}
