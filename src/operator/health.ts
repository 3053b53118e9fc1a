import { setTimeout as wait } from 'node:timers/promises'
import { isBackupLate, readLastBackup } from '#backup'
import type { OperatorHealth } from '#contract'
import { type Images, imagesFolderOf } from '#images'
import type { IntakeSource } from '#intake'
import { openRedis } from '#redis'
import type { OperatorParts } from './parts.ts'
import { listSources } from './sources.ts'

type Part = OperatorHealth['parts'][number]

/** What is looked at. */
export interface HealthParts
  extends Pick<OperatorParts, 'database' | 'databaseUrl' | 'store' | 'keyDatabase' | 'now'> {
  readonly redisUrl: string | null
  readonly imagesUrl: string
  /** Opens the storage of images. */
  readonly openImages: () => Images
}

/** Each part is asked for this long, all at the same time. */
const partMs = 3_000

/** Asks every part of an installation. One that does not answer in time delays no other. */
export const readHealth = async (parts: HealthParts): Promise<OperatorHealth> => {
  const all = await Promise.all(
    Object.entries(checks).map(([part, ask]) => within(part as Part['part'], ask(parts))),
  )
  return { parts: all, hosts: parts.database.hosts?.states() ?? [] }
}

type PartState = Omit<Part, 'part'>

const within = async (part: Part['part'], answer: Promise<PartState>): Promise<Part> => {
  const ended = new AbortController()
  const late = wait(partMs, null, { signal: ended.signal, ref: false }).catch(() => null)
  try {
    const answered = await Promise.race([answer, late])
    const { state, message } = answered ?? {
      state: 'error',
      message: `There was no answer within ${partMs / 1_000} s.`,
    }
    return { part, state, message }
  } catch (error) {
    return { part, state: 'error', message: error instanceof Error ? error.message : String(error) }
  } finally {
    ended.abort()
    // It may still fail, after its time.
    answer.catch(() => undefined)
  }
}

const ok = (message: string): PartState => ({ state: 'ok', message })

const askDatabase = async ({ database }: HealthParts): Promise<PartState> => {
  await database.checkServing()
  await database.tables()
  const hosts = database.hosts?.states()
  if (!hosts) return ok('SQLite can be read.')
  const wrong = hosts.filter(({ reason }) => reason !== null)
  const takesWrites = hosts.some(({ role, leftOut }) => role === 'primary' && leftOut === null)
  if (!takesWrites) return { state: 'error', message: 'No server of the database takes writes.' }
  return wrong.length === 0
    ? ok('All servers of the database are used.')
    : {
        state: 'warning',
        message: `Servers that are not used: ${wrong.map(({ name }) => name).join(', ')}.`,
      }
}

const askMigrations = async ({ store }: HealthParts): Promise<PartState> => {
  const { additions, missingSecurity } = store
  if (additions.length > 0) {
    return {
      state: 'error',
      message: `A newer version of Selvedge has changed the tables: ${additions.join(', ')}. This version writes no records.`,
    }
  }
  if (missingSecurity !== null) {
    return { state: 'warning', message: `Row-level security is missing. ${missingSecurity}` }
  }
  return ok('The tables are those of this version.')
}

const askRedis = async ({ redisUrl }: HealthParts): Promise<PartState> => {
  if (redisUrl === null) return { state: 'off', message: 'REDIS_URL is not set.' }
  const redis = await openRedis(redisUrl)
  try {
    await redis.run((each) => each.ping())
    return ok('Redis answers.')
  } finally {
    redis.close()
  }
}

/** No brand has this name, so that a folder or a bucket lists nothing. */
const noBrand = 'selvedge-health'

const askImages = async ({ imagesUrl, openImages }: HealthParts): Promise<PartState> => {
  const images = openImages()
  try {
    for await (const _ of images.ids(noBrand)) break
    return ok(
      imagesFolderOf(imagesUrl) === null ? 'The bucket can be read.' : 'The folder can be read.',
    )
  } finally {
    await images.close()
  }
}

/** More sources are counted. */
const namedMax = 10

const askIntake = async (parts: HealthParts): Promise<PartState> => {
  const sources = await listSources(parts)
  if (sources.length === 0) return { state: 'off', message: 'There are no sources.' }
  const failing = sources.filter(({ state }) => state === 'failing')
  if (failing.length > 0) {
    const named = failing.slice(0, namedMax).map(nameOf).join(', ')
    const more = failing.length - namedMax
    const others = more > 0 ? ` and ${more} more` : ''
    return { state: 'warning', message: `Sources that fail: ${named}${others}.` }
  }
  return ok(`All ${sources.length} sources work.`)
}

const nameOf = ({ brand, kind, name }: IntakeSource): string => `${kind} ${name} of ${brand}`

const askBackup = async ({ keyDatabase, now }: HealthParts): Promise<PartState> => {
  const backup = await readLastBackup(keyDatabase)
  if (!backup) return { state: 'off', message: 'No backup was made yet: selvedge backup' }
  return isBackupLate(backup, now())
    ? {
        state: 'warning',
        message: `The last backup is from ${backup.takenAt}: the next one of its schedule is missing.`,
      }
    : ok(`The last backup is from ${backup.takenAt}.`)
}

const checks: Readonly<Record<Part['part'], (parts: HealthParts) => Promise<PartState>>> = {
  database: askDatabase,
  migrations: askMigrations,
  redis: askRedis,
  images: askImages,
  intake: askIntake,
  backup: askBackup,
}
