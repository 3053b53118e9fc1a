/** The client as it is published: packed, installed elsewhere, and run where its users run it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { awaitTrue, findChromium, openBrowser, openPage } from '../support/browser.ts'
import { recordsAt } from '../support/model.ts'
import { findNode } from '../support/nodes.ts'
import { openTestService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'selvedge-client-'))
const installed = join(folder, 'node_modules/@selvedge/client')
const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
const npm = (args: readonly string[], cwd: string) =>
  run('npm', [...args, '--loglevel=error'], { cwd, shell: process.platform === 'win32' })

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** A page of somebody else, whom the operator has listed. */
const host = createServer((request, response) => {
  const file = join(folder, new URL(request.url ?? '', 'http://localhost').pathname)
  if (!existsSync(file)) return void response.writeHead(404).end()
  const type = file.endsWith('.js') ? 'text/javascript' : 'text/html'
  response.writeHead(200, { 'content-type': type }).end(readFileSync(file))
})
await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening))
const elsewhere = `http://127.0.0.1:${(host.address() as AddressInfo).port}`

let packed: Packed
let service: TestService
let key: string
before(async () => {
  const { stdout } = await npm(
    ['pack', '--json', '--pack-destination', folder],
    join(root, 'client'),
  )
  const said = JSON.parse(stdout)
  packed = Array.isArray(said) ? said[0] : Object.values(said)[0]
  write('package.json', '{ "type": "module", "private": true }')
  await npm(['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`], folder)
  service = await openTestService({ CORS_ORIGINS: elsewhere })
  key = await service.key('aldermoor')
})
after(async () => {
  host.close()
  host.closeAllConnections()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const [order = {}] = recordsAt('orders')
const items = recordsAt('order-items')

/** What a user of the package does, as plain JavaScript; the same in every place. */
const scenario = `
export const scenario = async ({ createClient, memoryCache, SelvedgeError }, url, key) => {
  const brand = createClient({ url, key, cache: memoryCache() }).brand('aldermoor')
  const page = await brand.orderItems.list({ limit: 2 })
  const next = await page.next()
  let walked = 0
  for await (const item of brand.orderItems.all({ limit: 5 })) walked += item.qty
  const item = await brand.orderItems.get(page.items[0].id, { include: ['order'] })
  const again = await brand.orderItems.get(page.items[0].id, { include: ['order'] })
  const ending = new AbortController()
  ending.abort()
  const aborted = await brand.get({ signal: ending.signal }).catch((error) => error.name)
  const error = await brand.orders.list({ limit: 0 }).catch((error) => error)
  return {
    name: (await brand.get()).name,
    total: page.totalItems,
    ids: [...page.items, ...next.items].map(({ id }) => id),
    walked,
    order: item.order.id,
    same: JSON.stringify(item) === JSON.stringify(again),
    aborted,
    error: [error instanceof SelvedgeError, error.code, error.status, error.problems[0].parameter],
    count: await brand.orderItems.total({ orderId: item.orderId }),
  }
}
`
const expected = {
  name: recordsAt('brand')[0]?.['name'],
  total: items.length,
  ids: items.slice(0, 4).map(({ id }) => id),
  walked: items.reduce((sum, { qty }) => sum + Number(qty), 0),
  order: order['id'],
  same: true,
  aborted: 'AbortError',
  error: [true, 'invalid_parameter', 400, 'limit'],
  count: items.length,
}

describe('the package', () => {
  it('holds programs, types, what to read and nothing else, and needs no other package', () => {
    const paths = packed.files.map(({ path }) => path)
    const others = paths.filter((path) => !/^dist\/(generated\/)?[\w-]+\.(js|d\.ts)$/.test(path))
    assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json'])
    for (const path of paths.filter((each) => each.endsWith('.js'))) {
      assert.ok(paths.includes(path.replace(/js$/, 'd.ts')), path)
    }
    const { dependencies, version } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    )
    const program = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.deepEqual([dependencies, version], [undefined, program.version])
    const licence = (at: string) => readFileSync(join(at, 'LICENSE'), 'utf8')
    assert.equal(licence(installed), licence(root))
  })

  it('has less than 15 KB of programs, compressed', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
    const programs = files.filter((file) => file.endsWith('.js'))
    const bytes = programs.reduce(
      (sum, file) => sum + gzipSync(readFileSync(join(installed, 'dist', file))).length,
      0,
    )
    assert.ok(programs.length > 5)
    assert.ok(bytes < 15_000, `${bytes} bytes`)
  })

  for (const version of ['20.20.2', '22.23.2', '26.10.0']) {
    const major = version.split('.')[0]
    it(`works in Node ${major}`, { timeout: 180_000 }, async (t) => {
      const node = await findNode(version)
      if (typeof node !== 'string') return t.skip(node.missing)
      write('scenario.mjs', scenario)
      write(
        'run.mjs',
        `import * as client from '@selvedge/client'
import { scenario } from './scenario.mjs'
const result = await scenario(client, process.env.URL, process.env.KEY)
console.log(JSON.stringify([process.versions.node.split('.')[0], result]))`,
      )
      const { stdout, stderr } = await run(node, ['run.mjs'], {
        cwd: folder,
        env: { URL: service.url, KEY: key },
      })
      assert.deepEqual(JSON.parse(stdout), [major, expected])
      assert.equal(stderr, '')
      return undefined
    })
  }

  it('works in a browser, from a bundle, on a page of the server or of another', {
    timeout: 180_000,
  }, async (t) => {
    const program = await findChromium()
    if (typeof program !== 'string') return t.skip(program.missing)
    write('scenario.mjs', scenario)
    write('index.html', '<!doctype html><script type="module" src="./page.js"></script>')
    write(
      'page.js',
      `import * as client from '@selvedge/client'
import { scenario } from './scenario.mjs'
globalThis.play = (url, key) => scenario(client, url, key)`,
    )
    const vite = join(root, 'node_modules/vite/bin/vite.js')
    const out = ['--base', '/bundle/', '--outDir', 'bundle', '--logLevel', 'warn']
    await run(process.execPath, [vite, 'build', ...out], { cwd: folder })
    const browser = await openBrowser(program)
    try {
      for (const origin of [service.url, elsewhere]) {
        const page = await openPage(browser, service.url)
        await page.route(`${service.url}/bundle/**`, (route) =>
          route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
        )
        await page.goto(`${origin}/bundle/index.html`)
        await awaitTrue(page, '"play" in globalThis')
        const play = `play(${JSON.stringify(service.url)}, ${JSON.stringify(key)})`
        assert.deepEqual(await page.evaluate(play), expected)
        assert.deepEqual(
          page.faults.filter((fault) => !fault.startsWith(`asked ${elsewhere}/bundle/`)),
          [],
        )
      }
    } finally {
      await browser.close()
    }
    const [script = ''] = readdirSync(join(folder, 'bundle/assets'))
    const size = gzipSync(readFileSync(join(folder, 'bundle/assets', script))).length
    assert.ok(size < 8_000, `${size} bytes`)
    return undefined
  })

  it('has types that compile, for Node and for a bundler, with everything checked', async () => {
    const types = join(folder, 'types')
    mkdirSync(types)
    writeFileSync(
      join(types, 'use.ts'),
      `import { createClient, type Order, type Page, SelvedgeError } from '@selvedge/client'
const brand = createClient({ url: 'https://records.example', key: 'slv_' }).brand('aldermoor')
export const order: Promise<Order> = brand.orders.get('x')
export const page: Promise<Page<{ readonly order: Order | null }>> = brand.packingLists.list({
  include: ['order'],
})
// @ts-expect-error there is no such filter
void brand.packingLists.list({ colour: 'x' })
export const code = (error: unknown) => (error instanceof SelvedgeError ? error.code : undefined)
`,
    )
    const shared = ['--noEmit', '--strict', '--target', 'es2022', '--types', '', 'types/use.ts']
    const ways = [
      ['--module', 'nodenext', '--lib', 'es2022,dom'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable'],
    ]
    for (const way of ways) {
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const { stdout } = await run(process.execPath, [tsc, ...way, ...shared], { cwd: folder })
      assert.equal(stdout, '')
    }
  })
})
