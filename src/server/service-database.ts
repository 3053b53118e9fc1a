import type { Config } from '#config'
import { type Database, type OpenOptions, openDatabase } from '#database'
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
  config: DatabaseConfig,
  options: Parameters<typeof openDatabase>[1] = {},
): Database => openDatabase(config.databaseUrl, { ...options, ...timelinesOf(config) })

/** The timelines that other processes have seen, as an option of a database. */
export const timelinesOf = ({
  databaseUrl,
  redisUrl = null,
  imagesUrl,
}: DatabaseConfig): Pick<OpenOptions, 'memory'> => {
  if (databaseUrl.startsWith('sqlite:')) return {}
  const folder = imagesUrl === undefined ? null : dataFolderOf(imagesUrl)
  const memory = openHostMemory({ redisUrl, folder })
  return memory ? { memory } : {}
}
