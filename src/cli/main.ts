#!/usr/bin/env node
import { CommanderError } from 'commander'
import { releaseOf } from '#server'
import { errorMessage } from './error-message.ts'
import { UsageError } from './output.ts'
import { buildProgram } from './program.ts'

/** Exit codes: 0 done, 1 refused or failed, 2 wrong usage. */
const main = async (): Promise<void> => {
  const program = buildProgram(await releaseOf())
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`${errorMessage(error)}\n`)
  return error instanceof UsageError ? 2 : 1
}

await main()
