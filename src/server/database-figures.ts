import { statSync } from 'node:fs'
import type { Config } from '#config'
import { type Database, sqliteFilesOf } from '#database'
import type { DatabaseFigures } from '#observability'

/** Reads the figures of a database for metrics. */
export const databaseFigures = (
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  database: Database,
): (() => DatabaseFigures) => {
  const files = Object.entries(sqliteFilesOf(databaseUrl))
  return () => ({
    hosts: database.hosts?.states() ?? [],
    ...database.figures(),
    walBytes: Object.fromEntries(files.map(([name, file]) => [name, sizeOf(`${file}-wal`)])),
  })
}

/** A file that is missing, or cannot be read any more, takes no space. */
const sizeOf = (file: string): number => {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
