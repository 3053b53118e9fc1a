import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { CanonicalScanner, Catalog, Resource } from '#contract'
import { nearest } from '#request'
import { readCsv } from './read-csv.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { plainText } from './report.ts'
import { SourceError, type SourceRow, type SourceRows } from './row.ts'

export type Format = 'ndjson' | 'json' | 'csv'

/** A file, or the standard input, and the collection its records belong to. */
export interface Source {
  /** As reports show it. */
  readonly name: string
  readonly resource: Resource
  readonly format: Format
  readonly gzipped: boolean
  /** Null when it is not known in advance. */
  readonly bytes: number | null
  /** A file's path, or an open stream. */
  readonly from: string | Readable
}

export interface SourceOptions {
  readonly catalog: Catalog
  /** The collection of every source, instead of the one in its name. */
  readonly collection?: string | undefined
  readonly format?: Format | undefined
  readonly input: Readable
  /** Called with each file of a folder that is skipped, because it is not named after a collection. */
  readonly onSkipped?: (path: string) => void
}

/** What files are called: the collection, the format, and whether they are compressed. */
const namePattern = /^(?<stem>.+?)\.(?<extension>[a-z]+)(?<gz>\.gz)?$/i

const formats: { readonly [extension: string]: Format } = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
  tsv: 'csv',
}

/** Files that hold tables in a format that is not supported, and what to do with them. */
const foreignFormats: { readonly [extension: string]: string } = {
  xlsx: 'Excel files are not supported: save it as CSV UTF-8',
  xls: 'Excel files are not supported: save it as CSV UTF-8',
  ods: 'spreadsheets are not supported: save it as CSV in UTF-8',
  numbers: 'spreadsheets are not supported: export it as CSV in UTF-8',
  parquet: 'Parquet files are not supported: write it as NDJSON or CSV',
  xml: 'XML files are not supported: write it as NDJSON or CSV',
  zip: 'ZIP files are not supported: unpack it',
}

interface FileName {
  readonly stem: string
  readonly format: Format | undefined
  /** Why a file with this extension is not supported. */
  readonly foreign: string | undefined
}

const readName = (path: string): FileName => {
  const { groups } = namePattern.exec(basename(path)) ?? {}
  const extension = groups?.['extension']?.toLowerCase() ?? ''
  return {
    stem: groups?.['stem'] ?? basename(path),
    format: Object.hasOwn(formats, extension) ? formats[extension] : undefined,
    foreign: Object.hasOwn(foreignFormats, extension) ? foreignFormats[extension] : undefined,
  }
}

/** The sources that paths name: files, every file of a folder that is named after a collection, `-` for standard input. */
export const findSources = async (
  paths: readonly string[],
  options: SourceOptions,
): Promise<readonly Source[]> => {
  const sources: Source[] = []
  for (const path of paths) {
    if (path === '-') sources.push(standardInput(options))
    else if (await isFolder(path)) sources.push(...(await folderSources(path, options)))
    else sources.push(await fileSource(path, options))
  }
  return sources
}

/** How many files of a folder are named in one message. */
const namedMax = 20

/**
 * The files of a folder that are named after a collection. One whose name is almost that of a
 * collection is rejected: a replacement would remove its records. The others are skipped.
 */
const folderSources = async (path: string, options: SourceOptions): Promise<readonly Source[]> => {
  const { catalog, onSkipped = () => undefined } = options
  const sources: Source[] = []
  const rejected: string[] = []
  const skipped: string[] = []
  for (const name of (await readdir(path)).sort()) {
    const { stem, format, foreign } = readName(name)
    const suggestion = format || foreign ? nearest(stem, [...catalog.byPath.keys()]) : undefined
    if (format && catalog.byPath.has(stem)) {
      sources.push(await fileSource(join(path, name), options))
    } else if (suggestion && foreign) rejected.push(`${plainText(name)}: ${foreign}`)
    else if (suggestion) {
      rejected.push(
        `${plainText(name)}: there is no collection ${stem}; did you mean ${suggestion}?`,
      )
    } else skipped.push(join(path, name))
  }
  if (rejected.length > 0) {
    const more = rejected.length - namedMax
    throw new SourceError(
      [
        `${path} has files that are almost named after a collection. Rename them, or move them out of the folder:`,
        ...rejected.slice(0, namedMax).map((each) => `  ${each}`),
        ...(more > 0 ? [`  … and ${more} more`] : []),
      ].join('\n'),
    )
  }
  if (sources.length === 0) {
    throw new SourceError(`${path} has no file named after a collection, such as orders.ndjson`)
  }
  for (const each of skipped) onSkipped(each)
  return sources
}

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    throw new SourceError(`${path} does not exist or cannot be read`)
  }
}

const fileSource = async (path: string, options: SourceOptions): Promise<Source> => {
  const name = readName(path)
  const format = options.format ?? name.format
  if (!format && name.foreign) throw new SourceError(`${path}: ${name.foreign}`)
  if (!format) {
    throw new SourceError(
      `${path} has no known file extension: use .ndjson, .json or .csv (each also with .gz), or --format`,
    )
  }
  const collection = options.collection ?? name.stem
  const where = options.collection === undefined ? path : '--collection'
  return {
    name: path,
    resource: resourceNamed(options.catalog, collection, where),
    format,
    gzipped: path.toLowerCase().endsWith('.gz'),
    bytes: (await stat(path)).size,
    from: path,
  }
}

const standardInput = (options: SourceOptions): Source => {
  if (!options.collection) {
    throw new SourceError('Standard input has no file name: name its collection with --collection')
  }
  return {
    name: '-',
    resource: resourceNamed(options.catalog, options.collection, '--collection'),
    format: options.format ?? 'ndjson',
    gzipped: false,
    bytes: null,
    from: options.input,
  }
}

const resourceNamed = (catalog: Catalog, collection: string, where: string): Resource => {
  const resource = catalog.byPath.get(collection)
  if (resource) return resource
  const suggestion = nearest(collection, [...catalog.byPath.keys()])
  const advice = suggestion
    ? `did you mean ${suggestion}?`
    : where === '--collection'
      ? 'collections are named as in the API, such as orders or order-items'
      : 'name the file after one, such as orders.ndjson, or use --collection'
  throw new SourceError(`${where}: there is no collection ${plainText(collection)}; ${advice}`)
}

type Read<Rows> = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Rows>

const readers: Record<
  Format,
  (resource: Resource, scanner: CanonicalScanner | undefined) => Read<SourceRows>
> = {
  ndjson: (_, scanner) => (chunks) => readNdjson(chunks, scanner),
  json: () => parsedRows(readJsonArray),
  csv: (resource) => parsedRows(readCsv(resource)),
}

/** The rows of a format that does not have a text for each record. */
const parsedRows = (read: Read<readonly SourceRow[]>): Read<SourceRows> =>
  async function* (chunks) {
    for await (const rows of read(chunks)) yield { rows, canonical: null }
  }

const chunkBytes = 128 * 1_024

export interface ReadOptions {
  /** Called with the number of bytes that were read, before decompression. */
  readonly onBytes: (bytes: number) => void
  /** Recognises rows that need no parsing, where the format has a text for each record. */
  readonly scanner?: CanonicalScanner | undefined
}

/** The rows of a source, in batches. */
export async function* readSource(
  source: Source,
  { onBytes, scanner }: ReadOptions,
): AsyncIterable<SourceRows> {
  const { from } = source
  const raw =
    typeof from === 'string' ? createReadStream(from, { highWaterMark: chunkBytes }) : from
  const withProgress = async function* (): AsyncIterable<Buffer> {
    for await (const chunk of raw) {
      onBytes((chunk as Buffer).length)
      yield chunk as Buffer
    }
  }
  const chunks = rejectForeign(source.gzipped ? gunzip(withProgress()) : withProgress())
  try {
    yield* readers[source.format](source.resource, scanner)(chunks)
  } catch (error) {
    if (error instanceof SourceError) throw new SourceError(`${source.name} ${error.message}`)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_'))
      throw new SourceError(`${source.name} is not complete gzip data: ${code}`)
    if (/^E[A-Z]+$/.test(code)) throw new SourceError(`${source.name} cannot be read: ${code}`)
    throw error
  } finally {
    // Standard input that is still open would keep the process from ending.
    raw.destroy()
  }
}

/** What other kinds of files begin with, and what to do with them. */
const foreignBeginnings: readonly (readonly [Buffer, string])[] = [
  [Buffer.from('PK\u0003\u0004', 'latin1'), 'is an Excel or ZIP file: save it as CSV UTF-8'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'is an Excel file: save it as CSV UTF-8'],
  [Buffer.from([0x1f, 0x8b]), 'is compressed with gzip: name it .gz, or unpack it'],
  [Buffer.from([0xff, 0xfe]), 'is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)'],
  [Buffer.from([0xfe, 0xff]), 'is UTF-16: save it as UTF-8 (in Excel: CSV UTF-8)'],
]

/** Rejects a file of another type by its first bytes. */
async function* rejectForeign(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let hasBegun = false
  for await (const chunk of chunks) {
    const foreign = hasBegun
      ? undefined
      : foreignBeginnings.find(([bytes]) => startsWith(chunk, bytes))
    if (foreign) throw new SourceError(foreign[1])
    hasBegun ||= chunk.length > 0
    yield chunk
  }
}

const startsWith = (chunk: Buffer, bytes: Buffer): boolean =>
  chunk.subarray(0, bytes.length).equals(bytes)

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const unzip = createGunzip({ chunkSize: 256 * 1_024 })
  const from = Readable.from(chunks)
  from.once('error', (error) => unzip.destroy(error))
  for await (const chunk of from.pipe(unzip)) yield chunk as Buffer
}
