import type { Command } from 'commander'
import { installedFile } from '#installation'

export const addOpenapi = (program: Command): void => {
  program
    .command('openapi')
    .description('Print the OpenAPI document.')
    .option('--query', 'print the document of the query API')
    .option('--feed', 'print the document of the change feed')
    .option('--ingest', 'print the document of the ingest API')
    .option('--json', 'print JSON, the only format')
    .action(async (options: { query?: boolean; feed?: boolean; ingest?: boolean }) => {
      const part = (['query', 'feed', 'ingest'] as const).find((each) => options[each])
      const name = part ? `connectors/openapi.${part}.json` : 'openapi.json'
      process.stdout.write(await installedFile(name))
    })
}
