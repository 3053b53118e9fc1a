import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '#concurrency'
import { reachMs } from '../database.ts'
import { DatabaseError, DatabaseOutageError, DatabaseUnreachableError } from '../errors.ts'
import { sumHeld, type UseFigures } from '../figures.ts'
import type { HoldLimits } from '../held-snapshots.ts'
import type { DatabaseHosts, HostMemory, HostState } from '../hosts.ts'
import type { LongReads } from '../long-read.ts'
import type { PostgresAddress } from './address.ts'
import { isCrowded, isWorthRepeating, toDatabaseError } from './errors.ts'
import { openHost, type PostgresHost } from './host.ts'
import {
  basicStatus,
  type HostStatus,
  isUnidentifiable,
  readStatus,
  status,
} from './host-status.ts'
import { createTimelines, type Identity } from './timelines.ts'

/** The servers of an address: the primary, and those that can serve reads. */
export interface PostgresHosts extends DatabaseHosts {
  /** The primary. If none is known, polls all servers before it fails. */
  writer(): Promise<PostgresHost>
  /** The primary, or any server that responds: for reads that do not belong to a request. */
  any(): Promise<PostgresHost>
  /** All servers that responded to the last poll and are used. */
  reachable(): Promise<readonly PostgresHost[]>
  /**
   * Lets a request read from the replicas that keep up, in turn, or from the primary if there are
   * none. Retries a read that fails with its connection, on another server if there is one.
   */
  read<T>(work: (host: PostgresHost) => Promise<T>): Promise<T>
  /** See `Database`: the reads of the work come from the server whose state meets the condition. */
  readAfter<T>(
    check: (host: PostgresHost) => Promise<CheckedState>,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T } | null>
  /**
   * Throws if a server is left out. A timeline was read on the connection that is about to write:
   * a name may lead to another server since the last poll.
   */
  verify(host: PostgresHost, timeline?: number): void
  /** Whether the timeline of a server can be read. */
  isIdentified(host: PostgresHost): boolean
  figures(): UseFigures
  close(): Promise<void>
}

/** Whether the state of a server meets a condition. A replica may still reach one that does. */
export interface CheckedState {
  readonly isMet: boolean
  readonly isReplica: boolean
}

export interface HostsOptions {
  /** Keeps the highest timeline beyond the life of this process. */
  readonly memory?: HostMemory
  readonly holdLimits?: HoldLimits
  /** Receives sentences for the log. */
  readonly onNotice?: (level: 'info' | 'warn', sentence: string) => void
}

const pollEveryMs = 500
/** Delay before servers are checked again that have not reached a state. */
const checkAgainMs = 50

interface PolledHost {
  readonly host: PostgresHost
  role: HostState['role']
  /** Why it is unreachable. */
  reason: DatabaseError | null
  /** Its position in the write-ahead log. */
  position: bigint
  /** How long ago the primary passed a position that this server has not reached. */
  lagMs: number
  /** Of the last poll that it answered; null if it does not tell it. */
  identity: Identity | null
  leftOut: HostState['leftOut']
  /** Whether it has ever answered a poll. */
  hasAnswered: boolean
  /** Whether it does not tell which system and timeline it has. */
  isBasic: boolean
}

export const openHosts = (
  address: PostgresAddress,
  longReads: LongReads,
  { memory, holdLimits, onNotice = () => undefined }: HostsOptions = {},
): PostgresHosts => {
  const polledHosts: PolledHost[] = address.hosts.map((each) => ({
    host: openHost(address, each, { longReads, holdLimits }),
    role: 'unknown',
    reason: null,
    position: 0n,
    lagMs: 0,
    identity: null,
    leftOut: null,
    hasAnswered: false,
    isBasic: false,
  }))
  const first = polledHosts[0] as PolledHost
  const only = polledHosts.length === 1
  const isPolled = !only || memory !== undefined
  const timelines = createTimelines({
    hosts: polledHosts.map(({ host }) => host.name),
    memory,
    onForgetful: (reason) =>
      onNotice('warn', `The timeline of the database cannot be kept: ${reason}. ${forgotten}`),
  })
  if (!only && !memory) onNotice('warn', `The timeline of the database is not kept. ${forgotten}`)
  /** Positions of the primary, oldest first. */
  let history: { readonly at: number; readonly position: bigint }[] = []
  let reads = 0
  /** The server that all reads of a piece of work come from. */
  const pinned = new AsyncLocalStorage<PolledHost>()
  /** Whether every server was polled, so that a higher timeline would have been seen. */
  let isSettled = !isPolled
  let lastPrimary: PolledHost | undefined

  const statusOf = async (state: PolledHost): Promise<HostStatus> => {
    if (!state.isBasic) {
      try {
        return readStatus(await state.host.poll(status))
      } catch (error) {
        if (!isUnidentifiable(error)) throw error
        state.isBasic = true
        const reason = toDatabaseError(error).message
        onNotice('warn', `The timeline of ${state.host.name} cannot be read. ${reason}`)
      }
    }
    return readStatus(await state.host.poll(basicStatus))
  }

  const poll = async (state: PolledHost): Promise<void> => {
    try {
      const { role, position, identity } = await statusOf(state)
      Object.assign(state, { role, position, identity, reason: null, hasAnswered: true })
    } catch (error) {
      state.role = 'away'
      state.reason = toDatabaseError(error)
    }
    assess()
  }
  /** Resolves after the next poll of any server. */
  let polled = Promise.withResolvers<void>()

  /** Leaves out the servers of another system or of an earlier timeline. */
  const assess = () => {
    isSettled ||= timelines.isLoaded && polledHosts.every(({ role }) => role !== 'unknown')
    if (isSettled) {
      const identities = new Map<string, Identity>()
      for (const { host, role, identity } of polledHosts) {
        if (identity && role !== 'away') identities.set(host.name, identity)
      }
      const leftOut = timelines.judge(identities)
      for (const state of polledHosts) {
        if (state.role !== 'away') report(state, leftOut.get(state.host.name) ?? null)
      }
    }
    polled.resolve()
    polled = Promise.withResolvers()
  }

  const report = (state: PolledHost, leftOut: HostState['leftOut']) => {
    const { host, role, leftOut: before } = state
    state.leftOut = leftOut
    if (leftOut && leftOut !== before) onNotice('warn', `${sentenceOf(state)}.`)
    if (!leftOut && before) onNotice('info', `${host.name} is used again.`)
    if (leftOut || role !== 'primary' || state === lastPrimary) return
    if (lastPrimary) onNotice('info', `${host.name} is the primary.`)
    lastPrimary = state
    history = []
  }

  /** Why a server is left out, and what can be done about it. */
  const sentenceOf = ({ host, role, identity, leftOut }: PolledHost): string => {
    if (!identity) return `${host.name} is left out`
    const { system, timeline } = identity
    const why =
      leftOut === 'system'
        ? `it has the system identifier ${system}, and the database has ${timelines.system}`
        : `it is on timeline ${timeline}, and the database is on timeline ${timelines.timelineOf(system)}`
    const sentence = `${host.name} is left out, because ${why}`
    return role === 'primary'
      ? `${sentence}; to continue with this server and lose what only the other one has, stop the other one and run selvedge database accept`
      : sentence
  }

  const load = async () => {
    await timelines.load()
    assess()
  }
  const pollAll = async (): Promise<void> => {
    await Promise.all([load(), ...polledHosts.map(poll)])
    const now = performance.now()
    const current = primary()
    if (current) history.push({ at: now, position: current.position })
    history = history.filter(({ at }) => now - at < address.lagMs * 2)
    for (const state of polledHosts) {
      if (state.role !== 'replica') continue
      // It lags since the oldest position of the primary that it has not reached.
      const missed = history.find(({ position }) => position > state.position)
      state.lagMs = missed ? now - missed.at : 0
    }
  }

  let polling: Promise<void> | null = null
  const pollNow = (): Promise<void> => {
    polling ??= pollAll().finally(() => {
      polling = null
    })
    return polling
  }

  /**
   * Returns the choice now, or as soon as a poll makes it possible. A poll in progress may have
   * begun too early, so this also awaits the next one.
   */
  const waitFor = async (choose: () => PolledHost | undefined): Promise<PolledHost | undefined> => {
    for (let rounds = 0; rounds < 2; rounds += 1) {
      for (let done = false; ; ) {
        const chosen = choose()
        if (chosen || done) {
          if (chosen) return chosen
          break
        }
        const round = pollNow().then(() => {
          done = true
        })
        await Promise.race([round, polled.promise])
      }
    }
    return undefined
  }

  const used = (): readonly PolledHost[] =>
    isSettled ? polledHosts.filter(({ leftOut }) => leftOut === null) : []
  const primary = () => used().find(({ role }) => role === 'primary')
  const choice = (except?: PolledHost): PolledHost | undefined => {
    if (only) return alone()
    const others = used().filter((each) => each !== except)
    const good = others.filter(({ role, lagMs }) => role === 'replica' && lagMs <= address.lagMs)
    const fallback =
      others.find(({ role }) => role === 'primary') ?? others.find(({ role }) => role === 'replica')
    reads += 1
    return good[reads % good.length] ?? fallback
  }
  /**
   * The only server, unless it is left out. While it is away, attempts to connect find out first
   * that it is back; but it must have answered a poll once.
   */
  const alone = (): PolledHost | undefined =>
    !isPolled || (first.hasAnswered && isSettled && first.leftOut === null) ? first : undefined

  /** Excludes a server until the next poll. */
  const exclude = (state: PolledHost, error: unknown) => {
    if (only || !(error instanceof DatabaseUnreachableError) || isCrowded(error)) return
    state.role = 'away'
    state.reason = error
    void pollNow()
  }
  /**
   * The server to read from after a check: a replica that keeps up, or the primary. Null if the
   * primary does not meet it.
   */
  const findChecked = async (
    check: (host: PostgresHost) => Promise<CheckedState>,
    isOver: () => boolean,
  ): Promise<PolledHost | null> => {
    while (!isOver()) {
      const near = choice() ?? (await waitFor(choice))
      for (const state of new Set([near, primary()])) {
        if (!state) continue
        try {
          const { isMet, isReplica } = await check(state.host)
          if (isMet) return state
          if (!isReplica && (only || state.role === 'primary')) return null
        } catch (error) {
          if (!isWorthRepeating(error)) throw error
          exclude(state, error)
        }
      }
      await wait(checkAgainMs)
    }
    return null
  }
  /** The server of the work that a read belongs to, unless it is left out meanwhile. */
  const pinnedHost = (): PolledHost | undefined => {
    const state = pinned.getStore()
    if (state?.leftOut) throw noneOf('No server of the database has reached the state')
    return state
  }

  const stateOf = (host: PostgresHost) =>
    polledHosts.find((each) => each.host === host) as PolledHost

  const noneOf = (sentence: string): DatabaseError => {
    if (only && first.reason) return first.reason
    const reasons = polledHosts.map((state) =>
      state.leftOut && state.role !== 'away' ? sentenceOf(state) : absenceOf(state),
    )
    const message = `${sentence} (${reasons.join('; ')}).`
    // Waiting does not help if none can become reachable.
    const isForGood = polledHosts.every(
      ({ reason }) => reason && !(reason instanceof DatabaseUnreachableError),
    )
    return isForGood ? new DatabaseOutageError(message) : new DatabaseUnreachableError(message)
  }
  const noWriter = () => noneOf('No server of the database takes writes at the moment')

  const timer = isPolled ? setInterval(() => void pollNow(), pollEveryMs) : null
  timer?.unref()
  if (isPolled) void pollNow()

  return {
    readAfter: async (check, work) => {
      let isOver = false
      const state = await withTimeout(
        reachMs,
        findChecked(check, () => isOver),
        () => noneOf('No server of the database has reached the state'),
      ).finally(() => {
        isOver = true
      })
      return state && { result: await pinned.run(state, work) }
    },
    writer: async () => {
      const state = await waitFor(only ? alone : primary)
      if (state) return state.host
      throw noWriter()
    },
    any: async () => {
      const state = pinnedHost() ?? (await waitFor(only ? alone : primary)) ?? choice()
      if (state) return state.host
      throw noneOf('No server of the database answers')
    },
    reachable: async () => {
      if (isPolled) await pollNow()
      const there = only ? [alone()] : used().filter(({ role }) => role !== 'away')
      const hosts = there.flatMap((state) => (state ? [state.host] : []))
      if (hosts.length === 0) throw noneOf('No server of the database answers')
      return hosts
    },
    read: async (work) => {
      const own = pinnedHost()
      let state = own ?? choice() ?? (await waitFor(choice))
      if (!state) throw noneOf('No server of the database answers')
      for (let tries = 1; ; tries += 1) {
        try {
          return await work(state.host)
        } catch (error) {
          if (tries === triesMax || !isWorthRepeating(error)) throw error
          exclude(state, error)
          state = own ?? choice(state) ?? state
        }
      }
    },
    verify: (host, timeline) => {
      const state = stateOf(host)
      if (timeline !== undefined && state.identity) {
        Object.assign(state, { role: 'primary', identity: { ...state.identity, timeline } })
        assess()
      }
      if (state.leftOut) throw noWriter()
    },
    isIdentified: (host) => stateOf(host).identity !== null,
    figures: () => {
      const all = polledHosts.map(({ host }) => host.figures())
      return {
        pools: all.flatMap(({ pools }) => pools),
        heldSnapshots: sumHeld(all.map(({ heldSnapshots }) => heldSnapshots)),
      }
    },
    states: () =>
      polledHosts.map((state) => {
        const { host, role, reason, identity, lagMs, leftOut } = state
        return {
          name: host.name,
          role,
          timeline: identity?.timeline ?? null,
          lagSeconds: role === 'replica' ? lagMs / 1_000 : 0,
          leftOut: role === 'away' ? null : leftOut,
          reason: role === 'away' ? (reason?.message ?? null) : leftOut && `${sentenceOf(state)}.`,
        }
      }),
    accept: async () => {
      await pollNow()
      if (primary()) return null
      const [candidate, ...others] = polledHosts.filter(
        ({ role, leftOut }) => role === 'primary' && leftOut,
      )
      if (!candidate?.identity) throw noWriter()
      if (others.length > 0) {
        throw new DatabaseError(
          `Several servers take writes: ${[candidate, ...others].map(({ host }) => host.name).join(', ')}. Stop all but the one to continue with.`,
        )
      }
      await timelines.accept(candidate.identity)
      assess()
      const { host, identity } = candidate
      return {
        name: host.name,
        role: 'primary',
        timeline: identity.timeline,
        lagSeconds: 0,
        leftOut: null,
        reason: null,
      }
    },
    close: async () => {
      if (timer) clearInterval(timer)
      await polling
      await timelines.close()
      await Promise.all(polledHosts.map(({ host }) => host.close()))
    },
  }
}

const forgotten =
  'A process that starts while only an old primary is reachable would take it for the database. Set REDIS_URL, or keep images in a folder that can be written to.'

/** The connection of the second attempt may also be about to break. */
const triesMax = 3

/** Why a server is not used, in a few words. */
const absenceOf = ({ host, role, reason }: PolledHost): string =>
  role === 'away' && reason
    ? `${host.name}: ${reason.message.replace(/\.$/, '')}`
    : `${host.name} is ${role === 'unknown' ? 'not known yet' : `a ${role}`}`
