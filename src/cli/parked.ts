import type { Command } from 'commander'
import { catalog, formatCount } from '#contract'
import { plainText } from '#ingest'
import { type ParkedRow, sharedOwner } from '#store'
import { requireBrand } from './brand.ts'
import { asTable, CommandError, createOutput, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface ParkedOptions {
  readonly brand?: string
  readonly shared?: boolean
  readonly collection?: string
  readonly limit: string
  readonly discard?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

const limitMax = 100_000
/** Maximum length of a name in the table. */
const titleMax = 40

export const addParked = (program: Command): void => {
  program
    .command('parked')
    .description(
      'List the rows that imports with --park keep until the records arrive that they refer to.',
    )
    .option('--brand <slug>', 'the brand that owns the rows')
    .option('--shared', 'the rows are shared by all brands')
    .option('--collection <path>', 'the rows of one collection')
    .option('--limit <n>', 'how many rows are listed, those that wait longest first', '100')
    .option('--discard', 'delete the rows; with --yes')
    .option('--yes', 'confirm --discard')
    .option('--json', 'print JSON')
    .action((options: ParkedOptions) => listOrDiscard(options))
}

const listOrDiscard = (options: ParkedOptions): Promise<void> => {
  if (Boolean(options.brand) === Boolean(options.shared)) {
    throw new UsageError('Name the owner of the rows: use either --brand <slug> or --shared.')
  }
  const { collection } = options
  if (collection !== undefined && !catalog.byPath.has(collection)) {
    throw new UsageError(
      `There is no collection ${collection}. Collections are named as in the API, such as orders or order-items.`,
    )
  }
  const limit = Number(options.limit)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= limitMax)) {
    throw new UsageError(
      `--limit must be a whole number from 1 to ${limitMax.toLocaleString('en')}.`,
    )
  }
  const owner = options.brand ?? sharedOwner
  const output = createOutput(Boolean(options.json))
  return withRecords(async ({ store }) => {
    if (options.brand) await requireBrand(store, options.brand)
    const { total, rows } = await store.parked.list({ owner, collection, limit })
    if (!options.discard) {
      output.result({ total, rows }, () => listing(total, rows))
      return
    }
    if (!options.yes && total > 0) {
      throw new CommandError(
        `This deletes ${formatCount(total, 'parked row')}. They come in again only with another import of their files. Add --yes to delete them.`,
      )
    }
    const discarded = await store.parked.discard({ owner, collection })
    output.result({ discarded }, () => `Deleted ${formatCount(discarded, 'parked row')}.`)
  })
}

const listing = (total: number, rows: readonly ParkedRow[]): string => {
  if (total === 0) return 'No rows are parked.'
  const hasTitles = rows.some(({ title }) => title !== null)
  const table = asTable(
    [
      'collection',
      ...(hasTitles ? ['name'] : []),
      'identity',
      'waits for',
      'file',
      'line',
      'since',
    ],
    rows.map(({ collection, title, key, field, to, value, file, line, since }) => [
      collection,
      ...(hasTitles ? [plainText(title ?? '').slice(0, titleMax)] : []),
      key.join(':'),
      `${field}: ${to} ${value}`,
      file,
      String(line),
      since,
    ]),
  )
  const more = total - rows.length
  return more > 0
    ? `${table}\n\n… and ${formatCount(more, 'more row')}; --limit <n> lists them.`
    : table
}
