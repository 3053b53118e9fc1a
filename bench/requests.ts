/**
 * What one process answers: pages, gets and 304s of a demo brand, beside a plain node:http server
 * that sends the bytes of a page from memory. Rounds alternate between the two; ratios are steadier
 * than figures. `--orders <n>` sets the size of the brand (500 unless said), `--seconds <n>` the
 * length of a round, `--url <postgres://…>` another database than SQLite.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '2' },
    url: { type: 'string' },
    reference: { type: 'boolean', default: false },
    bytes: { type: 'string', default: '0' },
  },
})

const connections = 32
const rounds = 3
const self = new URL(import.meta.url).pathname
const program = new URL('../bin/selvedge.mjs', import.meta.url).pathname

/** The reference: nothing but a body from memory, in a process of its own. */
if (values.reference) {
  const body = Buffer.alloc(Number(values.bytes), 'x')
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  }).listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
  })
} else await bench()

async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-requests-'))
  const environment = {
    ...process.env,
    DATABASE_URL: values.url ?? `sqlite:${join(folder, 'bench.db')}`,
    IMAGES_URL: `file:${join(folder, 'images')}`,
    PORT: '0',
    WORKERS: '1',
    LOG_LEVEL: 'warn',
    RATE_PER_SECOND: '1000000',
    RATE_BURST: '1000000',
  }
  const command = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, ...args], { env: environment })
      let out = ''
      child.stdout.on('data', (text) => {
        out += text
      })
      child.once('close', (code) => (code === 0 ? resolve(out) : reject(new Error(args.join(' ')))))
    })
  await command('demo', '--brand', 'acme', '--orders', values.orders)
  const { key } = JSON.parse(await command('keys', 'issue', '--brand', 'acme', '--json'))
  const [server, base] = await serve(
    [program, 'serve'],
    environment,
    /http:\/\/\S+\/api\/public\/v1/,
  )
  const headers = { authorization: `Bearer ${key}` }
  const at = `${base}/brands/acme`
  const ask = async (path: string) => (await fetch(`${at}/${path}`, { headers })).text()

  /** Targets that differ from request to request, so that nothing is the same page twice. */
  const ids: string[] = []
  const cursors = ['']
  for (let cursor: string | null = ''; cursor !== null && ids.length < 5_000; ) {
    const text = await ask(`order-items?limit=25${cursor && `&cursor=${cursor}`}`)
    const page: { items: { id: string; orderId: string }[]; nextCursor: string | null } =
      JSON.parse(text)
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor) cursors.push(`&cursor=${cursor}`)
  }
  const bytes = Buffer.byteLength(await ask('order-items?limit=25'))
  const etag = (await fetch(`${at}/order-items?limit=25`, { headers })).headers.get('etag') ?? ''
  const [reference, plain] = await serve(
    [self, '--reference', '--bytes', String(bytes)],
    process.env,
    /\d+/,
  )

  const pick = (n: number, from: readonly string[]) => from[n % from.length] ?? ''
  const cases: [string, (n: number) => string, object][] = [
    ['reference', () => `http://127.0.0.1:${plain}/`, {}],
    ['page of 25', (n) => `${at}/order-items?limit=25${pick(n * 7, cursors)}`, headers],
    ['get', (n) => `${at}/order-items/${pick(n * 13, ids)}`, headers],
    ['filtered page', () => `${at}/order-items?itemType=product&limit=25`, headers],
    ['304', () => `${at}/order-items?limit=25`, { ...headers, 'if-none-match': etag }],
  ]
  const rates = new Map(cases.map(([name]) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, target, sent] of cases) {
      rates.get(name)?.push(await load(target, sent, Number(values.seconds) * 1_000))
    }
  }
  server.kill('SIGTERM')
  reference.kill('SIGKILL')
  const median = (name: string) => [...(rates.get(name) ?? [])].sort((a, b) => a - b)[1] ?? 0
  for (const [name] of cases) {
    const ratio = (median(name) / median('reference')).toFixed(2)
    console.log(name.padEnd(16), `${Math.round(median(name))}/s`.padStart(10), ratio.padStart(6))
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Starts a program and waits for what it says of its address. */
function serve(
  args: string[],
  env: NodeJS.ProcessEnv,
  says: RegExp,
): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, args, { env })
  return new Promise((resolve) => {
    let out = ''
    child.stdout.on('data', (text) => {
      out += text
      const found = says.exec(out)
      if (found) resolve([child, found[0]])
    })
  })
}

/** Requests a second over connections that are kept. */
async function load(target: (n: number) => string, headers: object, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const until = performance.now() + ms
  let count = 0
  const lane = async () => {
    while (performance.now() < until) {
      count += 1
      await new Promise<void>((resolve, reject) => {
        const sent = request(target(count), { agent, headers: { ...headers } }, (response) => {
          response.resume()
          response.once('end', resolve)
        })
        sent.once('error', reject)
        sent.end()
      })
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  agent.destroy()
  return count / (ms / 1_000)
}
