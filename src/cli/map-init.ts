import { readdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expandVariable } from '#config'
import { catalog, formatCount, isTimezone } from '#contract'
import { DatabaseMissingError } from '#database'
import { plainText, sampleFile } from '#ingest'
import { proposeMapping, quoted, type SampleTable, writeProposal } from '#mapping'
import { brandRecord, requireSlug } from '#operator'
import { createSourceDatabase, sampleDatabase, tablePatterns } from '#sync'
import { CommandError, createOutput, UsageError } from './output.ts'

export interface InitOptions {
  readonly brand?: string
  readonly timezone?: string
  readonly tables?: string
  readonly out?: string
  readonly json?: boolean
}

/** Enough rows to recognise formats and keys, and few enough to read at once. */
const sampleRows = 500

/** Limits for a database: number of tables, and time per statement. */
const tablesMax = 200
const timeoutMs = 30_000
const bytesMax = 1_024 * 1_024 * 1_024

/** The input for a proposed mapping. */
interface Samples {
  readonly tables: readonly SampleTable[]
  /** The URL of the database, as in the mapping. */
  readonly database: string | null
  /** Advice if no table is recognised. */
  readonly advice: string
  /** Omitted parts, and the reasons. */
  readonly notes: readonly string[]
  /** The arguments of `map check` after the mapping. */
  readonly checked: readonly string[]
}

/** Proposes a mapping for files, or for a database. */
export const initMapping = async (
  sources: readonly string[],
  options: InitOptions,
): Promise<void> => {
  const { brand, out } = options
  if (brand !== undefined) requireSlug(brand)
  if (options.timezone !== undefined && !isTimezone(options.timezone)) {
    throw new UsageError(
      `"${options.timezone}" is not a time zone. Use a name such as Europe/Berlin.`,
    )
  }
  const timezone = options.timezone ?? (brand && (await brandTimezone(brand))) ?? 'UTC'
  const database = await databaseOf(sources)
  if (options.tables !== undefined && !database)
    throw new UsageError('--tables needs the address of a database.')
  const samples = database
    ? await databaseSamples(database, options.tables)
    : await fileSamples(sources)
  const proposal = proposeMapping(catalog, samples.tables)
  for (const note of samples.notes) process.stderr.write(`${plainText(note)}\n`)
  if (proposal.collections.length === 0) {
    const names = samples.tables.map(({ name }) => plainText(name)).slice(0, namesShown)
    throw new CommandError(
      `No collection could be recognised in ${names.join(', ')}. ${samples.advice}, or begin with the reference: docs/reference/mapping.md.`,
    )
  }
  const text = writeProposal(proposal, {
    brand: brand ?? null,
    timezone,
    database: samples.database,
  })
  const output = createOutput(Boolean(options.json))
  const result = { mapping: text, out: out ?? null }
  if (out === undefined) {
    output.result(result, () => text.trimEnd())
    return
  }
  try {
    await writeFile(out, text, { flag: 'wx' })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandError(
      code === 'EEXIST'
        ? `${out} exists already. Choose another name for --out.`
        : `${out} cannot be written: ${code}.`,
    )
  }
  const command = ['selvedge map check', out, ...samples.checked].join(' ')
  output.result(result, () => `${out} is written. To see what it does: ${command}`)
}

const namesShown = 20

/** The time zone of a brand; null if there is no database that has it. A proposal needs none. */
const brandTimezone = async (slug: string): Promise<string | null> => {
  const { withRecords } = await import('./records.ts')
  try {
    const record = await withRecords(({ store }) => brandRecord(store, slug), {
      repairsSecurity: false,
    })
    return record?.timezone ?? null
  } catch (error) {
    if (!(error instanceof DatabaseMissingError)) {
      const reason = error instanceof Error ? error.message : String(error)
      process.stderr.write(`The time zone of ${slug} cannot be read. ${plainText(reason)}\n`)
    }
    return null
  }
}

interface NamedDatabase {
  readonly url: string
  /** As in the mapping, without a password. */
  readonly setting: string
}

const addressPattern = /^(postgres|postgresql|mysql|mariadb):\/\//i
const variablePattern = /^(?:\$\{([A-Za-z_]\w*)\}|([A-Z_][A-Z0-9_]*))$/

/** The database, named by its URL or by the environment variable with it; null for files. */
const databaseOf = async (sources: readonly string[]): Promise<NamedDatabase | null> => {
  const [only = ''] = sources
  const isAddress = addressPattern.test(only)
  const [, expression, name] = variablePattern.exec(only) ?? []
  const variable = expression ?? name
  const isFile = name !== undefined && (await stat(name).catch(() => null)) !== null
  if (isFile || (!isAddress && variable === undefined)) {
    if (sources.some((each) => addressPattern.test(each)))
      throw new UsageError('Name either files or one database.')
    return null
  }
  if (sources.length > 1) throw new UsageError('Name either files or one database.')
  const setting = `\${${variable ?? 'SOURCE_URL'}}`
  if (variable === undefined) return { url: only, setting }
  return { url: expandVariable(setting, 'selvedge map init'), setting }
}

const databaseSamples = async (
  { url, setting }: NamedDatabase,
  patterns: string | undefined,
): Promise<Samples> => {
  const { tables, leftOut, unreadable } = await sampleDatabase(
    createSourceDatabase(url, { timeoutMs, bytesMax }),
    {
      choose: tablePatterns(patterns),
      ...{ tablesMax, rowsMax: sampleRows },
    },
  )
  if (tables.length === 0) {
    throw new CommandError(
      patterns
        ? `The database has no table ${patterns} that can be read.`
        : 'The database has no table that can be read.',
    )
  }
  return {
    tables,
    database: setting,
    advice: 'Name the tables of vendors, items, orders and their lines: --tables vendors,po_*',
    notes: [
      ...unreadable.map(({ table, reason }) => `${table} is left out. ${reason}`),
      ...(leftOut > 0
        ? [
            `${formatCount(leftOut, 'more table')} are left out, because not more than ${tablesMax} are looked at. Choose with --tables, such as --tables 'vendors,po_*'.`,
          ]
        : []),
    ],
    checked: [],
  }
}

const fileSamples = async (paths: readonly string[]): Promise<Samples> => {
  const tables: SampleTable[] = []
  for (const path of await filesOf(paths)) {
    const file = basename(path)
    const stem = file.replace(/\.[a-z.]+$/i, '')
    for (const { sheet, columns, rows, encoding } of await sampleFile(path, sampleRows)) {
      const settings = [
        `files: ${quoted(exportPatternOf(file))}`,
        ...(encoding ? [`encoding: ${encoding}`] : []),
        ...(sheet === null ? [] : [`sheet: ${quoted(sheet)}`]),
      ]
      tables.push({
        name: sheet === null ? file : `${file}, sheet ${sheet}`,
        title: sheet === null || namelessSheet.test(sheet) ? stem : sheet,
        from: `{ ${settings.join(', ')} }`,
        columns,
        rows,
        rowCount: rows.length < sampleRows ? rows.length : null,
        isView: false,
      })
    }
  }
  return {
    tables,
    database: null,
    advice:
      'Name the files after what they hold, such as vendors.csv, po_header.csv or po_lines.csv',
    notes: [],
    checked: paths,
  }
}

/** Names that programs give to sheets. */
const namelessSheet = /^(sheet|tabelle|table|blatt|feuil|hoja|data|daten|export)\W*\d*$/i

/** Files with rows, including those in folders. */
const filesOf = async (paths: readonly string[]): Promise<readonly string[]> => {
  const files: string[] = []
  for (const path of paths) {
    const entry = await stat(path).catch(() => null)
    if (!entry) throw new CommandError(`${path} does not exist or cannot be read.`)
    if (!entry.isDirectory()) files.push(path)
    else {
      const names = (await readdir(path)).sort().filter((name) => tableFile.test(name))
      files.push(...names.map((name) => join(path, name)))
    }
  }
  if (files.length === 0)
    throw new CommandError('There are no files with rows, such as vendors.csv.')
  return files
}

const tableFile = /\.(csv|tsv|xlsx|parquet|json|ndjson|jsonl)(\.gz)?$/i

/** The name with a star instead of a date or number, which differs in the next export. */
const exportPatternOf = (name: string): string => name.replace(/[\d]{4}[\d_.T-]*(?=\.[a-z])/i, '*')
