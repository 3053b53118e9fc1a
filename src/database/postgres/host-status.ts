import type { Query, Row } from '../database.ts'
import { toDatabaseError } from './errors.ts'
import type { Identity } from './timelines.ts'

/** The answer of a server to a poll. */
export interface HostStatus {
  readonly role: 'primary' | 'replica'
  /** Its position in the write-ahead log. */
  readonly position: bigint
  /** Null if it does not tell it. */
  readonly identity: Identity | null
}

const role = "case when pg_is_in_recovery() then 'replica' else 'primary' end"
const position =
  '(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text'

/** The timeline that a primary writes to; null on a replica. */
export const writtenTimeline =
  "case when not pg_is_in_recovery() then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end"

/**
 * The timeline that a replica has replayed. A replica that follows a promoted server has its
 * timeline as soon as it has written a page of it, or at its next restart point.
 */
const replayedTimeline = [
  'greatest((select timeline_id from pg_control_checkpoint()),',
  '(select min_recovery_end_timeline from pg_control_recovery()))',
].join(' ')

export const status: Query = {
  text: [
    `select ${role},`,
    `${position},`,
    '(select system_identifier::text from pg_control_system()),',
    `coalesce(${writtenTimeline}, ${replayedTimeline})`,
  ].join('\n'),
  values: [],
}

/** For a server that does not tell its system and timeline. */
export const basicStatus: Query = { text: `select ${role},\n${position}`, values: [] }

export const readStatus = ([role, position, system, timeline]: Row): HostStatus => {
  const serverRole = role === 'replica' ? 'replica' : 'primary'
  return {
    role: serverRole,
    position: readPosition(String(position ?? '0/0')),
    identity:
      system === undefined
        ? null
        : { role: serverRole, system: String(system), timeline: Number(timeline) },
  }
}

/** Whether a server lacks the functions that tell its system and timeline, or forbids them. */
export const isUnidentifiable = (error: unknown): boolean => {
  const { cause } = toDatabaseError(error)
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return /^(42501|42883|0A000)$/.test(code)
}

/** Converts a log position such as `16/B374D848` to a number. */
const readPosition = (text: string): bigint => {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
