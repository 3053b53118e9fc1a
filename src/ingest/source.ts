import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Catalog, ReadyTexts, Resource } from '#contract'
import { readCsv } from './read-csv.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { SourceRefused, type SourceRow, type SourceRows } from './row.ts'

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
}

const namePattern = /^(?<collection>[a-z-]+)\.(?<format>ndjson|jsonl|json|csv)(?<gz>\.gz)?$/

/** The sources that paths name: files, every known file of a folder, `-` for standard input. */
export const findSources = async (
  paths: readonly string[],
  options: SourceOptions,
): Promise<readonly Source[]> => {
  const found: Source[] = []
  for (const path of paths) {
    if (path === '-') found.push(standardInput(options))
    else if (await isFolder(path)) {
      const names = (await readdir(path)).sort()
      const files = names.filter((name) => namePattern.test(name) && isKnown(options.catalog, name))
      if (files.length === 0) {
        throw new SourceRefused(
          `${path} has no file named after a collection, such as orders.ndjson`,
        )
      }
      for (const name of files) found.push(await fileSource(join(path, name), options))
    } else found.push(await fileSource(path, options))
  }
  return found
}

const isKnown = (catalog: Catalog, name: string): boolean =>
  catalog.byPath.has(namePattern.exec(name)?.groups?.['collection'] ?? '')

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    throw new SourceRefused(`${path} is not there or cannot be read`)
  }
}

const fileSource = async (path: string, options: SourceOptions): Promise<Source> => {
  const { groups } = namePattern.exec(basename(path)) ?? {}
  const collection = options.collection ?? groups?.['collection']
  const format = options.format ?? formatOf(groups?.['format'])
  if (!collection || !format) {
    throw new SourceRefused(
      `${path} does not say what it holds: name it like orders.ndjson, orders.json or orders.csv (each also .gz), or use --collection`,
    )
  }
  const gzipped = groups ? groups['gz'] !== undefined : path.endsWith('.gz')
  return {
    name: path,
    resource: resourceNamed(options.catalog, collection, path),
    format,
    gzipped,
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

const formatOf = (extension: string | undefined): Format | undefined =>
  extension === 'jsonl' ? 'ndjson' : (extension as Format | undefined)

const resourceNamed = (catalog: Catalog, collection: string, where: string): Resource => {
  const resource = catalog.byPath.get(collection)
  if (!resource) throw new SourceRefused(`${where}: there is no collection ${collection}`)
  return resource
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
  const chunks = source.gzipped ? gunzip(counted()) : counted()
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

async function* gunzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const unzip = createGunzip({ chunkSize: 256 * 1_024 })
  const from = Readable.from(chunks)
  from.once('error', (error) => unzip.destroy(error))
  for await (const chunk of from.pipe(unzip)) yield chunk as Buffer
}
