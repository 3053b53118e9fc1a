import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'

export const addOpenapi = (program: Command): void => {
  program
    .command('openapi')
    .description('Print the OpenAPI document.')
    .option('--feed', 'print the document of the change feed')
    .option('--json', 'print JSON, the only format')
    .action(async (options: { feed?: boolean }) => {
      const name = options.feed ? 'openapi.feed.json' : 'openapi.json'
      process.stdout.write(await readFile(new URL(`../../${name}`, import.meta.url)))
    })
}
