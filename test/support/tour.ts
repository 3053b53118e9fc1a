/**
 * Uses an installed program as people do, from a folder with nothing else in it: serves the demo, reads
 * it in every way, and runs every command.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ndjson, type Ran } from './command.ts'

export interface Installed {
  /** The program and the arguments before those of a command. */
  readonly command: readonly [string, ...string[]]
  /** Instead of a SQLite file in the folder. */
  readonly databaseUrl?: string
  /** How many workers serve; 1 by default. */
  readonly workers?: number
}

export interface Served {
  readonly url: string
  /** The console's address, which signs in. */
  readonly consoleUrl: string
  readonly key: string
  /** Where records are received; empty unless several workers serve. */
  readonly ingestUrl: string
  stop(): Promise<Ran>
}

export interface Guest {
  readonly folder: string
  /** Runs a command, which has to succeed unless another exit code is named. */
  run(args: readonly string[], options?: { readonly input?: string; code?: number }): Promise<Ran>
  serve(): Promise<Served>
  close(): void
}

export const openGuest = ({ command, databaseUrl, workers = 1 }: Installed): Guest => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-guest-'))
  const children = new Set<ChildProcess>()
  const environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const [program, ...first] = command
    const env = { ...environment, ...more }
    const child = spawn(program, [...first, ...args], { cwd: folder, env })
    children.add(child)
    const ran = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        ran[name] += text
      })
    }
    const ended = new Promise<Ran>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        children.delete(child)
        resolve({ code, signal, ...ran })
      })
    })
    return { child, ran, ended }
  }
  return {
    folder,
    run: async (args, { input = '', code = 0 } = {}) => {
      const { child, ended } = start(args)
      child.stdin.once('error', () => undefined)
      child.stdin.end(input)
      const ran = await ended
      assert.equal(ran.code, code, `selvedge ${args.join(' ')}\n${ran.stdout}${ran.stderr}`)
      return ran
    },
    serve: async () => {
      const { child, ran, ended } = start(['serve', '--demo'], {
        PORT: '0',
        ...(workers > 1 && { WORKERS: String(workers), INGEST_PORT: '0' }),
      })
      await Promise.race([
        ended,
        new Promise<void>((resolve) => {
          child.stdout.on('data', () => ran.stdout.includes('Ctrl+C stops.') && resolve())
        }),
      ])
      const match = (pattern: RegExp) => pattern.exec(ran.stdout)?.[1] ?? ''
      assert.match(ran.stdout, /Ctrl\+C stops\./, ran.stderr)
      return {
        url: match(/API +(http:\/\/[^/\s]+)/),
        consoleUrl: match(/Console +(\S+)/),
        key: match(/Demo key +(\S+)/),
        ingestUrl: match(/Ingest +(\S+)/),
        stop: () => {
          child.kill('SIGTERM')
          return ended
        },
      }
    },
    close: () => {
      for (const child of children) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const tag = (index: number) => ({
  id: `5d1f3a52-6a0f-4c6e-9a51-${String(index).padStart(12, '0')}`,
  name: `Tag ${index}`,
  code: `T${index}`,
  uiColor: null,
  createdAt: '2026-03-01T09:00:00.000Z',
  updatedAt: '2026-03-01T09:00:00.000Z',
})

/** So many that their file is parsed in a thread. */
const manyTags = 25_000

/** Reads the demo over HTTP, also what threads and other processes do. */
export const readServed = async ({ url, key, ingestUrl }: Served, guest: Guest) => {
  const get = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
  const orders = '/api/public/v1/brands/aldermoor/orders?limit=2'
  const page = (await (await get(orders)).json()) as { items: object[]; totalItems: number }
  assert.equal(page.items.length, 2)
  assert.ok(page.totalItems > 100)
  for (const path of [
    ...['/', '/docs', '/guides', '/guides/how-to/query', '/llms.txt', '/readyz'],
    ...['/api/public/v1/openapi.json', '/api/query/v1/openapi.json'],
    // A sum is computed in a reader thread on SQLite.
    '/api/query/v1/brands/aldermoor/invoices/summary?sum=balanceAmount&by=dueDate:ageing&view=unpaid',
    '/api/query/v1/brands/aldermoor/search?q=PO-55',
  ]) {
    const response = await get(path)
    assert.equal(response.status, 200, `${path}: ${await response.text()}`)
  }
  const html = await (await get('/')).text()
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? []
  for (const encoding of ['br', 'gzip', 'identity']) {
    const response = await fetch(url + script, { headers: { 'accept-encoding': encoding } })
    assert.equal(response.status, 200, script)
    assert.ok((await response.arrayBuffer()).byteLength > 100_000, encoding)
  }
  if (ingestUrl !== '') await sendBatch(ingestUrl, guest)
}

/** A thread of the ingest process stores it. */
const sendBatch = async (ingestUrl: string, guest: Guest): Promise<void> => {
  const issued = await guest.run(['keys', 'issue', '--ingest', '--brand', 'aldermoor', '--json'])
  const { key } = JSON.parse(issued.stdout) as { readonly key: string }
  const record = tag(1)
  const response = await fetch(`${ingestUrl}/brands/aldermoor/batches`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      prefer: 'wait=30',
    },
    body: ndjson([{ collection: 'tags', id: record.id, operation: 'put', record }]),
  })
  assert.equal(response.status, 200, await response.text())
}

const example = fileURLToPath(new URL('../../examples/erp-files', import.meta.url))

/** Runs the commands on the database of a server that runs. */
export const runCommands = async ({ url, key }: Served, guest: Guest): Promise<void> => {
  const { folder, run } = guest
  await run(['brands', 'add', 'acme', '--name', 'Acme'])
  await run(['brands', 'list'])
  const { stdout: issued } = await run(['keys', 'issue', '--brand', 'acme', '--json'])
  const { id } = JSON.parse(issued) as { readonly id: string }
  await run(['keys', 'revoke', id])
  await run(['keys', 'list'])
  writeFileSync(
    join(folder, 'tags.ndjson'),
    ndjson(Array.from({ length: manyTags }, (_, at) => tag(at))),
  )
  const { stdout: imported } = await run(['import', 'tags.ndjson', '--brand', 'acme', '--json'])
  assert.match(imported, new RegExp(String(manyTags)))
  mkdirSync(join(folder, 'drop'))
  writeFileSync(join(folder, 'drop/tags.ndjson'), ndjson([tag(manyTags)]))
  await run(['watch', 'drop', '--brand', 'acme', '--once', '--settle', '0s'])
  assert.match((await run(['sources', '--brand', 'acme'])).stdout, /drop/)
  await run(['parked', '--brand', 'acme'])
  const { stdout: listed } = await run([
    ...['query', 'tags', '--brand', 'acme', '--sort', '-name', '--limit', '1', '--json'],
  ])
  assert.match(listed, /Tag 9999/)

  cpSync(example, join(folder, 'erp'), { recursive: true })
  const place = ['--country', 'DE', '--currency', 'EUR', '--timezone', 'Europe/Berlin']
  await run(['brands', 'add', 'lindqvist', '--name', 'Lindqvist', ...place])
  await run(['map', 'check', 'erp/brand.map.yaml', 'erp/po_lines.xlsx'])
  await run(['import', '--map', 'erp/brand.map.yaml', 'erp'])
  await run(['check', '--brand', 'lindqvist'], { code: 0 })
  await run(['demo', '--brand', 'halden', '--orders', '2'])
  for (const format of ['ndjson', 'parquet']) {
    await run(['export', format, '--brand', 'lindqvist', '--format', format])
  }
  assert.ok(existsSync(join(folder, 'ndjson/orders.ndjson')))
  mkdirSync(join(folder, 'pictures'))
  const { stderr: none } = await run(['images', 'add', 'pictures', '--brand', 'acme'], { code: 1 })
  assert.match(none, /There are no files in pictures/)

  const source = ['--url', url, '--brand', 'aldermoor', '--to', 'copy.db', '--key', '-']
  await run(['pull', ...source], { input: key })
  assert.ok(existsSync(join(folder, 'copy.db')))
  for (const [option, part] of [
    [[], 'public'],
    [['--query'], 'query'],
  ] as const) {
    const { stdout: document } = await run(['openapi', ...option])
    const response = await fetch(`${url}/api/${part}/v1/openapi.json`)
    assert.equal(document, await response.text())
  }
  const { stdout: answered } = await run(['mcp', '--brand', 'aldermoor'], {
    input: `${JSON.stringify(initialize)}\n`,
  })
  assert.equal(JSON.parse(answered).result.serverInfo.name, 'selvedge')
  await run(['map', 'schema'])
  const { stderr } = await run(['sync', '--map', 'missing.yaml', '--once'], { code: 1 })
  assert.match(stderr, /missing\.yaml/)
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

/** The commands that `selvedge --help` lists. */
export const commandsIn = (help: string): readonly string[] => {
  const [, list = ''] = /Commands:\n([\s\S]*)$/.exec(help) ?? []
  return [...list.matchAll(/^ {2}([a-z]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
}
