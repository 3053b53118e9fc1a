import { Command } from 'commander'
import { setIdentity } from './identity.ts'

/** The module of each command, loaded when the command or its help is used. */
const commands: { readonly [name: string]: () => Promise<(program: Command) => void> } = {
  serve: async () => (await import('./serve.ts')).addServe,
  brands: async () => (await import('./brands.ts')).addBrands,
  config: async () => (await import('./config.ts')).addConfig,
  keys: async () => (await import('./keys.ts')).addKeys,
  views: async () => (await import('./views.ts')).addViews,
  links: async () => (await import('./links.ts')).addLinks,
  usage: async () => (await import('./usage.ts')).addUsage,
  map: async () => (await import('./map.ts')).addMap,
  import: async () => (await import('./import.ts')).addImport,
  intake: async () => (await import('./intake.ts')).addIntake,
  parked: async () => (await import('./quarantined-rows.ts')).addParked,
  images: async () => (await import('./images.ts')).addImages,
  watch: async () => (await import('./watch.ts')).addWatch,
  sync: async () => (await import('./sync.ts')).addSync,
  export: async () => (await import('./export.ts')).addExport,
  pull: async () => (await import('./pull.ts')).addPull,
  query: async () => (await import('./query.ts')).addQuery,
  check: async () => (await import('./check.ts')).addCheck,
  demo: async () => (await import('./demo.ts')).addDemo,
  openapi: async () => (await import('./openapi.ts')).addOpenapi,
  admin: async () => (await import('./admin.ts')).addAdmin,
  audit: async () => (await import('./audit.ts')).addAudit,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./restore.ts')).addRestore,
  database: async () => (await import('./database.ts')).addDatabase,
  status: async () => (await import('./status.ts')).addStatus,
  sources: async () => (await import('./sources.ts')).addSources,
  mcp: async () => (await import('./mcp.ts')).addMcp,
}

/**
 * Builds the command line. Nothing runs or opens until it is parsed. With the name of a command, it
 * contains only that command; otherwise all of them.
 */
export const buildProgram = async (version: string, name = ''): Promise<Command> => {
  const program = new Command('selvedge')
    .description("Read-only HTTP/JSON access to a brand's supply-chain records.")
    .version(version)
    .option('--as <name>', 'who runs the command, for the audit log; SELVEDGE_OPERATOR by default')
    .showHelpAfterError('See --help.')
    .exitOverride()
    .hook('preAction', (_program, command) => setIdentity(command, program.opts()['as']))
  const only = Object.hasOwn(commands, name) ? commands[name] : undefined
  const added = await Promise.all((only ? [only] : Object.values(commands)).map((load) => load()))
  for (const add of added) add(program)
  inherit(program)
  return program
}

/** Subcommands exit in the same way as the program. */
const inherit = (command: Command): void => {
  for (const each of command.commands) {
    each.copyInheritedSettings(command)
    inherit(each)
  }
}
