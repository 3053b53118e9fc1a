/** Runs the examples of the documentation and compares what they print with what the pages show. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openCommandServer } from '../support/command-server.ts'
import { compileCache } from '../support/compile-cache.ts'
import { openErp } from '../support/erp.ts'
import { findNode } from '../support/nodes.ts'
import { type Block, blocksOf, read, root, written } from '../support/pages.ts'
import { openPostgres } from '../support/postgres.ts'
import { fewOrders, putDemo } from '../support/prepared-demo.ts'

const runSql = `"${process.execPath}" "${join(root, 'test/support/run-sql.ts')}"`

const runners: { readonly [language: string]: (file: string, block: Block) => string } = {
  js: (file) => `node ${file}.mjs`,
  python: (file) => `python3 ${file}.py`,
  // The source is the database that records are read from.
  sql: (file, { marks }) => `${runSql} ${file}.sql ${marks.includes('source') ? '"$ERP_URL"' : ''}`,
}

const extensions: { readonly [language: string]: string } = { js: 'mjs', python: 'py', sql: 'sql' }

const isRunnable = ({ language, marks }: Block): boolean =>
  (language === 'sh' || language in runners) && !marks.includes('no-run')

const has = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

const cannotRun = (blocks: readonly Block[]): string | false => {
  if (process.platform === 'win32') return 'needs a POSIX shell'
  const needed = [
    ...(blocks.some(({ text }) => /\bcurl\b/.test(text)) ? ['curl'] : []),
    ...(blocks.some(({ language }) => language === 'python') ? ['python3'] : []),
  ]
  const missing = needed.find((program) => !has(program))
  return missing ? `needs ${missing}: install it to run these examples` : false
}

/**
 * The `node` of the examples is the oldest that the README says is enough, which is not the one that
 * runs the server. Where it cannot be had, this one has to do.
 */
const foundNode = await findNode('20.20.2')
const readersNode = typeof foundNode === 'string' ? foundNode : process.execPath

const main = join(root, 'src/cli/main.ts')

/** Commands run here. Servers, for HTTP and for agents, have a process of their own. */
const commands = await openCommandServer()
after(() => commands.close())
const commandScript = (bin: string): string => `#!/bin/sh
case "$1" in
  serve | mcp) exec "${process.execPath}" "${main}" "$@" ;;
  *) exec "${bin}/.selvedge" "$@" ;;
esac
`

type Variables = { readonly [name: string]: string }

/** A folder with the demo's database, and the environment of a shell in it. */
interface Place {
  readonly folder: string
  readonly environment: Variables
  close(): void
}

const openPlace = (orders?: number): Place => {
  const home = mkdtempSync(join(tmpdir(), 'selvedge-docs-'))
  const bin = join(home, '.bin')
  const folder = join(home, 'work')
  mkdirSync(bin)
  mkdirSync(folder)
  putDemo(folder, orders)
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
  mkdirSync(join(home, 'node_modules/@selvedge'), { recursive: true })
  symlinkSync(join(root, 'client'), join(home, 'node_modules/@selvedge/client'))
  writeFileSync(join(bin, 'selvedge'), commandScript(bin), { mode: 0o755 })
  writeFileSync(join(bin, '.selvedge'), commands.program, { mode: 0o755 })
  symlinkSync(readersNode, join(bin, 'node'))
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    HOME: home,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: compileCache,
  }
  return { folder, environment, close: () => rmSync(home, { recursive: true, force: true }) }
}

interface Server {
  /** The URL and the key, as the pages name them. */
  readonly variables: Variables
  close(): Promise<void>
}

const startServer = async ({ folder, environment }: Place): Promise<Server> => {
  const server = spawn(process.execPath, [main, 'serve', '--demo'], {
    cwd: folder,
    env: { ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const close = async () => {
    const ended = new Promise((done) => server.once('exit', done))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
  }
  try {
    const welcome = await printed(server, /Ctrl\+C/)
    const [, BASE = ''] = /API +(\S+)/.exec(welcome) ?? []
    const [, KEY = ''] = /Demo key +(\S+)/.exec(welcome) ?? []
    assert.match(welcome, /curl -H "Authorization: Bearer slv_/)
    await waitForKey(BASE, KEY)
    return { variables: { BASE, KEY }, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A server for the pages that run no command, and so leave the records as they are. */
let shared: Promise<Server> | null = null
const sharedServer = (): Promise<Server> => {
  shared ??= (async () => {
    const place = openPlace()
    const server = await startServer(place)
    return { ...server, close: () => server.close().finally(place.close) }
  })()
  return shared
}
after(async () => (await shared)?.close())

/** Pages with commands that show figures of the standard demo. Others read, copy and import fewer records. */
const isAboutStandard = new Set(['docs/how-to/check-records.md', 'docs/how-to/query.md'])

/** Runs a page's blocks in one shell and in a folder of its own, beside a server if it names one. */
const runPage = async (
  path: string,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const names = (what: RegExp) => blocks.some((block) => isRunnable(block) && what.test(block.text))
  const place = openPlace(isAboutStandard.has(path) ? undefined : fewOrders)
  const own = names(/\bselvedge /) && names(/\b(BASE|KEY)\b/) ? await startServer(place) : null
  // Pages about other systems read from the ERP of the example.
  const postgres = names(/examples\/erp-postgresql/) ? await openPostgres() : null
  try {
    const environment = {
      ...place.environment,
      ...(own ?? (names(/\bselvedge /) ? null : await sharedServer()))?.variables,
      ...(postgres && { ERP_URL: (await openErp(postgres, 'erp')).url }),
    }
    return await runBlocks(blocks, place.folder, environment, signal)
  } finally {
    await own?.close()
    await postgres?.close()
    place.close()
  }
}

/** A server accepts a new key within its refresh time. */
const waitForKey = async (base: string, key: string): Promise<void> => {
  for (;;) {
    const { status } = await fetch(base, { headers: { authorization: `Bearer ${key}` } })
    if (status === 200) return
    await wait(50)
  }
}

const printed = (child: ChildProcess, wanted: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (wanted.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${text}`)))
  })

const endMark = '@@ end of block'

const runBlocks = async (
  blocks: readonly Block[],
  folder: string,
  environment: { readonly [name: string]: string },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const lines = ['set -eu', 'exec 2>&1']
  for (const [index, block] of blocks.entries()) {
    if (!isRunnable(block)) continue
    const runner = runners[block.language]
    const file = `block-${index}`
    if (runner) {
      writeFileSync(join(folder, `${file}.${extensions[block.language]}`), block.text)
    }
    const text = runner ? runner(file, block) : block.text
    lines.push(
      ...(exitOf(block) === 0 ? ['docs_status=0', text] : ['set +e', text, 'docs_status=$?']),
      'set -e',
      `printf '\\n${endMark} %s %s\\n' ${index} "$docs_status"`,
    )
  }
  const output = await runShell(lines.join('\n'), folder, environment, signal)
  const parts = output.split(new RegExp(`\n${endMark} (\\d+) (\\d+)\n`))
  const problems: string[] = []
  const ran = new Map<number, string>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [text = '', index, status] = parts.slice(at, at + 3)
    const block = blocks[Number(index)]
    assert.ok(block)
    ran.set(Number(index), text)
    if (Number(status) !== exitOf(block)) {
      problems.push(`line ${block.line}: the block ended with ${status}\n${text}`)
    }
  }
  for (const [index, block] of blocks.entries()) {
    if (!isRunnable(block)) continue
    const text = ran.get(index)
    if (text === undefined) {
      problems.push(`line ${block.line}: the block failed\n${parts.at(-1)}`)
      break
    }
    const expected = blocks[index + 1]
    if (expected?.marks.includes('output') && !shows(expected, text)) {
      problems.push(`line ${expected.line}: expected\n${expected.text}\nbut it was\n${text}`)
    }
  }
  return problems
}

const exitOf = ({ marks }: Block): number =>
  Number(marks.find((each) => each.startsWith('exit='))?.slice(5) ?? 0)

const runShell = (
  script: string,
  cwd: string,
  env: { readonly [name: string]: string },
  signal: AbortSignal,
): Promise<string> =>
  new Promise((resolve, reject) => {
    // In a group of its own, so that what it leaves in the background can be ended with it.
    const shell = spawn('sh', ['-c', script], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const endGroup = () => {
      try {
        if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
      } catch {
        // Nothing of it is left.
      }
    }
    signal.addEventListener('abort', endGroup)
    shell.once('error', reject)
    shell.once('exit', endGroup)
    shell.once('close', () => resolve(text))
  })

/** Whether an output is what a block shows. `…` stands for anything; JSON may be laid out freely. */
const shows = ({ language, text }: Block, output: string): boolean => {
  const plain = (each: string) =>
    language === 'json' ? each.replace(/\s+/g, '') : each.replace(/[ \t\r]+$/gm, '').trim()
  const pattern = plain(text)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?')
  return new RegExp(`^${pattern}$`).test(plain(output))
}

describe('the examples', { concurrency: 2 }, () => {
  const runnablePages = written
    .map((path) => ({ path, blocks: blocksOf(read(path)) }))
    .filter(({ blocks }) => blocks.some(isRunnable))

  for (const { path, blocks } of runnablePages) {
    it(`of ${path} run and print what they show`, {
      skip: cannotRun(blocks.filter(isRunnable)),
    }, async ({ signal }) => {
      const problems = await runPage(path, blocks, signal)
      assert.equal(problems.join('\n\n'), '')
    })
  }

  it('are in the README, the tutorial and most of the how-to guides', () => {
    const paths = runnablePages.map(({ path }) => path)
    assert.ok(paths.includes('README.md'))
    assert.ok(paths.some((path) => path.startsWith('docs/tutorial/')))
    const guides = (all: readonly string[]) => all.filter((path) => path.startsWith('docs/how-to/'))
    assert.ok(guides(paths).length > guides(written).length / 2)
  })
})
