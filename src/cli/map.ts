import type { Command } from 'commander'
import { catalog } from '#contract'
import type { CheckOptions } from './map-check.ts'
import type { InitOptions } from './map-init.ts'
import { addOpenOption } from './open-option.ts'

export const addMap = (program: Command): void => {
  const map = program
    .command('map')
    .description(
      'Propose and check mapping files, which say how rows of other systems become records.',
    )
  map
    .command('init')
    .description('Propose a mapping file for the files or the database of another system.')
    .argument(
      '<source...>',
      'files with the rows of one table each, or folders of them; or the address of a database, or the name of the environment variable that has it',
    )
    .option('--brand <slug>', 'the brand that owns the records')
    .option(
      '--timezone <name>',
      'the time zone of times without an offset. By default that of the brand, or UTC',
    )
    .option(
      '--tables <patterns>',
      "only these tables of a database, such as vendors,po_* or 'purchasing.*'. A pattern means views only if no table matches it",
    )
    .option('--out <file>', 'write the mapping to a new file instead of the standard output')
    .option('--json', 'print JSON with the text of the mapping')
    .action(async (sources: string[], options: InitOptions) => {
      const { initMapping } = await import('./map-init.ts')
      await initMapping(sources, options)
    })
  const check = map
    .command('check')
    .description(
      'Import with a mapping file for trial, from files or its database, and show what becomes of the rows.',
    )
    .argument('<mapping>', 'the mapping file')
    .argument('[path...]', 'files or folders; without any, the queries of the mapping are run')
    .option(
      '--source-url <url>',
      'the address of the database, instead of database in the mapping. Other users of the machine can see it',
    )
    .option('--limit <n>', 'how many rows are read of each query', '10000')
    .option('--brand <slug>', 'the brand that owns the records, if the mapping does not name it')
    .option('--rows <n>', 'how many rows are shown before and after', '3')
  addOpenOption(check)
    .option('--json', 'print JSON')
    .action(async (mapping: string, paths: string[], options: CheckOptions) => {
      const { checkMapping } = await import('./map-check.ts')
      await checkMapping(mapping, paths, options)
    })
  map
    .command('schema')
    .description(
      'Print the JSON Schema of mapping files, with which editors complete and check them.',
    )
    .option('--json', 'print JSON, the only format')
    .action(async () => {
      const { mappingSchema } = await import('#mapping')
      process.stdout.write(`${JSON.stringify(mappingSchema(catalog), null, 1)}\n`)
    })
}
