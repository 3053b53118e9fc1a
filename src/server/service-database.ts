import type { Config } from '#config'
import { type Database, openDatabase } from '#database'
import { dataFolderOf, openHostMemory } from './host-memory.ts'

/** The settings of a database and of the places where facts about its servers are kept. */
export type DatabaseConfig = Pick<Config, 'databaseUrl'> &
  Partial<Pick<Config, 'redisUrl' | 'imagesUrl'>>

/** Those settings alone, which a thread can receive. */
export const databaseConfigOf = ({
  databaseUrl,
  redisUrl = null,
  imagesUrl,
}: DatabaseConfig): DatabaseConfig => ({
  databaseUrl,
  redisUrl,
  ...(imagesUrl !== undefined && { imagesUrl }),
})

/** Opens a database that obeys the timelines that other processes have seen. */
export const openServiceDatabase = (
  { databaseUrl, redisUrl = null, imagesUrl }: DatabaseConfig,
  options: Parameters<typeof openDatabase>[1] = {},
): Database => {
  const memory = databaseUrl.startsWith('sqlite:')
    ? undefined
    : openHostMemory({ redisUrl, folder: imagesUrl === undefined ? null : dataFolderOf(imagesUrl) })
  return openDatabase(databaseUrl, { ...options, ...(memory && { memory }) })
}
