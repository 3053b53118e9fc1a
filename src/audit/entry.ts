import type { Session } from '#database'
import type { AuditAction } from './actions.ts'

/** Details are for people and programs: no secrets, and nothing of the content of records. */
export type AuditDetails = { readonly [name: string]: AuditValue }

/** Numbers are integers, so that every JSON encoder writes them in the same way. */
export type AuditValue = string | number | boolean | null | readonly AuditValue[] | AuditDetails

/** Who did something: a name given with `--as`, a user of the system, or an API key by its id. */
export interface AuditActor {
  readonly kind: 'operator' | 'user' | 'key'
  readonly name: string
}

/** What happened. */
export interface AuditEntry {
  readonly action: AuditAction
  /** The slug of a brand. */
  readonly brand?: string | null
  /** The id of a key or a unit, or the name of a mapping. */
  readonly subject?: string | null
  readonly details?: AuditDetails
  /** By default, the one who runs the process. */
  readonly actor?: AuditActor
}

/**
 * Adds entries to the audit log, in the transaction of the change that they describe: the entries
 * exist if and only if it is committed.
 */
export type RecordAudit = (session: Session, ...entries: readonly AuditEntry[]) => Promise<void>

/** The process that records entries, and who runs it. */
export interface AuditOrigin {
  /** Called for each entry: one process may act for several operators. */
  readonly actor: () => AuditActor
  readonly host: string
  /** The user of the system that runs the process. */
  readonly user: string
  /** The version and the command: `selvedge 0.3.0 keys issue`. */
  readonly program: string
}

/** Length of names in an entry, in characters. */
const nameMax = 300
/** A commit names up to 64 batches, and counts up to 93 collections. */
const detailsBytesMax = 16_384

/**
 * The text of an entry, as it is stored and hashed: JSON without spaces, its members in this order.
 */
export const entryText = (
  { action, brand = null, subject = null, details = {}, actor }: AuditEntry,
  origin: AuditOrigin,
  { id, at }: { readonly id: string; readonly at: string },
): string => {
  const { kind, name } = actor ?? origin.actor()
  const { host, user, program } = origin
  const names = { actor: name, actorKind: kind, user, host, program, action, brand, subject }
  return JSON.stringify({ id, at, ...names, details: bounded(details) }, (_name, value) =>
    typeof value === 'string' ? value.slice(0, nameMax).toWellFormed() : value,
  )
}

const bounded = (details: AuditDetails): AuditDetails => {
  const bytes = Buffer.byteLength(JSON.stringify(details))
  return bytes > detailsBytesMax ? { leftOutBytes: bytes } : details
}

/** An entry as it is read back from its text. */
export interface ReadEntry {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly actorKind: AuditActor['kind']
  readonly user: string
  readonly host: string
  readonly program: string
  readonly action: AuditAction
  readonly brand: string | null
  readonly subject: string | null
  readonly details: AuditDetails
}
