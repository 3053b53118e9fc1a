import type { Command } from 'commander'
import { addBrand } from '#operator'
import type { UpdateOptions } from './brand-checks.ts'
import type { RemoveOptions } from './brand-removal.ts'
import { checksWords } from './checks-words.ts'
import { asTable, createOutput } from './output.ts'
import { operatorOf, withRecords } from './records.ts'

interface AddOptions {
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly timezone: string
  readonly json?: boolean
}

export const addBrands = (program: Command): void => {
  const brands = program.command('brands').description('Add, list, update and remove brands.')

  brands
    .command('add')
    .description('Add a brand. Then import its records with --brand <slug>.')
    .argument('<slug>', 'its name in every path: lower-case letters, digits and hyphens')
    .requiredOption('--name <name>', 'its name (required)')
    .option('--country <code>', 'its country code, ISO 3166-1', 'US')
    .option('--currency <code>', 'its base currency code, ISO 4217', 'USD')
    .option('--timezone <zone>', 'its IANA time zone', 'UTC')
    .option('--json', 'print JSON')
    .action((slug: string, options: AddOptions) =>
      withRecords(
        async (records) => {
          const record = await addBrand(operatorOf(records), { slug, ...options })
          createOutput(Boolean(options.json)).result(
            record,
            () => `Added ${record.name}. Issue a key for it: selvedge keys issue --brand ${slug}`,
          )
        },
        { creates: true },
      ),
    )

  brands
    .command('list')
    .description(
      'List the brands, how many records they have (all that a key can read, and those that are not shared), and their checks.',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withRecords(async ({ store }) => {
        const all = await store.brands()
        createOutput(Boolean(options.json)).result(all, () =>
          all.length === 0
            ? 'There are no brands. Add one: selvedge brands add <slug> --name <name>'
            : asTable(
                ['slug', 'name', 'records', 'of its own', 'checks'],
                all.map(({ slug, name, records, own, checks }) => [
                  slug,
                  name,
                  String(records),
                  String(own),
                  checksWords(checks),
                ]),
              ),
        )
      }),
    )

  brands
    .command('update')
    .description(
      'Set whether codes and unique keys refuse new and changed records. First prints how many stored records break each.',
    )
    .argument('[slug]', 'the brand')
    .requiredOption(
      '--checks <modes>',
      'enforce or warn for all checks, or for some: currency=warn,orders.orderNumber=enforce (required)',
    )
    .option('--shared', 'the records that all brands share, instead of a brand')
    .option('--json', 'print JSON')
    .action((slug: string | undefined, options: UpdateOptions) =>
      withRecords(async (records) => {
        const { updateBrand } = await import('./brand-checks.ts')
        await updateBrand(records, slug, options)
      }),
    )

  brands
    .command('remove')
    .description(
      'Remove a brand and everything that belongs to it. Without --yes, show what that is.',
    )
    .argument('<slug>', 'the brand')
    .option('--yes', 'remove it')
    .option('--images', 'remove its image files too')
    .option('--json', 'print JSON')
    .action((slug: string, options: RemoveOptions) =>
      withRecords(async (records) => {
        const { showRemoval } = await import('./brand-removal.ts')
        await showRemoval(records, slug, options)
      }),
    )
}
