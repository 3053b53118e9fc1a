import { Command } from 'commander'

/** The file of each command, which is loaded when the command is used, or its help is. */
const commands: { readonly [name: string]: () => Promise<(program: Command) => void> } = {
  serve: async () => (await import('./serve.ts')).addServe,
  brands: async () => (await import('./brands.ts')).addBrands,
  keys: async () => (await import('./keys.ts')).addKeys,
  map: async () => (await import('./map.ts')).addMap,
  import: async () => (await import('./import.ts')).addImport,
  parked: async () => (await import('./parked.ts')).addParked,
  images: async () => (await import('./images.ts')).addImages,
  watch: async () => (await import('./watch.ts')).addWatch,
  sync: async () => (await import('./sync.ts')).addSync,
  export: async () => (await import('./export.ts')).addExport,
  pull: async () => (await import('./pull.ts')).addPull,
  query: async () => (await import('./query.ts')).addQuery,
  check: async () => (await import('./check.ts')).addCheck,
  demo: async () => (await import('./demo.ts')).addDemo,
  openapi: async () => (await import('./openapi.ts')).addOpenapi,
  sources: async () => (await import('./sources.ts')).addSources,
  mcp: async () => (await import('./mcp.ts')).addMcp,
}

/**
 * The command line, ready to parse. Nothing runs and nothing is opened until then. With the name of a
 * command it has that one only, and with anything else all of them.
 */
export const buildProgram = async (version: string, name = ''): Promise<Command> => {
  const program = new Command('selvedge')
    .description("Read-only HTTP/JSON access to a brand's supply-chain records.")
    .version(version)
    .showHelpAfterError('See --help.')
    .exitOverride()
  const only = Object.hasOwn(commands, name) ? commands[name] : undefined
  const added = await Promise.all((only ? [only] : Object.values(commands)).map((load) => load()))
  for (const add of added) add(program)
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
