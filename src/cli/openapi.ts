import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'

export const addOpenapi = (program: Command): void => {
  program
    .command('openapi')
    .description('Print the OpenAPI document.')
    .option('--query', 'print the document of the query API')
    .option('--feed', 'print the document of the change feed')
    .option('--json', 'print JSON, the only format')
    .action(async (options: { query?: boolean; feed?: boolean }) => {
      const part = options.query ? 'query.' : options.feed ? 'feed.' : ''
      const name = `openapi.${part}json`
      process.stdout.write(await readFile(new URL(`../../${name}`, import.meta.url)))
    })
}
