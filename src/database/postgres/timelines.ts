import { DatabaseError } from '../errors.ts'
import { type HostFact, type HostMemory, type HostState, outranks } from '../hosts.ts'

/**
 * Which cluster a server belongs to, and which of its histories it has. Every promotion begins the
 * next timeline, so that of two servers of one system the higher one is the promoted one.
 */
export interface Identity {
  readonly role: 'primary' | 'replica'
  /** The system identifier: the same for a server and its physical copies. */
  readonly system: string
  readonly timeline: number
}

export interface TimelinesParts {
  /** The names of all hosts. */
  readonly hosts: readonly string[]
  readonly memory: HostMemory | undefined
  /** Receives the reason, once for each outage of the memory. */
  readonly onForgetful: (reason: string) => void
}

/** Decides which servers are used: those of one system, on its highest timeline. */
export interface Timelines {
  /** Whether what was kept by earlier processes has been read, or cannot be read. */
  readonly isLoaded: boolean
  /** Reads what is kept, and keeps again what is missing there. */
  load(): Promise<void>
  /** Why each host is left out; hosts without an identity are not judged. */
  judge(
    identities: ReadonlyMap<string, Identity>,
  ): ReadonlyMap<string, NonNullable<HostState['leftOut']>>
  /** The timeline that is used of a system. */
  timelineOf(system: string): number
  /** The system that the hosts belong to; undefined if none is known, or if there is one host. */
  readonly system: string | undefined
  /** Continues with a server. Rejects if that cannot be kept. */
  accept(identity: Identity): Promise<void>
  close(): Promise<void>
}

const hostName = (host: string): string => `host ${host}`
const systemName = (system: string): string => `system ${system}`

export const createTimelines = ({ hosts, memory, onForgetful }: TimelinesParts): Timelines => {
  const facts = new Map<string, HostFact>()
  const storing = new Set<Promise<void>>()
  /** A single host is the database, whichever system it is: nothing else could be meant. */
  const several = hosts.length > 1
  let isLoaded = memory === undefined
  let isForgetful = false

  const forgetful = (error: unknown) => {
    if (!isForgetful) onForgetful(error instanceof Error ? error.message : String(error))
    isForgetful = true
  }
  const store = (name: string, fact: HostFact) => {
    if (!memory) return
    const stored = memory
      .raise(name, fact)
      .then(() => {
        isForgetful = false
      }, forgetful)
      .finally(() => storing.delete(stored))
    storing.add(stored)
  }
  const raise = (name: string, fact: HostFact) => {
    const other = facts.get(name)
    if (other && !outranks(fact, other)) return
    facts.set(name, fact)
    // Every system begins with timeline 1, so a single server on it needs no memory.
    if (several || fact.highest > 1) store(name, fact)
  }
  const usedSystem = (): string | undefined =>
    several
      ? hosts.map((host) => facts.get(hostName(host))?.value).find((value) => value !== undefined)
      : undefined

  /** Whether a server has the history that is used, or a later one. */
  const isCurrent = (timeline: number, fact: HostFact | undefined): boolean =>
    !fact || timeline === Number(fact.value) || timeline > fact.highest

  return {
    get isLoaded() {
      return isLoaded
    },
    load: async () => {
      if (!memory) return
      try {
        const content = await memory.read()
        for (const [name, fact] of content) {
          const own = facts.get(name)
          // Between equals, all processes take the one that was kept first.
          if (!own || !outranks(own, fact)) facts.set(name, fact)
        }
        for (const [name, fact] of facts) {
          const stored = content.get(name)
          const isWanted = several || fact.highest > 1
          if (isWanted && (!stored || outranks(fact, stored))) store(name, fact)
        }
      } catch (error) {
        forgetful(error)
      } finally {
        isLoaded = true
      }
    },
    judge: (identities) => {
      const all = [...identities.values()]
      const first = all.find(({ role }) => role === 'primary') ?? all[0]
      const system = several ? (usedSystem() ?? first?.system) : undefined
      const isOurs = (identity: Identity) => system === undefined || identity.system === system
      for (const [host, identity] of identities) {
        if (!isOurs(identity)) continue
        if (several) {
          raise(hostName(host), { accepts: 0, highest: 0, value: identity.system })
        }
        const fact = facts.get(systemName(identity.system))
        if (!isCurrent(identity.timeline, fact)) continue
        raise(systemName(identity.system), {
          accepts: fact?.accepts ?? 0,
          highest: identity.timeline,
          value: String(identity.timeline),
        })
      }
      const leftOut = new Map<string, NonNullable<HostState['leftOut']>>()
      for (const [host, identity] of identities) {
        if (!isOurs(identity)) leftOut.set(host, 'system')
        else if (!isCurrent(identity.timeline, facts.get(systemName(identity.system)))) {
          leftOut.set(host, 'timeline')
        }
      }
      return leftOut
    },
    timelineOf: (system) => Number(facts.get(systemName(system))?.value ?? 0),
    get system() {
      return usedSystem()
    },
    accept: async ({ system, timeline }) => {
      if (!memory) {
        throw new DatabaseError(
          'Nothing keeps which server is accepted: set REDIS_URL, or keep images in a folder. A server that is started without either takes what it finds.',
        )
      }
      const accepted: [name: string, fact: HostFact][] = []
      for (const host of several ? hosts : []) {
        const accepts = (facts.get(hostName(host))?.accepts ?? 0) + 1
        accepted.push([hostName(host), { accepts, highest: 0, value: system }])
      }
      const current = facts.get(systemName(system))
      if (current && !isCurrent(timeline, current)) {
        const { accepts, highest } = current
        const fact = { accepts: accepts + 1, highest, value: String(timeline) }
        accepted.push([systemName(system), fact])
      }
      for (const [name, fact] of accepted) {
        await memory.raise(name, fact).catch((error: Error) => {
          throw new DatabaseError(`The server cannot be accepted: ${error.message}.`, {
            cause: error,
          })
        })
        facts.set(name, fact)
      }
    },
    close: async () => {
      await Promise.all(storing)
      await memory?.close()
    },
  }
}
