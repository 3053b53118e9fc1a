import { createReadStream } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { catalog } from '#contract'
import {
  findSqliteDamage,
  inspectDatabase,
  openSqliteState,
  type Query,
  restoredFileOf,
  sqliteFilesOf,
} from '#database'
import { type CountedDatabase, countRecords } from '#store'
import { BackupError, damaged } from './backup-error.ts'
import type { BackedUpState } from './manifest.ts'
import type { BackupCopy, BackupSource, BackupVerifier, CopyProgress } from './source.ts'
import { countDifference, describeState } from './state.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

export interface SqliteSourceParts {
  readonly databaseUrl: string
  /** Gets the copies before they are compressed, and again when the archive is checked. */
  readonly temporaryFolder: string
  readonly now: () => number
}

/** The names of the files in the archive, in its order: the largest is the last. */
const names = { keys: 'keys.db', queue: 'queue.db', records: 'records.db' } as const

/** How long to wait for other writers of keys and units, which never write for long. */
const lockWaitMs = 30_000

/** The SQLite files of an installation, copied with SQLite's own backup function. */
export const createSqliteSource = (parts: SqliteSourceParts): BackupSource => ({
  begin: (onProgress) => copyFiles(parts, onProgress),
  verifier: () => openVerifier(parts),
})

const copyFiles = async (
  { databaseUrl, temporaryFolder, now }: SqliteSourceParts,
  onProgress: CopyProgress,
): Promise<BackupCopy> => {
  // Otherwise some files could be those of a killed restore, and others older.
  restoredFileOf(databaseUrl)
  const all = await existingFiles(databaseUrl)
  const { records } = all
  if (records === undefined) {
    throw new BackupError(
      `There is no database at ${sqliteFilesOf(databaseUrl)['records']}. Check DATABASE_URL.`,
    )
  }
  const locked = [all.keys, all.queue].filter((file) => file !== undefined)
  const folder = await openTemporaryFolder(temporaryFolder, now())
  try {
    const state = await openSqliteState({ unlocked: records, locked, now, waitMs: lockWaitMs })
    const copies: { readonly name: string; readonly path: string }[] = []
    try {
      await requireSpace(folder.path, state.bytes)
      let copied = 0
      for (const [kind, name] of Object.entries(names)) {
        const file = all[kind as keyof typeof names]
        if (file === undefined) continue
        const path = join(folder.path, name)
        await state.copy(file, path, (bytes) => onProgress(copied + bytes, state.bytes))
        copied += (await stat(path)).size
        copies.push({ name, path })
      }
    } finally {
      // Until then, the WAL of the database cannot begin again.
      state.close()
    }
    const described = await inspect(join(folder.path, names.records), describeState)
    return {
      installation: described.installation,
      bytes: state.bytes,
      files: copies.map(({ name, path }) => ({ name, read: () => readAndRemove(path) })),
      state: async () => ({
        engine: 'sqlite',
        method: 'sqlite',
        takenAt: new Date(state.at).toISOString(),
        ...described,
      }),
      close: folder.close,
    }
  } catch (error) {
    await folder.close()
    throw error
  }
}

/** A copy is needed once, and its space for the archive. */
async function* readAndRemove(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: readBytes }) as AsyncIterable<Uint8Array>
  await rm(path)
}

const readBytes = 1_048_576

const existingFiles = async (
  databaseUrl: string,
): Promise<{ readonly [kind in keyof typeof names]?: string }> => {
  const files: Record<string, string> = {}
  for (const [kind, file] of Object.entries(sqliteFilesOf(databaseUrl))) {
    const exists = await stat(file).then(
      (stats) => stats.isFile(),
      () => false,
    )
    if (exists) files[kind] = file
  }
  return files
}

/** Fails before anything is copied, rather than fill a disk that others use too. */
const requireSpace = async (folder: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes + reservedBytes) return
  throw new BackupError(
    `The backup needs ${megabytes(bytes + reservedBytes)} of temporary space, and ${folder} has ${megabytes(free)}. Free some space, or set TMPDIR to a folder on a larger disk.`,
  )
}

/** Left for others. */
const reservedBytes = 16 * 1_048_576

const megabytes = (bytes: number): string =>
  `${Math.ceil(bytes / 1_048_576).toLocaleString('en')} MB`

/** Reads a SQLite file that nothing else uses. */
const inspect = async <T>(
  file: string,
  read: (database: CountedDatabase) => Promise<T>,
): Promise<T> => {
  const database = inspectDatabase(`sqlite:${file}`)
  try {
    return await read({
      tables: database.tables,
      all: async (query: Query) => (await database.read([query]))[0] ?? [],
    })
  } finally {
    await database.close()
  }
}

/** Unpacks the files of an archive one after the other, and checks each. */
const openVerifier = async ({
  temporaryFolder,
  now,
}: SqliteSourceParts): Promise<BackupVerifier> => {
  const folder = await openTemporaryFolder(temporaryFolder, now())
  let checked: Awaited<ReturnType<typeof checkRecords>> | undefined

  return {
    take: async (name, content) => {
      const path = join(folder.path, 'file.db')
      const file = await open(path, 'wx', 0o600)
      await pipeline(content, file.createWriteStream())
      const [problem] = findSqliteDamage(path)
      if (problem !== undefined) throw damaged(`SQLite finds in ${name}: ${problem}`)
      if (name === names.records) checked = await inspect(path, checkRecords)
      await rm(path)
    },
    finish: async (state) => {
      if (!checked) throw damaged('it has no records')
      const { rows, ...described } = checked
      const expected = Object.entries(described).find(
        ([key, value]) => key !== 'counts' && state[key as keyof BackedUpState] !== value,
      )
      if (expected) throw damaged(`its ${expected[0]} is not that of its manifest`)
      const difference =
        countDifference(state.counts, described.counts) ?? countDifference(described.counts, rows)
      if (difference !== undefined) throw damaged(difference)
    },
    close: folder.close,
  }
}

const checkRecords = async (database: CountedDatabase) => ({
  ...(await describeState(database)),
  rows: await countRecords(catalog, database),
})
