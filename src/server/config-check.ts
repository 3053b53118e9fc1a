import { dirname } from 'node:path'
import {
  type Config,
  ConfigError,
  type Environment,
  isLocal,
  secretFiles,
  unknownSettings,
} from '#config'
import {
  type HostMemory,
  type HostState,
  type InspectedDatabase,
  inspectDatabase,
  sqliteFilesOf,
} from '#database'
import { imagesFolderOf } from '#images'
import { openRedis } from '#redis'
import { watchedPlaces } from '#store'
import { checkFile, createdLater, type FileRules } from './file-check.ts'
import { dataFolderOf, openHostMemory } from './host-memory.ts'
import { openServiceImages, readServiceConfig } from './service.ts'

/** One thing that was checked. */
export interface Finding {
  /** The setting, server or file that it is about. */
  readonly subject: string
  /** `error`: a server would not start or not work as intended. `warning`: it would. */
  readonly state: 'ok' | 'warning' | 'error'
  readonly message: string
}

/** The most similar of several names, if one is similar. */
type Suggest = (name: string, names: readonly string[]) => string | undefined

/**
 * Checks everything that a server would use, and writes nothing. Servers and files are checked only if
 * all values are valid.
 */
export const checkConfig = async (
  suggest: Suggest,
  environment?: Environment,
): Promise<readonly Finding[]> => {
  const names = unknownSettings(suggest, environment).map(
    ({ name, sentence }): Finding => ({ subject: name, state: 'error', message: sentence }),
  )
  const config = readValues(environment)
  if ('problems' in config) return [...config.problems, ...names]
  const groups = await Promise.all([
    checkDatabase(config),
    checkRedis(config),
    checkImages(config),
    checkFiles(config, environment),
    checkAdmin(config),
  ])
  const values: Finding = { subject: 'values', state: 'ok', message: 'All values are valid.' }
  return [values, ...names, ...groups.flat()]
}

const readValues = (
  environment: Environment | undefined,
): Config | { readonly problems: readonly Finding[] } => {
  try {
    return readServiceConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problems = error.problems.map((message): Finding => {
      const [subject = ''] = /^\w+/.exec(message) ?? []
      return { subject, state: 'error', message }
    })
    return { problems }
  }
}

const checkDatabase = async (config: Config): Promise<readonly Finding[]> => {
  const { databaseUrl } = config
  const { records, ...others } = sqliteFilesOf(databaseUrl)
  const fileFindings: Finding[] = []
  if (records !== undefined) {
    const first = await checkFile('file of records', records, databaseRules)
    fileFindings.push(first)
    // A missing file is created by the server, and one that cannot be used is an error already.
    if (!isThere(first)) return fileFindings
    for (const [name, file] of Object.entries(others)) {
      fileFindings.push(await checkFile(`file of ${name}`, file, databaseRules))
    }
  }
  try {
    const database = inspectDatabase(databaseUrl, { memory: rememberOnly(config) })
    try {
      return [...fileFindings, ...(await checkServing(database)), ...(await checkWatched(database))]
    } finally {
      await database.close()
    }
  } catch (thrown) {
    return [...fileFindings, failed('DATABASE_URL', thrown)]
  }
}

const databaseRules: FileRules = { needs: 'write', isPrivate: true, isCreated: true }

const isThere = ({ state, message }: Finding): boolean =>
  state !== 'error' && !message.endsWith(createdLater)

/** Obeys what other processes know of the servers, and keeps nothing. */
const rememberOnly = ({ redisUrl, imagesUrl }: Config): HostMemory => {
  const memory = openHostMemory({ redisUrl, folder: dataFolderOf(imagesUrl) })
  return {
    read: async () => (await memory?.read()) ?? new Map(),
    raise: async () => undefined,
    close: async () => memory?.close(),
  }
}

const checkServing = async (database: InspectedDatabase): Promise<readonly Finding[]> => {
  const problem = await database.checkServing().then(
    () => null,
    (thrown: unknown) => failed('DATABASE_URL', thrown),
  )
  const states = database.hosts?.states()
  if (!states) {
    await database.tables()
    return [problem ?? { subject: 'DATABASE_URL', state: 'ok', message: 'SQLite can be read.' }]
  }
  const hosts = states.map(hostFinding)
  const isWritable = states.some(({ role, leftOut }) => role === 'primary' && leftOut === null)
  const noPrimary = failed('DATABASE_URL', new Error('No server of the database takes writes.'))
  const isKnown = hosts.some(({ state }) => state === 'error')
  return [
    ...hosts,
    ...(problem && !isKnown ? [problem] : []),
    ...(isWritable || isKnown ? [] : [noPrimary]),
  ]
}

const hostFinding = ({ name, role, timeline, reason }: HostState): Finding => {
  const subject = `database server ${name}`
  if (reason !== null) return { subject, state: 'error', message: reason }
  const onTimeline = timeline === null ? '' : `, timeline ${timeline}`
  return { subject, state: 'ok', message: `${role}${onTimeline}` }
}

const checkWatched = async (database: InspectedDatabase): Promise<readonly Finding[]> => {
  const places = await watchedPlaces(database).catch(() => [])
  const folders = places.filter((name) => !/^s3:/i.test(name))
  return Promise.all(folders.map((folder) => checkFile('watched folder', folder, watchedRules)))
}

/** The database may be used by several machines, and a folder is watched from one. */
const watchedRules: FileRules = {
  ...{ needs: 'write', isPrivate: true, isCreated: false },
  isElsewhere: true,
}

const checkRedis = async ({ redisUrl }: Config): Promise<readonly Finding[]> => {
  if (redisUrl === null) return []
  const redis = await openRedis(redisUrl)
  try {
    await redis.run((each) => each.ping())
    return [{ subject: 'REDIS_URL', state: 'ok', message: 'Redis answers.' }]
  } catch (thrown) {
    return [failed('REDIS_URL', thrown)]
  } finally {
    redis.close()
  }
}

/** A person who reads the traffic of the operator page can take over its session. */
const checkAdmin = ({ adminPort, adminHost, adminUrl }: Config): readonly Finding[] => {
  if (adminPort === null || isLocal(adminHost) || adminUrl?.startsWith('https:')) return []
  const message = `The operator page listens on ${adminHost} without TLS. Put a proxy with TLS in front of it and set ADMIN_URL to its https address, or use 127.0.0.1.`
  return [{ subject: 'ADMIN_HOST', state: 'warning', message }]
}

const checkImages = async (config: Config): Promise<readonly Finding[]> => {
  const subject = 'IMAGES_URL'
  const folder = imagesFolderOf(config.imagesUrl)
  if (folder !== null) return [await checkFile(subject, folder, databaseRules)]
  try {
    // It signs no link.
    const images = openServiceImages(config, 'not the secret of the database', () => '')
    for await (const _ of images.ids('selvedge')) break
    return [{ subject, state: 'ok', message: 'The bucket can be read.' }]
  } catch (thrown) {
    return [failed(subject, thrown)]
  }
}

/** The files that settings name. */
const checkFiles = async (
  { ingestMaps, databaseUrl }: Config,
  environment: Environment | undefined,
): Promise<readonly Finding[]> => {
  const { records } = sqliteFilesOf(databaseUrl)
  return Promise.all([
    ...secretFiles(environment).map(([name, file]) =>
      checkFile(name, file, { ...readRules, isPrivate: true }),
    ),
    ...(ingestMaps === null ? [] : [checkFile('INGEST_MAPS', ingestMaps, readRules)]),
    ...(records === undefined
      ? []
      : [checkFile('folder of records', dirname(records), folderRules)]),
  ])
}

const readRules: FileRules = { needs: 'read', isPrivate: false, isCreated: false }
/** The files in it are private by themselves. */
const folderRules: FileRules = { needs: 'write', isPrivate: false, isCreated: true }

const failed = (subject: string, thrown: unknown): Finding => ({
  subject,
  state: 'error',
  message: thrown instanceof Error ? thrown.message : String(thrown),
})
