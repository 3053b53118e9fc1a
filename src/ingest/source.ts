import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Catalog, Resource } from '#contract'
import { type CollectionMapping, fieldOrigin, type MappingContext } from '#mapping'
import { nearest } from '#request'
import type { AdoptingBrand } from './adopt-brand.ts'
import { correctedName } from './corrections.ts'
import type { FileInput, Format, Input, StreamInput } from './input.ts'
import type { OpenedFile } from './opened-file.ts'
import { plainText, type RowProblem } from './report.ts'
import { type Received, SourceError, type SourceRow } from './row.ts'
import type { TableOptions, TableRow } from './table.ts'
import type { ValidatedBatch } from './validate.ts'

/** Rows, and the collection of their records. */
export interface Source {
  /** The name in reports. */
  readonly name: string
  readonly resource: Resource
  /** Null if not known in advance. */
  readonly bytes: number | null
  readonly input: Input
  /** Whether its rows have no stable order, as those of a query: messages do not number them. */
  readonly isUnordered?: boolean
  /** Maps rows to records. Without a mapping, columns are named after fields. */
  readonly mapping?: CollectionMapping | undefined
  /** The rows that the mapping joins, unless they are given in it. */
  readonly joined?: readonly JoinedInput[] | undefined
  /** What the mapping takes from the records of its brand. */
  readonly context?: MappingContext | undefined
  /** Whether the rows are removals rather than records. */
  readonly removes?: boolean
  /** The brand that takes the rows of another brand's export. */
  readonly asBrand?: AdoptingBrand | undefined
  /** The rows, if they were validated before the import. */
  readonly validated?: readonly ValidatedBatch[] | undefined
  /** Changes to stored records. The input has no rows then. */
  readonly merges?: readonly RecordMerge[] | undefined
  /** Reads rows of some lines as they were received, if the input is not a file. */
  readonly readReceived?: ReadReceived | undefined
  /** The time of the import, for the first-seen and last-changed fields of mapped records. */
  readonly importedAt?: string | undefined
  /** Sees each row before and after its mapping. Such a source is read in this thread. */
  readonly observer?: RowObserver | undefined
}

/** Sees the rows of a mapped source, and what its mapping makes of them. */
export interface RowObserver {
  /** The source is read, perhaps again. */
  begin(columns: readonly string[]): void
  /** A row as the import takes it; null if the mapping omits it. */
  add(row: TableRow, mapped: SourceRow | null): void
}

/** The rows of a join. All of it can be posted to a thread if they are in files. */
export interface JoinedInput {
  /** The name that the mapping gives them. */
  readonly name: string
  readonly files: readonly {
    readonly name: string
    readonly bytes: number
    readonly input: FileInput | StreamInput
  }[]
}

/** The bytes of a source and of the rows that are joined to its rows. */
export const bytesOf = ({ bytes, joined = [] }: Pick<Source, 'bytes' | 'joined'>): number | null =>
  bytes === null
    ? null
    : joined.reduce((sum, { files }) => files.reduce((all, file) => all + file.bytes, sum), bytes)

/** Reads rows as they were received, by their lines, in batches. */
export type ReadReceived = (
  wanted: ReadonlySet<number>,
) => AsyncIterable<ReadonlyMap<number, Received>>

/** Changes to some fields of a stored record. */
export interface RecordMerge {
  /** Its identity, as it was sent. */
  readonly key: readonly string[]
  /** The objects with the sent fields, in order. */
  readonly changes: readonly { readonly line: number; readonly json: string }[]
}

export interface SourceOptions {
  readonly catalog: Catalog
  /** The collection of all sources, overriding their names. */
  readonly collection?: string | undefined
  readonly format?: Format | undefined
  readonly table?: TableOptions | undefined
  readonly input: Readable
  /** Receives each file of a folder that is skipped, because it is not named after a collection. */
  readonly onSkipped?: (path: string) => void
}

/** A file that is open. It is not opened again by its name, which another file may have by then. */
export interface NamedFile {
  /** Says the format and the collection, or the pattern of a mapping. */
  readonly name: string
  readonly opened: OpenedFile
}

/** File names: collection, format, and compression. */
const namePattern = /^(?<stem>.+?)\.(?<extension>[a-z]+)(?<gz>\.gz)?$/is

const formatsByExtension: { readonly [extension: string]: Format } = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  csv: 'csv',
  tsv: 'csv',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  parquet: 'parquet',
}

/** Table formats that are not supported, and advice for each. */
const foreignFormats: { readonly [extension: string]: string } = {
  xls: 'old Excel files are not supported: save it as .xlsx',
  xlsb: 'binary Excel files are not supported: save it as .xlsx',
  ods: 'OpenDocument files are not supported: save it as .xlsx',
  numbers: 'Numbers files are not supported: export it as .xlsx',
  xml: 'XML files are not supported: write it as NDJSON or CSV',
  zip: 'ZIP files are not supported: unpack it',
}

interface FileName {
  readonly stem: string
  readonly format: Format | undefined
  /** The reason why this extension is not supported. */
  readonly foreign: string | undefined
}

const readName = (path: string): FileName => {
  const { groups } = namePattern.exec(correctedName(basename(path))) ?? {}
  const extension = groups?.['extension']?.toLowerCase() ?? ''
  return {
    stem: groups?.['stem'] ?? basename(path),
    format: Object.hasOwn(formatsByExtension, extension)
      ? formatsByExtension[extension]
      : undefined,
    foreign: Object.hasOwn(foreignFormats, extension) ? foreignFormats[extension] : undefined,
  }
}

/** What the name of a file says of it: its collection, if any, or why it cannot be read. */
export const recogniseName = (
  { byPath }: Catalog,
  name: string,
): { readonly collection: string | null; readonly problem: string | null } => {
  const { stem, format, foreign } = readName(name)
  const unknown = 'its extension is none of .ndjson, .json, .csv, .tsv, .xlsx, .parquet'
  return {
    collection: byPath.has(stem) ? stem : null,
    problem: format ? null : (foreign ?? `${unknown} (each also with .gz)`),
  }
}

/**
 * The sources for paths: files, folders with files named after collections, `-` for standard input.
 * A file may be open already.
 */
export const findSources = async (
  paths: readonly (string | NamedFile)[],
  options: SourceOptions,
): Promise<readonly Source[]> => {
  const sources: Source[] = []
  for (const path of paths) {
    if (typeof path !== 'string') sources.push(await fileSource(path, options))
    else if (path === '-') sources.push(standardInput(options))
    else if (await isFolder(path)) sources.push(...(await folderSources(path, options)))
    else sources.push(await fileSource(path, options))
  }
  return sources
}

/** Maximum number of files of a folder in one message. */
const namedMax = 20

/**
 * The files of a folder that are named after a collection; others are skipped. A name that almost
 * matches a collection is rejected: with that file skipped, a replacement would remove its records.
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

export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    throw new SourceError(`${path} does not exist or cannot be read`)
  }
}

const fileSource = async (from: string | NamedFile, options: SourceOptions): Promise<Source> => {
  const file = await openableFile(from, options)
  const path = file.name
  const collection = options.collection ?? readName(path).stem
  const where = options.collection === undefined ? path : '--collection'
  return { ...file, resource: resourceNamed(options.catalog, collection, where) }
}

/** The properties of a file before it is opened. Throws for an unsupported format. */
export const openableFile = async (
  file: string | NamedFile,
  options: Pick<SourceOptions, 'format' | 'table'>,
): Promise<{ readonly name: string; readonly bytes: number; readonly input: FileInput }> => {
  const [path, opened] = typeof file === 'string' ? [file, undefined] : [file.name, file.opened]
  const name = readName(path)
  const format = options.format ?? name.format
  if (!format && name.foreign) throw new SourceError(`${path}: ${name.foreign}`)
  if (!format) {
    throw new SourceError(
      `${path} has no known file extension: use .ndjson, .json, .csv, .tsv, .xlsx or .parquet (each also with .gz), or --format`,
    )
  }
  return {
    name: path,
    bytes: opened?.bytes ?? (await stat(path)).size,
    input: {
      kind: 'file',
      path,
      opened,
      format,
      gzipped: path.toLowerCase().endsWith('.gz'),
      table: options.table,
    },
  }
}

const standardInput = (options: SourceOptions): Source => {
  if (!options.collection) {
    throw new SourceError('Standard input has no file name: name its collection with --collection')
  }
  return {
    name: '-',
    resource: resourceNamed(options.catalog, options.collection, '--collection'),
    bytes: null,
    input: {
      kind: 'stream',
      stream: options.input,
      format: options.format ?? 'ndjson',
      gzipped: false,
      table: options.table,
    },
  }
}

/** What may be meant by a name that no collection has. */
export const collectionAdvice = (
  { byPath }: Catalog,
  name: string,
  otherwise = 'collections are named as in the API, such as orders or order-items',
): string => {
  const suggestion = nearest(name, [...byPath.keys()])
  return suggestion ? `did you mean ${suggestion}?` : otherwise
}

const resourceNamed = (catalog: Catalog, collection: string, where: string): Resource => {
  const resource = catalog.byPath.get(collection)
  if (resource) return resource
  const advice = collectionAdvice(
    catalog,
    collection,
    where === '--collection'
      ? undefined
      : 'name the file after one, such as orders.ndjson, or use --collection',
  )
  throw new SourceError(`${where}: there is no collection ${plainText(collection)}; ${advice}`)
}

/** Where a row is, and what its sender calls it. */
export const placeOf = (
  source: Pick<Source, 'name' | 'isUnordered'> | undefined,
  line: number,
  key: string | null | undefined,
): Pick<RowProblem, 'file' | 'line' | 'key'> => ({
  file: source?.name ?? '',
  line: source?.isUnordered ? 0 : line,
  ...(key && { key: plainText(key) }),
})

/** Another row in a sentence: `line 4 of vendors.csv`. */
export const otherRow = (
  source: Pick<Source, 'name' | 'isUnordered'> | undefined,
  line: number,
): string => {
  const name = source?.name ?? ''
  return source?.isUnordered ? `another row of ${name}` : `line ${line} of ${name}`
}

/** The columns that a field of a mapped row is made of, and the line of the mapping. */
export const originOf = (
  source: Pick<Source, 'mapping'> | undefined,
  pointer: string,
): Pick<RowProblem, 'column' | 'mappingFile' | 'mappingLine'> => {
  const mapping = source?.mapping
  if (!mapping) return {}
  return { ...fieldOrigin(mapping, pointer), mappingFile: mapping.file }
}
