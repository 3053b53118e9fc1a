import { BackupError } from '#backup'
import { WorkerStartError } from '#cluster'
import { ConfigError } from '#config'
import { ApiError } from '#contract'
import { DatabaseError } from '#database'
import { plainText, SourceError } from '#ingest'
import { MappingError } from '#mapping'
import { OperatorError } from '#operator'
import { PullError } from '#pull'
import { StorageUnavailable } from '#s3'
import { RowSecurityRefused } from '#server'
import { MigrationError, NewerDatabaseError, OwnerConflictError } from '#store'
import { SourceDatabaseError } from '#sync'
import { CommandError, UsageError } from './output.ts'
import { isPortTaken } from './single.ts'

/** An error as a message for the person at the terminal. */
export const errorMessage = (error: unknown): string => {
  if (error instanceof ConfigError) {
    return ['The configuration cannot be used:', ...error.problems.map(indent)].join('\n')
  }
  // It may repeat what was typed or stored.
  if (error instanceof OperatorError) return plainText(error.message)
  if (
    error instanceof ApiError ||
    error instanceof BackupError ||
    error instanceof CommandError ||
    error instanceof MappingError ||
    error instanceof MigrationError ||
    error instanceof NewerDatabaseError ||
    error instanceof OwnerConflictError ||
    error instanceof RowSecurityRefused ||
    error instanceof SourceError ||
    error instanceof PullError ||
    error instanceof SourceDatabaseError ||
    error instanceof StorageUnavailable ||
    error instanceof DatabaseError ||
    error instanceof WorkerStartError
  ) {
    return error.message
  }
  if (isPortTaken(error)) {
    return `${portOf(error)} is already in use by another process. Stop that process, or choose another port with PORT (0 takes any free one), METRICS_PORT or ADMIN_PORT.`
  }
  if (error instanceof Error && 'syscall' in error)
    return `The operating system reported an error: ${error.message}.`
  return `${unexpected}\n${error instanceof Error ? error.stack : error}`
}

const unexpected = 'Unexpected error:'

/** Whether an error is a mistake in the program. */
export const isUnexpected = (error: unknown): boolean => errorMessage(error).startsWith(unexpected)

/** Whether options or arguments are wrong. */
export const isWrongUsage = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof OperatorError && error.kind === 'usage')

/** `Port 8080 of 127.0.0.1`, from the system error. */
const portOf = (error: unknown): string => {
  const { port, address } = error as { readonly port?: number; readonly address?: string }
  if (port === undefined) return 'The port'
  return address === undefined ? `Port ${port}` : `Port ${port} of ${address}`
}

const indent = (line: string): string => `  ${line}`
