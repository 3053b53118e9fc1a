/** Generators of clients that others wrote: installed when they are needed, and kept for the next run. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unpackedAt } from './debian.ts'

const run = promisify(execFile)
const execute = (file: string, args: readonly string[], cwd: string) =>
  run(file, args, { cwd, timeout: 280_000, maxBuffer: 64 * 1_024 * 1_024 })

const packages = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  'swagger-typescript-api': '13.13.0',
  oazapfts: '7.5.0',
} as const

/** The folder with the generators; where they cannot be had, a sentence that says so. */
export const findGenerators = async (): Promise<string | { readonly missing: string }> => {
  const folder = unpackedAt('client-generators')
  const names = Object.keys(packages)
  const isThere = names.every((name) => existsSync(join(folder, 'node_modules', name)))
  if (isThere) return folder
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, type: 'module', dependencies: packages }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  try {
    await execute('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], folder)
    return folder
  } catch (error) {
    return { missing: `needs npm and its registry: ${(error as Error).message.split('\n')[0]}` }
  }
}

/** A generator of TypeScript, and a program that reads a list with what it makes. */
export interface ClientGenerator {
  readonly name: string
  /** The command that writes `client.ts` into the current folder. */
  readonly command: (document: string) => readonly [string, ...string[]]
  /** Defines `read`, which returns the first page of the list of an operation. */
  readonly program: string
}

export const clientGenerators: readonly ClientGenerator[] = [
  {
    name: 'openapi-typescript and openapi-fetch',
    command: (document) => ['openapi-typescript', document, '-o', 'client.ts'],
    program: `
      import createClient from 'openapi-fetch'
      import type { components, paths } from './client.js'
      const client = createClient<paths>({ baseUrl, headers })
      const read: Read = async ({ path }) => {
        const options = { params: { path: { brand: 'aldermoor' }, query: { limit: 2 } } }
        const { data } = await client.GET(path as '/brands/{brand}/orders', options)
        return data
      }
      const typed = (order: components['schemas']['Order']): Typed => order`,
  },
  {
    name: 'swagger-typescript-api',
    command: (document) => [
      ...(['swagger-typescript-api', 'generate', '-p', document] as const),
      ...['-o', '.', '-n', 'client.ts', '--silent'],
    ],
    program: `
      import { Api, type Order } from './client.js'
      const api = new Api({ baseUrl, baseApiParams: { headers, format: 'json' } })
      const read: Read = async ({ id }) => {
        const [, call] = Object.entries(api.brands).find(([name]) => isSame(name, id)) ?? []
        const list = call as typeof api.brands.listOrders | undefined
        return (await list?.('aldermoor', { limit: 2 }))?.data
      }
      const typed = (order: Order): Typed => order`,
  },
  {
    name: 'oazapfts',
    command: (document) => ['oazapfts', document, 'client.ts'],
    program: `
      import * as api from './client.js'
      Object.assign(api.defaults, { baseUrl, headers })
      const read: Read = async ({ id }) => {
        const [, call] = Object.entries(api).find(([name]) => isSame(name, id)) ?? []
        const response = await (call as typeof api.listOrders | undefined)?.('aldermoor', { limit: 2 })
        return response?.status === 200 ? response.data : undefined
      }
      const typed = (order: api.Order): Typed => order`,
  },
]

/** What every program has: the lists to read, and the types that a record of orders must have. */
const frame = (program: string, operations: readonly object[]): string => `
  ${program}
  interface Page { items: unknown[]; totalItems: number }
  type Operation = { id: string; path: string }
  type Read = (operation: Operation) => Promise<Page | undefined>
  interface Typed { orderNumber: string; totalAmount: string; totalQuantity: number; memo: string | null }
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  const operations: readonly Operation[] = ${JSON.stringify(operations)}
  const totals: Record<string, number | undefined> = {}
  for (const operation of operations) {
    const page = await read(operation)
    totals[operation.id] = page?.items.length === Math.min(2, page?.totalItems ?? 0) ? page.totalItems : undefined
  }
  console.log(JSON.stringify({ totals, typed: typed.length }))`

export interface ReadByClient {
  readonly totals: { readonly [operation: string]: number }
}

/** Generates a client, compiles it with a program under strict TypeScript, and runs the program. */
export const readByGenerated = async (
  generators: string,
  { command, program }: ClientGenerator,
  { document, server, key, operations }: GeneratedRun,
): Promise<ReadByClient> => {
  // Outside of node_modules, whose files a compiler does not check.
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-generated-'))
  try {
    symlinkSync(join(generators, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const [generator, ...args] = command(document)
    await execute(join(generators, 'node_modules/.bin', generator), args, folder)
    const constants = `
    const baseUrl = ${JSON.stringify(server)}
    const headers = { authorization: ${JSON.stringify(`Bearer ${key}`)} }`
    const imports = program.match(/^ *import .+$/gm)?.join('\n') ?? ''
    const rest = program.replace(/^ *import .+$/gm, '')
    writeFileSync(join(folder, 'program.ts'), `${imports}${constants}${frame(rest, operations)}`)
    const flags = ['--strict', '--module', 'nodenext', '--target', 'esnext', '--outDir', 'out']
    const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
    await execute(
      compiler,
      ['program.ts', '--ignoreConfig', '--skipLibCheck', '--types', '', ...flags],
      folder,
    )
    const { stdout } = await execute(process.execPath, ['out/program.js'], folder)
    return JSON.parse(stdout)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface GeneratedRun {
  /** The file of the OpenAPI document. */
  readonly document: string
  /** The address of the API. */
  readonly server: string
  readonly key: string
  readonly operations: readonly { readonly id: string; readonly path: string }[]
}
