import { DatabaseBusyError, DatabaseOutageError, databaseFailureOf } from '#database'
import type { SourceKind } from '#store'

/** How the records of a unit arrive: a request, a dropped file, a round of a sync, or a command. */
export type UnitKind = 'batch' | 'file' | 'round' | 'import'

export const unitStates = ['waiting', 'working', 'done', 'refused', 'quarantined'] as const
/**
 * `refused`: the unit is at fault, and its sender knows why. `quarantined`: it failed too often,
 * or looks wrong, and an operator decides. Later units of its brand continue after both.
 */
export type UnitState = (typeof unitStates)[number]

/** Records of one source that are stored together, or not at all. */
export interface Unit {
  /** In the order of acceptance. */
  readonly number: number
  readonly id: string
  /** The slug of the brand, or `sharedOwner`. */
  readonly brand: string
  readonly kind: UnitKind
  /** The name of its source, as `selvedge sources` lists it. */
  readonly source: string
  /** Its place in the source, such as the name of a file; null for a batch. */
  readonly position: string | null
  readonly state: UnitState
  /** Attempts that have begun, with the current one. A process that dies has made one. */
  readonly attempts: number
  /** Why the last attempt failed, or why the unit was refused; null without a failure. */
  readonly lastError: string | null
  /** The process that works on it. */
  readonly holder: string | null
  readonly receivedAt: string
  readonly finishedAt: string | null
  /**
   * The last change of the brand before later units continued; null for a unit that never was in
   * quarantine. Records that changed after it are newer than those of the unit.
   */
  readonly writtenTo: number | null
  /** Whether an operator has accepted what it was held for. */
  readonly isAccepted: boolean
}

/** What `selvedge sources` calls the source of a unit; null for a command. */
export const sourceKinds: Record<UnitKind, SourceKind | null> = {
  batch: 'ingest',
  file: 'watch',
  round: 'sync',
  import: null,
}

/**
 * What a failed attempt says. `unavailable`: an engine or a source is away, full or damaged. `busy`:
 * another writer was faster. `unit`: the unit may be the cause, so the attempt counts.
 */
export type Fault = 'unavailable' | 'busy' | 'unit'

/** Attempts that count before a unit is quarantined. */
export const attemptsMax = 3

/** Classifies what an attempt threw. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof DatabaseOutageError) return 'unavailable'
  return error instanceof DatabaseBusyError ? 'busy' : 'unit'
}

/** Classifies an error outside attempts: no unit is at fault if the database cannot work. */
export const faultOutside = (error: unknown): Fault => {
  const failure = databaseFailureOf(error)
  return failure === 'unavailable' || failure === 'timedOut' ? 'unavailable' : faultOf(error)
}

/** Whether another attempt may begin; the number of attempts includes it. */
export const mayBegin = (attempts: number): boolean => attempts <= attemptsMax

export type FailedUnit = Pick<Unit, 'attempts'> & { readonly state: 'waiting' | 'quarantined' }

/** The unit after a failed attempt, which is included in its attempts. */
export const afterFailure = (attempts: number, fault: Fault): FailedUnit => {
  if (fault !== 'unit') return { state: 'waiting', attempts: attempts - 1 }
  return { state: attempts < attemptsMax ? 'waiting' : 'quarantined', attempts }
}

const firstBackoffMs = 500
const longestBackoffMs = 60_000

/** The pause after a number of consecutive failures. An engine that is busy has waited already. */
export const backoffMs = (failures: number, fault: Fault): number =>
  fault === 'busy'
    ? firstBackoffMs
    : Math.min(firstBackoffMs * 2 ** Math.max(0, failures - 1), longestBackoffMs)

/** Failures in a row that end a command with `--once`. */
export const onceFailuresMax = 5

/** A claim of a process that has not renewed it for this time is free. */
export const claimMs = 10_000
/** The time between two renewals of a claim. */
export const renewMs = 3_000

/** The error of a unit whose process ended in the middle of it. */
export const endedError = 'The process ended while it worked on the unit.'

/** People read these errors, and an engine may write long ones. */
const errorCharactersMax = 500

export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, errorCharactersMax)
