import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageHeaders } from './policy.ts'

/** A file of the built console, and the headers it is served with. */
export interface ConsoleFile {
  readonly sizeBytes: number
  readonly headers: { readonly [name: string]: string }
  /**
   * Its bytes as they were compressed when the console was built, or as they are. Read from disk
   * once, then shared by all responses.
   */
  read(encoding: 'br' | 'gzip' | null): Promise<Buffer>
}

/** The web console: pages built from the `console` workspace, and the files they are made of. */
export interface Console {
  /** The paths that lead to a page of the console, such as `/brands/{brand}`. */
  readonly pagePaths: readonly string[]
  /** What shows all these pages. */
  page(): ConsoleFile
  /** The API reference. It is a page of its own: its script is larger than the rest together. */
  reference(): ConsoleFile
  /** A file that a page asks for, by its name below `assetsPath`. */
  asset(name: string): ConsoleFile | undefined
}

export const assetsPath = '/assets'
export const referencePath = '/docs'

export interface ConsoleParts {
  /** Where pictures come from, as far as that is not this server. */
  readonly imageOrigin: () => string
  /** Where the built files are. */
  readonly folder?: string
}

const builtFolder = fileURLToPath(new URL('../../console/dist/', import.meta.url))

/** Whether there is a console to serve. A pruned installation may have left it out. */
export const isConsoleBuilt = (folder = builtFolder): boolean => existsSync(join(folder, 'assets'))

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
  '.svg': 'image/svg+xml; charset=utf-8',
}

/** The built console, or null where it has not been built: then the API is served alone. */
export const createConsole = async ({
  imageOrigin,
  folder = builtFolder,
}: ConsoleParts): Promise<Console | null> => {
  const names = await readdir(join(folder, 'assets')).catch(() => null)
  if (!names) return null
  const file = async (path: string, headers: () => ConsoleFile['headers']) => {
    const { size } = await stat(join(folder, path))
    const type = types[extname(path)] ?? 'application/octet-stream'
    const read = new Map<string, Promise<Buffer>>()
    return {
      sizeBytes: size,
      get headers() {
        return { 'content-type': type, ...alike, ...headers() }
      },
      read: (encoding) => {
        const ending = endings[encoding ?? 'none']
        const cached = read.get(ending)
        if (cached) return cached
        const bytes = readFile(join(folder, path + ending))
        read.set(ending, bytes)
        bytes.catch(() => read.delete(ending))
        return bytes
      },
    } satisfies ConsoleFile
  }
  const page = await file('index.html', () => pageHeaders.console(imageOrigin()))
  const reference = await file('docs.html', () => pageHeaders.reference())
  const assets = new Map<string, ConsoleFile>()
  for (const name of names.filter((each) => Object.hasOwn(types, extname(each)))) {
    assets.set(name, await file(join('assets', name), () => immutable))
  }
  return {
    pagePaths,
    page: () => page,
    reference: () => reference,
    asset: (name) => assets.get(name),
  }
}

const endings = { br: '.br', gzip: '.gz', none: '' }

const alike = {
  vary: 'Accept-Encoding',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
}

/** Names hold a hash of what is in the file. */
const immutable = { 'cache-control': 'public, max-age=31536000, immutable' }
