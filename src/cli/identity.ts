import type { Command } from 'commander'
import { operatorProblem } from '#config'
import { UsageError } from './output.ts'

/** The command that runs, and who runs it, for the audit log. */
export interface Identity {
  /** Its full name: `keys issue`. */
  readonly command: string
  /** The name given by `--as`. Without it, the configuration decides. */
  readonly operator?: string
}

let current: Identity = { command: 'unknown' }

/** Called before the action of a command. */
export const setIdentity = (command: Command, name: string | undefined): void => {
  const problem = name === undefined ? undefined : operatorProblem(name)
  if (problem) throw new UsageError(`--as ${problem}.`)
  const operator = name === undefined ? {} : { operator: name }
  current = { command: fullName(command), ...operator }
}

export const identity = (): Identity => current

const fullName = (command: Command): string =>
  command.parent?.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
