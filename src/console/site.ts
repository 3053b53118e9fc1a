import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { hasInstalledFile, installedFile } from '#installation'
import { pageHeaders } from './policy.ts'

/** A file of the built console, as the build lists it in `files.json`. */
export interface BuiltFile {
  readonly path: string
  readonly sizeBytes: number
  /** Whether only its compressed forms exist. */
  readonly isCompressed: boolean
}

/** A file of the built console, with its headers. */
export interface ConsoleFile {
  readonly sizeBytes: number
  /** Whether it can be read compressed; images cannot. */
  readonly isCompressed: boolean
  readonly headers: { readonly [name: string]: string }
  /**
   * The bytes in an encoding, compressed at build time, or uncompressed for null. Read from disk
   * once, then shared by all responses.
   */
  read(encoding: 'br' | 'gzip' | null): Promise<Buffer>
}

/** The web console: pages built from the `console` workspace, and their files. */
export interface Console {
  /** The paths of the console's pages, such as `/brands/{brand}`. */
  readonly pagePaths: readonly string[]
  /** The HTML file of all these pages. */
  page(): ConsoleFile
  /** The API reference. It is a separate page: its script is larger than all others together. */
  reference(): ConsoleFile
  /** A page of the guides, by its path below `guidesPath`; the first one has an empty path. */
  guide(path: string): ConsoleFile | undefined
  /** A file of a page, by its name below `assetsPath`. */
  asset(name: string): ConsoleFile | undefined
}

/** The operator page, which only the admin port serves. It has the same file for all its paths. */
export interface AdminPage {
  page(): ConsoleFile
  /** A file of the page, by its name below `assetsPath`. */
  asset(name: string): ConsoleFile | undefined
}

export const assetsPath = '/assets'
export const referencePath = '/docs'
export const guidesPath = '/guides'

export interface ConsoleParts {
  /** The origin of images, if it is not this server. */
  readonly imageOrigin: () => string
}

const builtFolder = 'console/dist'
const listOfFiles = `${builtFolder}/files.json`

/** Whether there is a console to serve. A pruned installation may omit it. */
export const isConsoleBuilt = (): boolean => hasInstalledFile(listOfFiles)

const pagePaths = [
  '/',
  '/brands/{brand}',
  '/brands/{brand}/{collection}',
  '/brands/{brand}/{collection}/{id}',
  '/brands/{brand}/{collection}/{id}/lineage',
]

const types: { readonly [extension: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** The built console; null if it has not been built, in which case only the API is served. */
export const createConsole = async ({ imageOrigin }: ConsoleParts): Promise<Console | null> => {
  if (!isConsoleBuilt()) return null
  const files = createFiles(await readBuilt())
  const page = files.at('index.html', () => pageHeaders.console(imageOrigin()))
  const reference = files.at('docs.html', () => pageHeaders.reference())
  const assets = files.within('assets/', () => immutable)
  const guides = files.within('guides/', () => pageHeaders.console(''))
  return {
    pagePaths,
    page: () => page,
    reference: () => reference,
    guide: (path) => guides.get(`${path || 'index'}.html`),
    asset: (name) => assets.get(name),
  }
}

/** The built operator page; null if the console has not been built. */
export const createAdminPage = async (): Promise<AdminPage | null> => {
  if (!isConsoleBuilt()) return null
  const files = createFiles(await readBuilt())
  const page = files.at('admin/admin.html', () => pageHeaders.console(''))
  const assets = files.within('admin/assets/', () => immutable)
  return { page: () => page, asset: (name) => assets.get(name) }
}

const readBuilt = async (): Promise<readonly BuiltFile[]> =>
  JSON.parse(String(await installedFile(listOfFiles)))

const createFiles = (built: readonly BuiltFile[]) => ({
  at: (path: string, headers: () => ConsoleFile['headers']): ConsoleFile => {
    const file = built.find((each) => each.path === path)
    if (!file) throw new Error(`${listOfFiles} does not list ${path}.`)
    return openFile(file, headers)
  },
  within: (folder: string, headers: () => ConsoleFile['headers']) =>
    new Map(
      built
        .filter(({ path }) => path.startsWith(folder))
        .map((each) => [each.path.slice(folder.length), openFile(each, headers)]),
    ),
})

const openFile = (
  { path, sizeBytes, isCompressed }: BuiltFile,
  headers: () => ConsoleFile['headers'],
): ConsoleFile => {
  const type = types[extname(path)] ?? 'application/octet-stream'
  const read = new Map<string, Promise<Buffer>>()
  return {
    sizeBytes,
    isCompressed,
    get headers() {
      return { 'content-type': type, ...alike, ...headers() }
    },
    read: (encoding) => {
      const key = encoding ?? 'none'
      const cached = read.get(key)
      if (cached) return cached
      const bytes = readForm(path, isCompressed, encoding)
      read.set(key, bytes)
      bytes.catch(() => read.delete(key))
      return bytes
    },
  }
}

/** Few clients request uncompressed files, so they are not on disk but decompressed on demand. */
const readForm = async (
  path: string,
  isCompressed: boolean,
  encoding: 'br' | 'gzip' | null,
): Promise<Buffer> => {
  const file = `${builtFolder}/${path}`
  if (!isCompressed) return installedFile(file)
  if (encoding === 'br') return installedFile(`${file}.br`)
  const zipped = await installedFile(`${file}.gz`)
  return encoding === 'gzip' ? zipped : promisify(gunzip)(zipped)
}

const alike = {
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

/** File names contain a hash of the content. */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }
