import { DatabaseUnavailable } from './database.ts'
import type { PostgresAddress } from './postgres-address.ts'
import { openHost, type PostgresHost } from './postgres-host.ts'

/** The servers of an address: which one takes writes, and which ones are good to read from. */
export interface PostgresHosts {
  /** The primary, as last seen. */
  writer(): PostgresHost
  /** In turn one of the replicas that keep up; the primary when there is none. */
  reader(): PostgresHost
  close(): Promise<void>
}

const lookEveryMs = 500

interface Standing {
  readonly host: PostgresHost
  role: 'unknown' | 'primary' | 'replica' | 'away'
  /** How far a replica has come. */
  position: bigint
  /** Since when it has been behind where the primary was then. */
  lagMs: number
}

export const openHosts = (address: PostgresAddress): PostgresHosts => {
  const standings: Standing[] = address.hosts.map((each) => ({
    host: openHost(address, each),
    role: 'unknown',
    position: 0n,
    lagMs: 0,
  }))
  const only = standings.length === 1
  /** Where the primary was, and when; oldest first. */
  let history: { readonly at: number; readonly position: bigint }[] = []
  let turn = 0

  const look = async (standing: Standing): Promise<void> => {
    try {
      const [[row] = []] = await standing.host.read([positionQuery], '')
      standing.role = row?.[0] === 'replica' ? 'replica' : 'primary'
      standing.position = readPosition(String(row?.[1] ?? '0/0'))
    } catch {
      standing.role = 'away'
    }
  }

  const lookAtAll = async (): Promise<void> => {
    await Promise.all(standings.map(look))
    const now = performance.now()
    const primary = standings.find(({ role }) => role === 'primary')
    if (primary) history.push({ at: now, position: primary.position })
    history = history.filter(({ at }) => now - at < address.lagMs * 2)
    for (const standing of standings) {
      if (standing.role !== 'replica') continue
      // It lags since the oldest moment whose position of the primary it has not reached.
      const missed = history.find(({ position }) => position > standing.position)
      standing.lagMs = missed ? now - missed.at : 0
    }
  }

  let looking: Promise<void> | null = null
  const timer = only
    ? null
    : setInterval(() => {
        looking ??= lookAtAll().finally(() => {
          looking = null
        })
      }, lookEveryMs)
  timer?.unref()
  if (!only) {
    looking = lookAtAll().finally(() => {
      looking = null
    })
  }

  const first = standings[0] as Standing
  return {
    writer: () => {
      const primary = standings.find(({ role }) => role === 'primary')
      if (primary) return primary.host
      if (only || standings.every(({ role }) => role === 'unknown')) return first.host
      throw new DatabaseUnavailable('No server of the database takes writes at the moment.')
    },
    reader: () => {
      const good = standings.filter(
        ({ role, lagMs }) => role === 'replica' && lagMs <= address.lagMs,
      )
      const primary = standings.find(({ role }) => role === 'primary')
      const choices =
        good.length > 0
          ? good
          : [primary ?? standings.find(({ role }) => role === 'replica') ?? first]
      turn += 1
      return (choices[turn % choices.length] as Standing).host
    },
    close: async () => {
      if (timer) clearInterval(timer)
      await looking
      await Promise.all(standings.map(({ host }) => host.close()))
    },
  }
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
