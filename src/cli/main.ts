#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { ConfigRefused } from '#config'
import { DatabaseUnavailable } from '#database'
import { SourceRefused } from '#ingest'
import { releaseOf } from '#service'
import { MigrationRefused } from '#store'
import { addBrands } from './brands.ts'
import { addCheck } from './check.ts'
import { addDemo } from './demo.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKeys } from './keys.ts'
import { addOpenapi } from './openapi.ts'
import { Refused } from './output.ts'
import { addServe } from './serve.ts'

const commands = [addServe, addBrands, addKeys, addImport, addExport, addCheck, addDemo, addOpenapi]

/** Exit codes: 0 done, 1 refused or failed, 2 wrong usage. */
const main = async (): Promise<void> => {
  const program = new Command('selvedge')
    .description("Read-only HTTP/JSON access to a brand's supply-chain records.")
    .version(await releaseOf())
    .showHelpAfterError('See --help.')
    .exitOverride()
  for (const add of commands) add(program)
  inherit(program)
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

/** Commands of commands end in the same way as the program does. */
const inherit = (command: Command): void => {
  for (const each of command.commands) {
    each.copyInheritedSettings(command)
    inherit(each)
  }
}

const exitCodeOf = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof ConfigRefused) {
    say('The configuration cannot be used:', ...error.problems.map((problem) => `  ${problem}`))
  } else if (
    error instanceof Refused ||
    error instanceof MigrationRefused ||
    error instanceof SourceRefused ||
    error instanceof DatabaseUnavailable
  ) {
    say(error.message)
  } else if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    say('The port is taken. Set another with PORT, or 0 for any free one.')
  } else {
    say('Something unexpected went wrong:', String(error instanceof Error ? error.stack : error))
  }
  return 1
}

const say = (...lines: readonly string[]): void => {
  process.stderr.write(`${lines.join('\n')}\n`)
}

await main()
