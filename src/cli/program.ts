import { Command } from 'commander'
import { addBrands } from './brands.ts'
import { addCheck } from './check.ts'
import { addDemo } from './demo.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addKeys } from './keys.ts'
import { addMcp } from './mcp.ts'
import { addOpenapi } from './openapi.ts'
import { addPull } from './pull.ts'
import { addServe } from './serve.ts'

const commands = [
  addServe,
  addBrands,
  addKeys,
  addImport,
  addExport,
  addPull,
  addCheck,
  addDemo,
  addOpenapi,
  addMcp,
]

/** The whole command line, ready to parse. Nothing runs and nothing is opened until then. */
export const buildProgram = (release: string): Command => {
  const program = new Command('selvedge')
    .description("Read-only HTTP/JSON access to a brand's supply-chain records.")
    .version(release)
    .showHelpAfterError('See --help.')
    .exitOverride()
  for (const add of commands) add(program)
  inherit(program)
  return program
}

/** Commands of commands end in the same way as the program does. */
const inherit = (command: Command): void => {
  for (const each of command.commands) {
    each.copyInheritedSettings(command)
    inherit(each)
  }
}
