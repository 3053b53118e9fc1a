import type { Command } from 'commander'
import type { OperatorNewView } from '#contract'
import { addView, listViews, removeView } from '#operator'
import { asTable, createOutput, shorten } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

interface BrandOptions {
  readonly brand: string
  readonly json?: boolean
}

/** Characters of a query in a table. */
const queryMax = 80

export const addViews = (program: Command): void => {
  const views = program
    .command('views')
    .description('Publish views of lists, which everybody who reads a brand sees in the console.')

  views
    .command('list')
    .description('List the published views of a brand.')
    .requiredOption('--brand <slug>', 'the brand (required)')
    .option('--json', 'print JSON')
    .action(({ brand, json }: BrandOptions) =>
      withRecords(async (records) => {
        const { items } = await listViews(operatorOf(records), brand)
        createOutput(Boolean(json)).result(items, () =>
          items.length === 0
            ? `${brand} has no published views. Publish one: selvedge views add --brand ${brand} --name <name> <link>`
            : asTable(
                ['name', 'group', 'parameters', 'problem'],
                items.map(({ name, group, query, problem }) => [
                  name,
                  group,
                  shorten(query, queryMax),
                  problem ?? '',
                ]),
              ),
        )
      }),
    )

  views
    .command('add')
    .description('Publish a view: filters, order, columns and grouping of a list, with a name.')
    .argument('[link]', 'the link of the list, as the console copies it')
    .requiredOption('--brand <slug>', 'the brand (required)')
    .option('--name <name>', 'its name; that in the link by default')
    .option('--group <group>', 'the group, instead of a link')
    .option('--query <parameters>', 'the parameters of its list: view=late&orderDate.gte=today-30')
    .option('--json', 'print JSON')
    .action((link: string | undefined, { brand, json, ...view }: BrandOptions & OperatorNewView) =>
      withRecords(async (records) => {
        const added = await addView(operatorOf(records), brand, { ...view, link })
        createOutput(Boolean(json)).result(
          added,
          () => `Published ${added.name}. The console shows it in the list of ${added.group}.`,
        )
      }),
    )

  views
    .command('remove')
    .description('Remove a published view.')
    .requiredOption('--brand <slug>', 'the brand (required)')
    .requiredOption('--name <name>', 'its name (required)')
    .option('--json', 'print JSON')
    .action(({ brand, name, json }: BrandOptions & { readonly name: string }) =>
      withRecords(async (records) => {
        await removeView(operatorOf(records), brand, name)
        createOutput(Boolean(json)).result({ brand, name }, () => `Removed ${name}.`)
      }),
    )
}
