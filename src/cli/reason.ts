import { ConfigRefused } from '#config'
import { DatabaseUnavailable } from '#database'
import { SourceRefused } from '#ingest'
import { PullRefused } from '#pull'
import { RowSecurityRefused } from '#service'
import { MigrationRefused, NewerDatabase } from '#store'
import { WorkerRefused } from '#supervise'
import { Refused } from './output.ts'

/** Why something was refused or failed, for the person at the terminal. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof ConfigRefused) {
    return ['The configuration cannot be used:', ...error.problems.map(indent)].join('\n')
  }
  if (
    error instanceof Refused ||
    error instanceof MigrationRefused ||
    error instanceof NewerDatabase ||
    error instanceof RowSecurityRefused ||
    error instanceof SourceRefused ||
    error instanceof PullRefused ||
    error instanceof DatabaseUnavailable ||
    error instanceof WorkerRefused
  ) {
    return error.message
  }
  if (isPortTaken(error)) {
    return 'The port is taken. Set another with PORT, or 0 for any free one.'
  }
  if (error instanceof Error && 'syscall' in error) return `The system refused: ${error.message}.`
  return `Something unexpected went wrong:\n${error instanceof Error ? error.stack : error}`
}

export const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

const indent = (line: string): string => `  ${line}`
