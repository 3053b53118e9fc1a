import type { Command } from 'commander'
import { linksPath } from '#contract'
import { issueLink, listLinks, removeLink } from '#operator'
import { type Records, readServiceConfig } from '#server'
import { asTable, createOutput } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

interface AddOptions {
  readonly key: string
  readonly brand?: string
  readonly name?: string
  readonly expires?: string
  readonly json?: boolean
}

export const addLinks = (program: Command): void => {
  const links = program
    .command('links')
    .description('Issue, list and remove links to downloads, for Excel and Google Sheets.')

  links
    .command('add')
    .description('Issue a link to a download. It is shown only once.')
    .argument('<download>', 'a list with its parameters, such as orders?view=late&format=csv')
    .requiredOption('--key <id>', 'the key whose rights the link has, as keys list shows it')
    .option('--brand <slug>', 'the brand, if the key can read several')
    .option('--name <name>', 'what the link is for')
    .option('--expires <when>', 'a time in ISO 8601, or a duration such as 90d', '90d')
    .option('--json', 'print JSON')
    .action((download: string, { json, key, ...options }: AddOptions) =>
      withLinks(async (records) => {
        const { token, ...link } = await issueLink(operatorOf(records), {
          ...options,
          download,
          keyId: key,
        })
        const url = `${readServiceConfig().publicUrl ?? ''}${linksPath}/${token}`
        if (!json) {
          process.stderr.write(
            `Issued ${link.id} for ${key}, until ${link.expiresAt}.\nEverybody who has the link can read the download. It is shown only once:\n`,
          )
        }
        createOutput(Boolean(json)).result({ ...link, url }, () => url)
      }),
    )

  links
    .command('list')
    .description('List the links without their secrets.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withLinks(async (records) => {
        const all = await listLinks(operatorOf(records))
        createOutput(Boolean(options.json)).result(all, () =>
          all.length === 0
            ? 'There are no links. Issue one: selvedge links add <download> --key <id>'
            : asTable(
                ['id', 'name', 'key', 'brand', 'download', 'state', 'expires'],
                all.map(({ id, name, keyId, brand, group, query, state, expiresAt }) => [
                  ...[id, name, keyId, brand, `${group}?${query}`],
                  ...[state.replaceAll('_', ' '), expiresAt],
                ]),
              ),
        )
      }),
    )

  links
    .command('remove')
    .description('Remove a link. All servers reject it at once.')
    .argument('<id>', 'the id of the link, as links list shows it')
    .option('--json', 'print JSON')
    .action((id: string, options: { json?: boolean }) =>
      withLinks(async (records) => {
        const removed = await removeLink(records, id)
        createOutput(Boolean(options.json)).result(removed, () => `Removed ${removed.id}.`)
      }),
    )
}

/** Does not wait for an import that holds the write lock, so that links can be removed at once. */
const withLinks = (work: (records: Records) => Promise<void>): Promise<void> =>
  withRecords(work, { repairsSecurity: false })
