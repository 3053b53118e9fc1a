import type { Command } from 'commander'
import { formatCount } from '#contract'
import { plainText } from '#ingest'
import { discardRows as discard, type Remedy, type RowsRequest, readRowsRequest } from '#operator'
import { type QuarantinedRow, type Store, sharedOwner } from '#store'
import { asTable, CommandError, createOutput, shorten, UsageError } from './output.ts'
import { withRecords } from './records.ts'
import { type WrittenFile, writeCorrections } from './write-corrections.ts'

interface RowsOptions {
  readonly brand?: string
  readonly shared?: boolean
  readonly collection?: string
  readonly source?: string
  readonly json?: boolean
}

interface ListOptions extends RowsOptions {
  readonly limit: string
  readonly write?: string
}

interface DiscardOptions extends RowsOptions {
  readonly yes?: boolean
}

type ParkedOptions = ListOptions & DiscardOptions & { readonly discard?: boolean }

const limitMax = 100_000
/** Maximum length of a name and of a problem in the table. */
const [titleMax, problemMax] = [40, 160]

/** Adds the commands for quarantined rows to `intake`. */
export const addQuarantinedRows = (intake: Command): void => {
  addFilters(
    intake
      .command('rows')
      .description(
        'List the rows in quarantine: those that cannot be stored now, with the reason.',
      ),
  )
    .option('--limit <n>', 'how many rows are listed, those that wait longest first', '100')
    .option(
      '--write <path>',
      'write all these rows as received, with their reasons, to a file to correct and import again; a folder takes a file for each layout',
    )
    .option('--json', 'print JSON')
    .action((options: ListOptions) =>
      options.write === undefined ? listRows(options) : writeRows(options, options.write),
    )

  addFilters(
    intake
      .command('discard-rows')
      .description(
        'Delete rows in quarantine. They come in again only if their source sends them again.',
      )
      .argument('[id...]', 'their ids, as listed; all without one'),
  )
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
    .action((ids: string[], options: DiscardOptions) => discardRows(ids, options))
}

/** `parked` is an earlier name of the list. */
export const addParked = (program: Command): void => {
  addFilters(
    program
      .command('parked')
      .description('List the rows in quarantine, as selvedge intake rows does.'),
  )
    .option('--limit <n>', 'how many rows are listed, those that wait longest first', '100')
    .option('--discard', 'delete the rows; with --yes')
    .option('--yes', 'confirm --discard')
    .option('--json', 'print JSON')
    .action((options: ParkedOptions) =>
      options.discard ? discardRows([], options) : listRows(options),
    )
}

const addFilters = (command: Command): Command =>
  command
    .option('--brand <slug>', 'the brand that owns the rows')
    .option('--shared', 'the rows are shared by all brands')
    .option('--collection <path>', 'the rows of one collection')
    .option('--source <name>', 'the rows of one source, as selvedge sources lists it')

const listRows = (options: ListOptions): Promise<void> => {
  const limit = Number(options.limit)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= limitMax)) {
    throw new UsageError(
      `--limit must be a whole number from 1 to ${limitMax.toLocaleString('en')}.`,
    )
  }
  return withRows(options, async ({ quarantine }, request) => {
    const { total, rows } = await quarantine.list({ ...request, limit })
    createOutput(Boolean(options.json)).result({ total, rows }, () => listing(total, rows))
  })
}

const writeRows = (options: ListOptions, path: string): Promise<void> =>
  withRows(options, async (store, request) => {
    const { files, unreadable } = await writeCorrections(store, request, path)
    createOutput(Boolean(options.json)).result({ files, unreadable }, () =>
      files.length + unreadable === 0
        ? 'No rows are in quarantine.'
        : [
            ...(files.length > 0 ? writtenSentences(files) : []),
            ...(unreadable > 0
              ? [
                  `${formatCount(unreadable, 'row')} ${unreadable === 1 ? 'is' : 'are'} too long, or could not be split into cells. Correct ${unreadable === 1 ? 'it' : 'them'} in the source.`,
                ]
              : []),
          ].join('\n'),
    )
  })

const writtenSentences = (files: readonly WrittenFile[]): readonly string[] => {
  const some = (remedy: Remedy, sentence: string) =>
    files.some((file) => file.remedy === remedy) ? [sentence] : []
  return [
    asTable(
      ['file', 'rows', 'correct it'],
      files.map(({ file, rows, remedy }) => [plainText(file), String(rows), places[remedy]]),
    ),
    '',
    ...some(
      'import',
      `${places.import}: correct the rows, and drop the file into the watched folder or import it, with the mapping that the rows came by. Leave the column selvedge_row as it is.`,
    ),
    ...some(
      'database',
      `${places.database}: the file is for reading. The next round of the sync settles rows that are corrected there.`,
    ),
    ...some('sender', `${places.sender}: the file is for reading. Send the corrected rows again.`),
  ]
}

/** Where rows are corrected. */
const places = {
  import: 'in the file',
  database: 'in the database',
  sender: 'at the sender',
} as const satisfies Record<Remedy, string>

const discardRows = (ids: readonly string[], options: DiscardOptions): Promise<void> =>
  withRows(options, async ({ quarantine }, request) => {
    const total = ids.length || (await quarantine.list({ ...request, limit: 1 })).total
    if (!options.yes && total > 0) {
      throw new CommandError(
        `This deletes ${formatCount(total, 'quarantined row')}. They come in again only if their source sends them again. Add --yes to delete them.`,
      )
    }
    const discarded = await discard({ quarantine }, request, ids.length > 0 ? ids : null)
    createOutput(Boolean(options.json)).result(
      { discarded },
      () => `Deleted ${formatCount(discarded, 'quarantined row')}.`,
    )
  })

const withRows = (
  { brand, shared, collection, source }: RowsOptions,
  work: (store: Store, request: RowsRequest) => Promise<void>,
): Promise<void> => {
  if (Boolean(brand) === Boolean(shared)) {
    throw new UsageError('Name the owner of the rows: use either --brand <slug> or --shared.')
  }
  return withRecords(async ({ store }) => {
    const request = { brand: brand ?? sharedOwner, collection, source }
    await work(store, await readRowsRequest(store, request))
  })
}

const listing = (total: number, rows: readonly QuarantinedRow[]): string => {
  if (total === 0) return 'No rows are in quarantine.'
  const table = asTable(
    ['id', 'collection', 'name', 'problem', 'source', 'file', 'line', 'since'],
    rows.map((row) => [
      ...[row.id, row.collection, shorten(plainText(nameOf(row)), titleMax)],
      shorten(plainText(problemOf(row)), problemMax),
      ...[plainText(row.source?.name ?? '-'), plainText(row.file), String(row.line), row.since],
    ]),
  )
  const more = total - rows.length
  return more > 0
    ? `${table}\n\n… and ${formatCount(more, 'more row')}; --limit <n> lists them.`
    : table
}

/** The key of a mapped row in its own words; the title of another one. */
const nameOf = ({ title, key, isMapped, problems: [first] }: QuarantinedRow): string =>
  (isMapped ? first?.key : null) ?? title ?? first?.key ?? key?.join(':') ?? '-'

const problemOf = ({ problems: [first] }: QuarantinedRow): string =>
  first
    ? [first.field, first.value && `(${first.value})`, first.reason].filter(Boolean).join(' ')
    : ''
