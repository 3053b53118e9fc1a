import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'

export const addOpenapi = (program: Command): void => {
  program
    .command('openapi')
    .description('Print the OpenAPI document.')
    .option('--json', 'print JSON, which it is anyway')
    .action(async () => {
      process.stdout.write(await readFile(new URL('../../openapi.json', import.meta.url)))
    })
}
