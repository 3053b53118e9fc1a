import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type HostFact, type HostMemory, outranks } from '#database'
import { fileMode, replaceFile } from '#files'
import { imagesFolderOf } from '#images'
import { createScript, openRedis, type RedisConnection } from '#redis'

/** Where facts about PostgreSQL servers are kept. */
interface MemoryPlaces {
  readonly redisUrl: string | null
  /** Null if the server keeps nothing in files. */
  readonly folder: string | null
}

/** The data folder: the one that has the folder of the images. Null if they are in a bucket. */
export const dataFolderOf = (imagesUrl: string): string | null => {
  const images = imagesFolderOf(imagesUrl)
  return images === null ? null : dirname(images)
}

/** Keeps facts in every place there is; one that works is enough. Undefined if there is none. */
export const openHostMemory = ({ redisUrl, folder }: MemoryPlaces): HostMemory | undefined => {
  const memories = [
    ...(redisUrl === null ? [] : [redisMemory(redisUrl)]),
    ...(folder === null ? [] : [fileMemory(join(folder, 'postgres-timelines.json'))]),
  ]
  if (memories.length === 0) return undefined
  return {
    read: async () => {
      const facts = new Map<string, HostFact>()
      for (const content of await inAny(memories.map(({ read }) => read()))) {
        for (const [name, fact] of content) {
          const other = facts.get(name)
          if (!other || outranks(fact, other)) facts.set(name, fact)
        }
      }
      return facts
    },
    raise: async (name, fact) => {
      await inAny(memories.map(({ raise }) => raise(name, fact)))
    },
    close: async () => {
      await Promise.all(memories.map(({ close }) => close()))
    },
  }
}

/** The results of those that succeed. Throws if none does. */
const inAny = async <T>(all: readonly Promise<T>[]): Promise<readonly T[]> => {
  const settled = await Promise.allSettled(all)
  const done = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (done.length > 0) return done
  const reasons = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  throw new Error(reasons.map(({ message }: Error) => message).join('; '))
}

/** A JSON file, replaced as a whole. A fact that another process overwrites is stored again. */
const fileMemory = (file: string): HostMemory => {
  const read = async (): Promise<ReadonlyMap<string, HostFact>> => {
    try {
      return parseFacts(await readFile(file, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
      throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  const raise = async (name: string, fact: HostFact): Promise<void> => {
    const facts = new Map(await read())
    const other = facts.get(name)
    if (other && !outranks(fact, other)) return
    const text = `${JSON.stringify(Object.fromEntries(facts.set(name, fact)), null, 1)}\n`
    const draft = `${file}.${randomUUID()}.part`
    await replaceFile(file, (part) => writeFile(part, text, { mode: fileMode, flush: true }), draft)
  }
  return {
    read,
    // One after the other, so that this process never overwrites its own facts.
    raise: (name, fact) => {
      const raised = last.then(() => raise(name, fact))
      last = raised.catch(() => undefined)
      return raised
    },
    close: async () => {
      await last
    },
  }
}

const parseFacts = (text: string): ReadonlyMap<string, HostFact> => {
  const facts = Object.entries(JSON.parse(text) as { readonly [name: string]: HostFact })
  const isFact = ({ accepts, highest, value }: HostFact) =>
    Number.isInteger(accepts) && Number.isInteger(highest) && typeof value === 'string'
  if (!facts.every(([, fact]) => isFact(fact))) throw new Error('it has another form; delete it')
  return new Map(facts)
}

const factsKey = 'selvedge:postgres-timelines'

/** A hash in Redis, with a field for each fact. */
const redisMemory = (url: string): HostMemory => {
  let opening: Promise<RedisConnection> | undefined
  const connect = () => {
    opening ??= openRedis(url)
    return opening
  }
  return {
    read: async () => {
      const fields = await (await connect()).run((redis) => redis.hgetall(factsKey))
      return new Map(Object.entries(fields).map(([name, text]) => [name, parseFact(text)]))
    },
    raise: async (name, { accepts, highest, value }) => {
      const { run } = await connect()
      await run((redis) => raiseScript.run(redis, factsKey, name, accepts, highest, value))
    },
    close: async () => (await opening)?.close(),
  }
}

/** `outranks` in Lua. */
const raiseScript = createScript(`
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if kept then
  local accepts, highest = string.match(kept, '^(%d+) (%d+) ')
  local more = tonumber(ARGV[2]) - tonumber(accepts)
  if more == 0 then more = tonumber(ARGV[3]) - tonumber(highest) end
  if more <= 0 then return 0 end
end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4])
`)

const parseFact = (text: string): HostFact => {
  const [accepts, highest, value = ''] = text.split(' ')
  return { accepts: Number(accepts), highest: Number(highest), value }
}
