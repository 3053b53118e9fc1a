import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { catalog, checkRecord, patterns, type RecordAt, resourceAt } from '#contract'
import { asTable, CommandError, createOutput } from './output.ts'
import { withRecords } from './records.ts'

interface AddOptions {
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly timezone: string
  readonly json?: boolean
}

export const addBrands = (program: Command): void => {
  const brands = program.command('brands').description('Add and list the brands that are served.')

  brands
    .command('add')
    .description('Add a brand. Its records are then imported under its slug.')
    .argument('<slug>', 'what stands for it in every path: lower-case letters, digits, hyphens')
    .requiredOption('--name <name>', 'its name (required)')
    .option('--country <code>', 'its country, ISO 3166-1', 'US')
    .option('--currency <code>', 'its base currency, ISO 4217', 'USD')
    .option('--timezone <zone>', 'its IANA time zone', 'UTC')
    .option('--json', 'print JSON')
    .action((slug: string, options: AddOptions) =>
      withRecords(
        async ({ store }) => {
          if (!new RegExp(patterns.brand).test(slug)) {
            throw new CommandError(
              `"${slug}" is not a valid slug: 1 to 63 lower-case letters, digits and hyphens, with no hyphen at either end.`,
            )
          }
          refuseUnknownCodes(options)
          if (await store.has(slug)) throw new CommandError(`There is a brand ${slug} already.`)
          const record = newBrand(slug, options, new Date().toISOString())
          const resource = resourceAt(catalog, 'brand')
          const [problem] = checkRecord(resource, record)
          if (problem) throw new CommandError(`${problem.pointer.slice(1)} ${problem.reason}.`)
          await store.write(slug, async (writer) => {
            await writer.stage(resource, [record])
            await writer.merge(resource)
          })
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
      'List the brands, with their records: all that a key can read, shared ones included, and those of their own.',
    )
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withRecords(async ({ store }) => {
        const all = await store.brands()
        createOutput(Boolean(options.json)).result(all, () =>
          all.length === 0
            ? 'There are no brands. Add one: selvedge brands add <slug> --name <name>'
            : asTable(
                ['slug', 'name', 'records', 'of its own'],
                all.map(({ slug, name, records, own }) => [
                  slug,
                  name,
                  String(records),
                  String(own),
                ]),
              ),
        )
      }),
    )
}

/** Codes are open texts to the API; a slip of the keyboard is better met here. */
const refuseUnknownCodes = ({ country, currency, timezone }: AddOptions): void => {
  if (!/^[A-Z]{2}$/.test(country))
    throw new CommandError(`${country} is no country code such as PT.`)
  if (!/^[A-Z]{3}$/.test(currency))
    throw new CommandError(`${currency} is no currency code such as EUR.`)
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw new CommandError(`${timezone} is no time zone such as Europe/Lisbon.`)
  }
}

const newBrand = (slug: string, options: AddOptions, now: string): RecordAt<'brand'> => ({
  id: randomUUID(),
  slug,
  name: options.name,
  legalName: null,
  countryCode: options.country,
  baseCurrencyCode: options.currency,
  timezone: options.timezone,
  website: null,
  defaultIncotermCode: null,
  createdAt: now,
  updatedAt: now,
})
