import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Catalog, ReadyTexts, Resource } from '#contract'
import { readCsv } from './read-csv.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { plainText } from './report.ts'
import { SourceRefused, type SourceRow, type SourceRows } from './row.ts'
import { meantBy } from './suggest.ts'

export type Format = 'ndjson' | 'json' | 'csv'

/** A file, or the standard input, and the collection its records belong to. */
export interface Source {
  /** As it is called in reports. */
  readonly name: string
  readonly resource: Resource
  readonly format: Format
  readonly gzipped: boolean
  /** Null when it is not known beforehand. */
  readonly bytes: number | null
  /** A file's path, or what is open already. */
  readonly from: string | Readable
}

export interface SourceOptions {
  readonly catalog: Catalog
  /** The collection of every source, instead of what its name says. */
  readonly collection?: string | undefined
  readonly format?: Format | undefined
  readonly input: Readable
  /** Told each file of a folder that is not read, because its name is not that of a collection. */
  readonly onPassedOver?: (path: string) => void
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

/** Files of other programs that hold tables; none of them is read. */
const foreignFormats: { readonly [extension: string]: string } = {
  xlsx: 'Excel files are not read: save it as CSV UTF-8',
  xls: 'Excel files are not read: save it as CSV UTF-8',
  ods: 'spreadsheets are not read: save it as CSV in UTF-8',
  numbers: 'spreadsheets are not read: export it as CSV in UTF-8',
  parquet: 'Parquet files are not read: write it as NDJSON or CSV',
  xml: 'XML files are not read: write it as NDJSON or CSV',
  zip: 'ZIP files are not read: unpack it',
}

interface FileName {
  readonly stem: string
  readonly format: Format | undefined
  /** Why a file with this name is not read, if the name says so. */
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
  const found: Source[] = []
  for (const path of paths) {
    if (path === '-') found.push(standardInput(options))
    else if (await isFolder(path)) found.push(...(await folderSources(path, options)))
    else found.push(await fileSource(path, options))
  }
  return found
}

/** How many files of a folder are named in one message. */
const namedMax = 20

/**
 * The files of a folder that are named after a collection. One whose name is almost that of a
 * collection is refused: with a replacement its records would be missed. The others are passed over.
 */
const folderSources = async (path: string, options: SourceOptions): Promise<readonly Source[]> => {
  const { catalog, onPassedOver = () => undefined } = options
  const sources: Source[] = []
  const refused: string[] = []
  const passedOver: string[] = []
  for (const name of (await readdir(path)).sort()) {
    const { stem, format, foreign } = readName(name)
    const meant = format || foreign ? meantBy(stem, [...catalog.byPath.keys()]) : undefined
    if (format && catalog.byPath.has(stem)) {
      sources.push(await fileSource(join(path, name), options))
    } else if (meant && foreign) refused.push(`${plainText(name)}: ${foreign}`)
    else if (meant) {
      refused.push(`${plainText(name)}: there is no collection ${stem}; did you mean ${meant}?`)
    } else passedOver.push(join(path, name))
  }
  if (refused.length > 0) {
    const more = refused.length - namedMax
    throw new SourceRefused(
      [
        `${path} has files that are almost named after a collection. Rename them, or move them out of the folder:`,
        ...refused.slice(0, namedMax).map((each) => `  ${each}`),
        ...(more > 0 ? [`  … and ${more} more`] : []),
      ].join('\n'),
    )
  }
  if (sources.length === 0) {
    throw new SourceRefused(`${path} has no file named after a collection, such as orders.ndjson`)
  }
  for (const each of passedOver) onPassedOver(each)
  return sources
}

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    throw new SourceRefused(`${path} is not there or cannot be read`)
  }
}

const fileSource = async (path: string, options: SourceOptions): Promise<Source> => {
  const name = readName(path)
  const format = options.format ?? name.format
  if (!format && name.foreign) throw new SourceRefused(`${path}: ${name.foreign}`)
  if (!format) {
    throw new SourceRefused(
      `${path} does not say its format: name it like orders.ndjson, orders.json or orders.csv (each also .gz), or use --format`,
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
    throw new SourceRefused('Standard input does not say what it holds: use --collection')
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
  const meant = meantBy(collection, [...catalog.byPath.keys()])
  const next = meant
    ? `did you mean ${meant}?`
    : where === '--collection'
      ? 'collections are named as in the API, such as orders or order-items'
      : 'name the file after one, such as orders.ndjson, or use --collection'
  throw new SourceRefused(`${where}: there is no collection ${plainText(collection)}; ${next}`)
}

type Read<Rows> = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Rows>

const readers: Record<
  Format,
  (resource: Resource, texts: ReadyTexts | undefined) => Read<SourceRows>
> = {
  ndjson: (_, texts) => (chunks) => readNdjson(chunks, texts),
  json: () => unready(readJsonArray),
  csv: (resource) => unready(readCsv(resource)),
}

const unready = (read: Read<readonly SourceRow[]>): Read<SourceRows> =>
  async function* (chunks) {
    for await (const rows of read(chunks)) yield { rows, ready: null }
  }

const chunkBytes = 128 * 1_024

/**
 * The rows of a source, in batches. `onBytes` is told how much of it has been read. Rows whose text
 * is among those that are ready come as that text, where the format has a text for each.
 */
export async function* readSource(
  source: Source,
  onBytes: (bytes: number) => void,
  texts?: ReadyTexts,
): AsyncIterable<SourceRows> {
  const { from } = source
  const raw =
    typeof from === 'string' ? createReadStream(from, { highWaterMark: chunkBytes }) : from
  const counted = async function* (): AsyncIterable<Buffer> {
    for await (const chunk of raw) {
      onBytes((chunk as Buffer).length)
      yield chunk as Buffer
    }
  }
  const chunks = refuseForeign(source.gzipped ? gunzip(counted()) : counted())
  try {
    yield* readers[source.format](source.resource, texts)(chunks)
  } catch (error) {
    if (error instanceof SourceRefused) throw new SourceRefused(`${source.name} ${error.message}`)
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_')) throw new SourceRefused(`${source.name} is not whole gzip: ${code}`)
    if (/^E[A-Z]+$/.test(code)) throw new SourceRefused(`${source.name} cannot be read: ${code}`)
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

/** Refuses a file of another kind by its first bytes. */
async function* refuseForeign(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let begun = false
  for await (const chunk of chunks) {
    const foreign = begun
      ? undefined
      : foreignBeginnings.find(([bytes]) => startsWith(chunk, bytes))
    if (foreign) throw new SourceRefused(foreign[1])
    begun ||= chunk.length > 0
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
