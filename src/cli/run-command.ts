import { CommanderError } from 'commander'
import { releaseOf } from '#config'
import { buildProgram } from './program.ts'

/** Runs a command and sets the exit code: 0 done, 1 rejected or failed, 2 wrong usage. */
export const runCommand = async (args: readonly string[]): Promise<void> => {
  const { node, sqlite } = process.versions
  const version = `${await releaseOf()} (Node ${node}, SQLite ${sqlite})`
  const program = await buildProgram(version, commandIn(args))
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = await exitCodeOf(error)
  }
}

/** The name of the command, which may follow `--as <name>`. */
const commandIn = (args: readonly string[]): string | undefined => {
  if (args[0] === '--as') return args[2]
  return args[0]?.startsWith('--as=') ? args[1] : args[0]
}

const exitCodeOf = async (error: unknown): Promise<number> => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // Imported on demand: it imports the errors of every module, and is rarely needed.
  const { errorMessage, isWrongUsage } = await import('./error-message.ts')
  process.stderr.write(`${errorMessage(error)}\n`)
  return isWrongUsage(error) ? 2 : 1
}
