import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '#concurrency'
import { DatabaseError, DatabaseUnreachableError, reachMs } from '../database.ts'
import type { LongReads } from '../long-read.ts'
import type { PostgresAddress } from './address.ts'
import { isCrowded, isWorthRepeating, toDatabaseError } from './errors.ts'
import { openHost, type PostgresHost } from './host.ts'

/** The servers of an address: the primary, and those that can serve reads. */
export interface PostgresHosts {
  /** The primary. If none is known, polls all servers before it fails. */
  writer(): Promise<PostgresHost>
  /** The primary, or any server that responds: for reads that do not belong to a request. */
  any(): Promise<PostgresHost>
  /** All servers that responded to the last poll. */
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
  close(): Promise<void>
}

/** Whether the state of a server meets a condition. A replica may still reach one that does. */
export interface CheckedState {
  readonly isMet: boolean
  readonly isReplica: boolean
}

const pollEveryMs = 500
/** Delay before servers are checked again that have not reached a state. */
const checkAgainMs = 50

interface HostState {
  readonly host: PostgresHost
  role: 'unknown' | 'primary' | 'replica' | 'away'
  /** Why it is unreachable. */
  reason: DatabaseError | null
  /** Its position in the write-ahead log. */
  position: bigint
  /** How long ago the primary passed a position that this server has not reached. */
  lagMs: number
}

export const openHosts = (address: PostgresAddress, longReads: LongReads): PostgresHosts => {
  const hostStates: HostState[] = address.hosts.map((each) => ({
    host: openHost(address, each, longReads),
    role: 'unknown',
    reason: null,
    position: 0n,
    lagMs: 0,
  }))
  const first = hostStates[0] as HostState
  const only = hostStates.length === 1
  /** Positions of the primary, oldest first. */
  let history: { readonly at: number; readonly position: bigint }[] = []
  let reads = 0
  /** The server that all reads of a piece of work come from. */
  const pinned = new AsyncLocalStorage<HostState>()

  const poll = async (state: HostState): Promise<void> => {
    try {
      const row = await state.host.poll(positionQuery)
      state.role = row[0] === 'replica' ? 'replica' : 'primary'
      state.position = readPosition(String(row[1] ?? '0/0'))
      state.reason = null
    } catch (error) {
      state.role = 'away'
      state.reason = toDatabaseError(error)
    }
    polled.resolve()
    polled = Promise.withResolvers()
  }
  /** Resolves after the next poll of any server. */
  let polled = Promise.withResolvers<void>()

  const pollAll = async (): Promise<void> => {
    await Promise.all(hostStates.map(poll))
    const now = performance.now()
    const primary = hostStates.find(({ role }) => role === 'primary')
    if (primary) history.push({ at: now, position: primary.position })
    history = history.filter(({ at }) => now - at < address.lagMs * 2)
    for (const state of hostStates) {
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
  const timer = only ? null : setInterval(() => void pollNow(), pollEveryMs)
  timer?.unref()
  if (!only) void pollNow()

  /**
   * Returns the choice now, or as soon as a poll makes it possible. A poll in progress may have
   * begun too early, so this also awaits the next one.
   */
  const waitFor = async (choose: () => HostState | undefined): Promise<HostState | undefined> => {
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

  const primary = () => hostStates.find(({ role }) => role === 'primary')
  const choice = (except?: HostState): HostState | undefined => {
    const others = hostStates.filter((each) => each !== except)
    const good = others.filter(({ role, lagMs }) => role === 'replica' && lagMs <= address.lagMs)
    const fallback =
      others.find(({ role }) => role === 'primary') ?? others.find(({ role }) => role === 'replica')
    reads += 1
    return good[reads % good.length] ?? fallback
  }

  /** Excludes a server until the next poll. */
  const exclude = (state: HostState, error: unknown) => {
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
  ): Promise<HostState | null> => {
    while (!isOver()) {
      const near = only ? first : (choice() ?? (await waitFor(choice)))
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

  return {
    readAfter: async (check, work) => {
      let isOver = false
      const state = await withTimeout(
        reachMs,
        findChecked(check, () => isOver),
        () => noneOf('No server of the database has reached the state', hostStates),
      ).finally(() => {
        isOver = true
      })
      return state && { result: await pinned.run(state, work) }
    },
    writer: async () => {
      const state = only ? first : await waitFor(primary)
      if (state) return state.host
      throw noneOf('No server of the database takes writes at the moment', hostStates)
    },
    any: async () => {
      const state = pinned.getStore() ?? (only ? first : ((await waitFor(primary)) ?? choice()))
      if (state) return state.host
      throw noneOf('No server of the database answers', hostStates)
    },
    reachable: async () => {
      if (!only) await pollNow()
      const there = hostStates.filter(({ role }) => only || role !== 'away')
      if (there.length === 0) throw noneOf('No server of the database answers', hostStates)
      return there.map(({ host }) => host)
    },
    read: async (work) => {
      const own = pinned.getStore()
      let state = own ?? (only ? first : (choice() ?? (await waitFor(choice))))
      if (!state) throw noneOf('No server of the database answers', hostStates)
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
    close: async () => {
      if (timer) clearInterval(timer)
      await polling
      await Promise.all(hostStates.map(({ host }) => host.close()))
    },
  }
}

/** The connection of the second attempt may also be about to break. */
const triesMax = 3

/** Combines the reasons of all servers. Waiting does not help if none can become reachable. */
const noneOf = (sentence: string, hostStates: readonly HostState[]): DatabaseError => {
  const reasons = hostStates.map(({ host, role, reason }) =>
    role === 'away' && reason
      ? `${host.name}: ${reason.message.replace(/\.$/, '')}`
      : `${host.name} is ${role === 'unknown' ? 'not known yet' : `a ${role}`}`,
  )
  const message = `${sentence} (${reasons.join('; ')}).`
  const isForGood = hostStates.every(
    ({ reason }) => reason && !(reason instanceof DatabaseUnreachableError),
  )
  return isForGood ? new DatabaseError(message) : new DatabaseUnreachableError(message)
}

const positionQuery = {
  text: [
    "select case when pg_is_in_recovery() then 'replica' else 'primary' end,",
    '(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text',
  ].join('\n'),
  values: [],
}

/** Converts a log position such as `16/B374D848` to a number. */
const readPosition = (text: string): bigint => {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
