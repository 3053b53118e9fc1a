import {
  DatabaseBusyError,
  DatabaseError,
  type DatabaseFailure,
  DatabaseOutageError,
  DatabaseRefusedError,
  DatabaseUnreachableError,
  databaseFailureOf,
  ReadLimitError,
} from '#database'
import { IdempotencyConflictError, QueueFullError } from '#intake'

/** An error that a caller can handle, in a form that crosses the thread boundary. */
export interface CallFailure {
  readonly kind: 'full' | 'conflict' | 'unreachable' | 'outage' | DatabaseFailure | 'other'
  readonly message: string
  readonly retryAfterSeconds?: number
  /** Of an unexpected error, for the log. Senders see the message. */
  readonly stack?: string | undefined
}

export const failureOf = (error: unknown): CallFailure => {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof QueueFullError) {
    return { kind: 'full', message, retryAfterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof IdempotencyConflictError) return { kind: 'conflict', message }
  if (error instanceof DatabaseUnreachableError) return { kind: 'unreachable', message }
  if (error instanceof DatabaseOutageError) return { kind: 'outage', message }
  const failure = databaseFailureOf(error)
  if (failure !== null) return { kind: failure, message }
  return { kind: 'other', message, stack: error instanceof Error ? error.stack : undefined }
}

export const errorOf = ({ kind, message, stack, retryAfterSeconds = 1 }: CallFailure): Error => {
  switch (kind) {
    // Some constructors build a sentence from their arguments, but the message is already complete.
    case 'full':
      return Object.assign(new QueueFullError('', retryAfterSeconds), { message })
    case 'conflict':
      return Object.assign(new IdempotencyConflictError(''), { message })
    case 'unreachable':
      return new DatabaseUnreachableError(message)
    case 'outage':
      return new DatabaseOutageError(message)
    case 'unavailable':
      return new DatabaseError(message)
    case 'busy':
      return new DatabaseBusyError(message)
    case 'timedOut':
      return new ReadLimitError(message)
    case 'refused':
      return Object.assign(new DatabaseRefusedError(''), { message })
    case 'other':
      return Object.assign(new Error(message), stack !== undefined && { stack })
  }
}
