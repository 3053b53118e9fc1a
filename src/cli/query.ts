import { type Command, Option } from 'commander'
import {
  catalog,
  formatCount,
  isJsonObject,
  type JsonValue,
  limits,
  type Resource,
  wholeScope,
} from '#contract'
import { createQueryCursors } from '#cursors'
import { columnsOf, csvHeader, csvRow, exactCsv } from '#formats'
import { requireBrand } from '#operator'
import { createListQueries, pageEnd } from '#reading'
import { closeGroups } from '#request'
import { decodeBody, type Store } from '#store'
import { asTable, CommandError, createOutput, shorten, UsageError } from './output.ts'
import { withRecords } from './records.ts'

interface QueryOptions {
  readonly brand: string
  readonly where?: readonly string[]
  readonly view?: string
  readonly asOf?: string
  readonly sort?: string
  readonly fields?: string
  readonly limit: string
  readonly format?: Format
  readonly json?: boolean
}

const formats = ['table', 'csv', 'json'] as const
type Format = (typeof formats)[number]

export const addQuery = (program: Command): void => {
  program
    .command('query')
    .description("Query a list of a brand's records: filters, ranges, views, any order.")
    .argument('<group>', 'the group, such as orders or order-items')
    .requiredOption('--brand <slug>', 'the brand (required)')
    .option(
      '--where <name=value>',
      'a parameter of the query API, such as status=sent or orderDate.gte=2026-01-01; repeat for several',
      (text, before: string[] = []) => [...before, text],
    )
    .option('--view <name>', 'only the records of a view, such as late')
    .option('--as-of <date>', 'the day that a view takes for today')
    .option('--sort <field>', 'the order; descending with - before it')
    .option('--fields <names>', 'only these fields, separated by commas')
    .option('--limit <n>', 'how many records to print, at most', '25')
    .addOption(new Option('--format <format>', 'how to print them').choices(formats))
    .option('--json', 'print JSON, as --format json does')
    .action((group: string, options: QueryOptions) => query(group, options))
}

const query = async (group: string, options: QueryOptions): Promise<void> => {
  const resource = groupAt(group)
  const limit = readLimit(options.limit)
  const parameters = parametersOf(options)
  const format = options.format ?? (options.json ? 'json' : 'table')
  await withRecords(async ({ store, secret }) => {
    await requireBrand(store, options.brand)
    const result = await readRecords({ store, secret, resource, limit, parameters }, options.brand)
    const shown = options.fields?.split(',') ?? null
    if (format === 'csv') return printCsv(resource, shown, result)
    createOutput(format === 'json').result(result, () => asText(resource, shown, result))
  })
}

const groupAt = (group: string): Resource => {
  const resource = catalog.byPath.get(group)
  if (resource?.endpoints.includes('list')) return resource
  const meant = closeGroups(catalog, group)
  throw new CommandError(
    `There is no list ${group}.${meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : ' docs/reference/resources lists all groups.'}`,
  )
}

/** Records are collected in memory before they are printed. */
const recordsMax = 100_000

const readLimit = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= recordsMax) return Number(text)
  throw new UsageError(
    `--limit is not a whole number from 1 to ${recordsMax}. For more records, use selvedge export or a download of the query API.`,
  )
}

/** Converts the options to parameters of the query API. */
const parametersOf = (options: QueryOptions): readonly (readonly [string, string])[] => {
  const where = (options.where ?? []).map((text) => {
    const equals = text.indexOf('=')
    if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)] as const
    throw new UsageError(
      `--where ${text} has no value. Write it as name=value, such as status=sent.`,
    )
  })
  const named = {
    view: options.view,
    asOf: options.asOf,
    sort: options.sort,
    fields: options.fields,
  }
  return [
    ...where,
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ]
}

interface Reading {
  readonly store: Store
  readonly secret: string
  readonly resource: Resource
  readonly limit: number
  readonly parameters: readonly (readonly [string, string])[]
}

type JsonRecord = { readonly [name: string]: JsonValue }

interface Result {
  readonly items: readonly JsonRecord[]
  readonly totalItems: number
  readonly asOf?: string
}

/** The first records of a list, page by page. */
const readRecords = async (
  { store, secret, resource, limit, parameters }: Reading,
  brand: string,
): Promise<Result> => {
  const parts = { store, queryCursors: createQueryCursors(secret), now: Date.now }
  const open = createListQueries(parts, resource)
  const items: JsonRecord[] = []
  let cursor: string | null = null
  for (;;) {
    const size = Math.min(limit - items.length, limits.pageSize.maximum)
    const text = new URLSearchParams([
      ...parameters.map(([name, value]) => [name, value]),
      ['limit', String(size)],
      ...(cursor === null ? [] : [['cursor', cursor]]),
    ]).toString()
    const question = await open(brand, text, wholeScope)
    const page = await store.query(question.request)
    items.push(...(JSON.parse(`[${decodeBody(page.items)}]`) as JsonRecord[]))
    const { nextCursor, ...end } = pageEnd(parts, question, page)
    if (nextCursor === null || items.length >= limit) return { items, ...end }
    cursor = nextCursor
  }
}

const printCsv = (resource: Resource, shown: readonly string[] | null, { items }: Result): void => {
  const columns = columnsOf(resource).filter(
    ({ field }) => !shown || shown.includes(field) || resource.key.includes(field),
  )
  process.stdout.write(csvHeader(columns, exactCsv))
  for (const item of items) process.stdout.write(csvRow(columns, exactCsv, item, () => null))
}

const asText = (
  resource: Resource,
  shown: readonly string[] | null,
  { items, totalItems, asOf }: Result,
): string => {
  const columns = shown ?? tableColumns(resource)
  const count = `${formatCount(items.length, 'record')} of ${totalItems.toLocaleString('en')}${asOf ? `, as of ${asOf}` : ''}.`
  if (items.length === 0)
    return `No record of ${resource.path} matches${asOf ? ` as of ${asOf}` : ''}.`
  const rows = items.map((item) => columns.map((name) => cellText(item[name] ?? null)))
  return [asTable(columns, rows), '', count].join('\n')
}

/** The title and status of a record, and its sortable fields. */
const tableColumns = ({ title, key, fields, sortable }: Resource): readonly string[] => [
  ...new Set([
    ...(title ? [title] : key),
    ...('status' in fields ? ['status'] : []),
    ...sortable.filter((name) => name !== 'updatedAt' && name !== 'createdAt'),
    ...sortable.slice(-1),
  ]),
]

/** Maximum length of a table cell. */
const cellMax = 40

const cellText = (value: JsonValue): string => {
  if (value === null) return '–'
  const text = Array.isArray(value) || isJsonObject(value) ? JSON.stringify(value) : String(value)
  return shorten(text.replaceAll(/\s+/g, ' '), cellMax)
}
