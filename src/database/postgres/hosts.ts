import { DatabaseError, DatabaseUnreachableError } from '../database.ts'
import type { LongReads } from '../long-read.ts'
import type { PostgresAddress } from './address.ts'
import { isCrowded, isWorthRepeating, unavailable } from './errors.ts'
import { openHost, type PostgresHost } from './host.ts'

/** The servers of an address: which one takes writes, and which ones are good to read from. */
export interface PostgresHosts {
  /** The primary. Where none is known, all servers are looked at before this is given up. */
  writer(): Promise<PostgresHost>
  /** The primary, or any that answers: what is not a request's can be read anywhere. */
  any(): Promise<PostgresHost>
  /** All servers that answered when they were last looked at. */
  reachable(): Promise<readonly PostgresHost[]>
  /**
   * Lets a request read, in turn from the replicas that keep up; from the primary when there are
   * none. What fails with its connection is read once more, elsewhere if there is another server.
   */
  read<T>(work: (host: PostgresHost) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const pollEveryMs = 500

interface HostState {
  readonly host: PostgresHost
  role: 'unknown' | 'primary' | 'replica' | 'away'
  /** Why it is away. */
  reason: DatabaseError | null
  /** How far a replica has come. */
  position: bigint
  /** Since when it has been behind where the primary was then. */
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
  /** Where the primary was, and when; oldest first. */
  let history: { readonly at: number; readonly position: bigint }[] = []
  let turn = 0

  const poll = async (state: HostState): Promise<void> => {
    try {
      const row = await state.host.poll(positionQuery)
      state.role = row[0] === 'replica' ? 'replica' : 'primary'
      state.position = readPosition(String(row[1] ?? '0/0'))
      state.reason = null
    } catch (error) {
      state.role = 'away'
      state.reason = unavailable(error)
    }
    heard.resolve()
    heard = Promise.withResolvers()
  }
  /** Resolves as soon as the next server has been looked at. */
  let heard = Promise.withResolvers<void>()

  const pollAll = async (): Promise<void> => {
    await Promise.all(hostStates.map(poll))
    const now = performance.now()
    const primary = hostStates.find(({ role }) => role === 'primary')
    if (primary) history.push({ at: now, position: primary.position })
    history = history.filter(({ at }) => now - at < address.lagMs * 2)
    for (const state of hostStates) {
      if (state.role !== 'replica') continue
      // It lags since the oldest moment whose position of the primary it has not reached.
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
   * What can be chosen now, or else as soon as it has been found. A look that is under way may
   * have begun too early to find it, so the one after that is waited for as well.
   */
  const found = async (choose: () => HostState | undefined): Promise<HostState | undefined> => {
    for (let looks = 0; looks < 2; looks += 1) {
      for (let done = false; ; ) {
        const chosen = choose()
        if (chosen || done) {
          if (chosen) return chosen
          break
        }
        const round = pollNow().then(() => {
          done = true
        })
        await Promise.race([round, heard.promise])
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
    turn += 1
    return good[turn % good.length] ?? fallback
  }

  /** Nobody asks it again before it has been looked at. */
  const leaveOut = (state: HostState, error: unknown) => {
    if (only || !(error instanceof DatabaseUnreachableError) || isCrowded(error)) return
    state.role = 'away'
    state.reason = error
    void pollNow()
  }

  return {
    writer: async () => {
      const state = only ? first : await found(primary)
      if (state) return state.host
      throw noneOf('No server of the database takes writes at the moment', hostStates)
    },
    any: async () => {
      const state = only ? first : ((await found(primary)) ?? choice())
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
      let state = only ? first : (choice() ?? (await found(choice)))
      if (!state) throw noneOf('No server of the database answers', hostStates)
      for (let tries = 1; ; tries += 1) {
        try {
          return await work(state.host)
        } catch (error) {
          if (tries === triesMax || !isWorthRepeating(error)) throw error
          leaveOut(state, error)
          state = choice(state) ?? state
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

/** The connection of the second try may be one that is just being cut as well. */
const triesMax = 3

/** What keeps each server from it. What all of them refuse for good will not change by waiting. */
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
  text: "select case when pg_is_in_recovery() then 'replica' else 'primary' end, (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text",
  values: [],
}

/** A position in the log, `16/B374D848`, as a number. */
const readPosition = (text: string): bigint => {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
