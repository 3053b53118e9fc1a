/** The documentation says what is so: its examples run, and it names what is there and no more. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { rules } from '#check'
import { clientErrorCodes } from '#client'
import { settings } from '#config'
import { catalog, domains, errors, type Fields, operationsOf } from '#contract'
import { tools } from '#mcp'
import { generatedFiles } from '../../tools/generated-files.ts'
import { namedCommands } from '../../tools/reference/commands.ts'
import { anchorOf } from '../../tools/reference/markdown.ts'
import { directions } from '../support/architecture.ts'
import { compileCache } from '../support/compile-cache.ts'
import { findNode } from '../support/nodes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const pages = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'STYLE.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'client/README.md',
  ],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .sort(),
]
const generated = (path: string): boolean => path.startsWith('docs/reference/')
const written = pages.filter((path) => !generated(path))

/** A fenced block: its language, the words beside it, and its lines. */
interface Block {
  readonly language: string
  readonly marks: readonly string[]
  readonly text: string
  readonly line: number
}

const blocksOf = (markdown: string): readonly Block[] => {
  const blocks: Block[] = []
  let open: { language: string; marks: string[]; lines: string[]; line: number } | null = null
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, info] = /^```(.*)$/.exec(line) ?? []
    if (info === undefined) open?.lines.push(line)
    else if (open) {
      const { lines, ...block } = open
      blocks.push({ ...block, text: lines.join('\n') })
      open = null
    } else {
      const [language = '', ...marks] = info.trim().split(/\s+/)
      open = { language, marks, lines: [], line: index + 1 }
    }
  }
  assert.equal(open, null, 'a fenced block is not closed')
  return blocks
}

const proseOf = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```$/gm, '')

/** Blocks that cannot run here, by page and first words. */
const notRun: readonly (readonly [page: string, begins: string, because: string])[] = [
  ['README.md', 'git clone', 'clones a repository; the demo server of every page is npm start'],
  ['README.md', 'npm test', 'is what runs this test'],
  ['CONTRIBUTING.md', 'export PATH', 'runs the tests from within the tests'],
  ['docs/how-to/run-in-production.md', 'useradd', 'creates a user of the system'],
  ['docs/how-to/run-in-production.md', 'cp', 'writes to folders of the system'],
  ['docs/how-to/run-in-production.md', 'chmod', 'needs systemd'],
  ['docs/how-to/run-in-production.md', 'systemd-run', 'needs systemd'],
  ['docs/how-to/back-up-and-restore.md', 'umask 077\nsqlite3', 'needs the sqlite3 program'],
  ['docs/how-to/back-up-and-restore.md', 'umask 077\npg_dump', 'needs the programs of PostgreSQL'],
  ['docs/how-to/run-in-containers.md', 'docker build', 'needs a container engine'],
  ['docs/how-to/run-in-containers.md', 'export POSTGRES_PASSWORD', 'needs a container engine'],
  ['docs/how-to/run-in-containers.md', 'kubectl', 'needs a cluster'],
  ['docs/how-to/use-the-client.md', 'npm pack', 'packs into the checkout; the test links it'],
  ['docs/tutorial/first-requests.md', 'BASE=', 'the test sets both from what the server prints'],
]

const runners: { readonly [language: string]: (file: string) => string } = {
  js: (file) => `node ${file}.mjs`,
  python: (file) => `python3 ${file}.py`,
}

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

/** Runs a page's blocks in one shell, in a folder of its own beside a server of its own. */
const runPage = async (
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-docs-'))
  const bin = join(folder, '.bin')
  const work = join(folder, 'work')
  mkdirSync(bin)
  mkdirSync(work)
  mkdirSync(join(folder, 'node_modules/@selvedge'), { recursive: true })
  symlinkSync(join(root, 'client'), join(folder, 'node_modules/@selvedge/client'))
  const main = join(root, 'src/cli/main.ts')
  const command = `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`
  writeFileSync(join(bin, 'selvedge'), command, { mode: 0o755 })
  symlinkSync(readersNode, join(bin, 'node'))
  const environment = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: compileCache,
  }
  const server = spawn(process.execPath, [main, 'serve', '--demo'], {
    cwd: work,
    env: { ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  try {
    const welcome = await printed(server, /Ctrl\+C/)
    const [, BASE = ''] = /API +(\S+)/.exec(welcome) ?? []
    const [, KEY = ''] = /Demo key +(\S+)/.exec(welcome) ?? []
    assert.match(welcome, /curl -H "Authorization: Bearer slv_/)
    await known(BASE, KEY)
    return await runBlocks(blocks, work, { ...environment, BASE, KEY }, signal)
  } finally {
    const ended = new Promise((done) => server.once('exit', done))
    if (server.exitCode === null && server.kill('SIGTERM')) await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A server knows a new key within its refresh time. */
const known = async (base: string, key: string): Promise<void> => {
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

const mark = '@@ end of block'

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
      const extension = block.language === 'js' ? 'mjs' : 'py'
      writeFileSync(join(folder, `${file}.${extension}`), block.text)
    }
    const text = runner ? runner(file) : block.text
    lines.push(
      ...(exitOf(block) === 0 ? ['docs_status=0', text] : ['set +e', text, 'docs_status=$?']),
      'set -e',
      `printf '\\n${mark} %s %s\\n' ${index} "$docs_status"`,
    )
  }
  const output = await runShell(lines.join('\n'), folder, environment, signal)
  const parts = output.split(new RegExp(`\n${mark} (\\d+) (\\d+)\n`))
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
  for (const path of written) {
    const blocks = blocksOf(read(path))
    const runnable = blocks.filter(isRunnable)
    if (runnable.length === 0) continue
    it(`of ${path} run and print what they show`, {
      timeout: 90_000,
      skip: cannotRun(runnable),
    }, async ({ signal }) => {
      const problems = await runPage(blocks, signal)
      assert.equal(problems.join('\n\n'), '')
    })
  }

  it('that cannot run here are few, and known', () => {
    const found = written.flatMap((path) =>
      blocksOf(read(path))
        .filter(({ marks }) => marks.includes('no-run'))
        .map(({ text }) => [path, text] as const),
    )
    assert.equal(found.length, notRun.length)
    for (const [path, text] of found) {
      const known = notRun.some(([page, begins]) => page === path && text.startsWith(begins))
      assert.ok(known, `${path}: ${text}`)
    }
  })

  it('use languages and marks that are understood', () => {
    for (const path of pages) {
      for (const { language, marks, line } of blocksOf(read(path))) {
        const where = `${path}:${line}`
        assert.match(language, /^(sh|js|python|json|text|ini)$/, where)
        for (const mark of marks) assert.match(mark, /^(no-run|output|exit=\d)$/, where)
      }
    }
  })
})

/** The first cells of a page's tables, without their quotes. */
const firstCells = (markdown: string, pattern: RegExp): readonly string[] =>
  [...markdown.matchAll(/^\| `([^`]+)` \|/gm)]
    .map(([, cell = '']) => cell)
    .filter((cell) => pattern.test(cell))

/** The part of a page below a heading, up to the next of its level. */
const sectionOf = (markdown: string, heading: string): string => {
  const [, after] = markdown.split(`\n## ${heading}\n`)
  assert.ok(after !== undefined, `there is no heading ${heading}`)
  return after.split('\n## ')[0] ?? ''
}

const headingsOf = (markdown: string, level: string): readonly string[] =>
  proseOf(markdown)
    .split('\n')
    .filter((line) => line.startsWith(`${level} `))
    .map((line) => line.slice(level.length + 1))

describe('the reference', () => {
  it('has every error code with its status, and no other', () => {
    const page = read('docs/reference/errors.md')
    assert.deepEqual(firstCells(page, /./), Object.keys(errors))
    for (const [code, { status }] of Object.entries(errors)) {
      assert.ok(page.includes(`| \`${code}\` | ${status} |`), code)
    }
  })

  it('has every variable with its default, and no other', () => {
    const page = read('docs/reference/configuration.md')
    const names = settings.map(({ name }) => name)
    assert.deepEqual(firstCells(page, /./), names)
    for (const { name, default: fallback } of settings) {
      if (fallback) assert.ok(page.includes(`| \`${name}\` | \`${fallback}\` |`), name)
    }
  })

  it('has every command with each of its options, and no other', () => {
    const page = read('docs/reference/commands.md')
    const commands = namedCommands()
    assert.deepEqual(
      headingsOf(page, '##'),
      commands.map(({ words }) => words),
    )
    for (const { words, command } of commands) {
      const flags = firstCells(sectionOf(page, words), /^-/)
      assert.deepEqual(
        flags,
        command.options.map((option) => option.flags),
        words,
      )
    }
  })

  it('has every resource with its endpoints, fields and filters, and no other', () => {
    const found = domains.flatMap((domain) => {
      const page = read(`docs/reference/resources/${domain}.md`)
      return headingsOf(page, '##').map((group) => ({ group, section: sectionOf(page, group) }))
    })
    assert.deepEqual(
      found.map(({ group }) => group).sort(),
      catalog.resources.map(({ group }) => group).sort(),
    )
    for (const resource of catalog.resources) {
      const section = found.find(({ group }) => group === resource.group)?.section ?? ''
      const paths = operationsOf(catalog).filter((each) => each.resource === resource)
      const expected = [
        ...paths.map(({ path }) => `GET ${path}`),
        ...namesOf(resource.fields),
        ...resource.filters.map(({ name }) => name),
        ...namesOf(resource.content?.fields ?? {}),
      ]
      assert.deepEqual(firstCells(section, /./), expected, resource.path)
    }
  })

  it('has every rule, and no other', () => {
    const page = read('docs/reference/rules.md')
    assert.deepEqual(
      firstCells(page, /./),
      rules.map(({ id }) => id),
    )
  })

  it('consists of generated pages alone', async () => {
    const made = (await generatedFiles()).map(({ path }) => path).filter(generated)
    assert.deepEqual(pages.filter(generated), made.sort())
    for (const path of made) assert.match(read(path), /^<!-- Generated by tools\//, path)
  })
})

const namesOf = (fields: Fields, prefix = ''): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => [
    prefix + name,
    ...namesOf(field.fields ?? {}, `${prefix}${name}.`),
  ])

/** Variables that were renamed or removed. The changelog tells users who upgrade. */
const formerVariables = new Set(['ANSWER_MEMORY_MB', 'SLOW_PARTS', 'SPARE_WORKERS'])

describe('the pages', () => {
  it('link to files and headings that are there', () => {
    for (const path of pages) {
      for (const [, target = ''] of proseOf(read(path)).matchAll(/\]\(([^)]+)\)/g)) {
        const where = `${path} links to ${target}`
        assert.doesNotMatch(target, /^[a-z]+:/, where)
        const [file = '', anchor] = target.split('#')
        const to = file ? normalize(join(dirname(path), file)) : path
        assert.ok(existsSync(join(root, to)), where)
        if (anchor === undefined) continue
        const headings = ['#', '##', '###'].flatMap((level) => headingsOf(read(to), level))
        assert.ok(headings.map(anchorOf).includes(anchor), where)
      }
    }
  })

  it('can all be reached from the README', () => {
    const reached = new Set<string>()
    const visit = (path: string): void => {
      if (reached.has(path) || !path.endsWith('.md')) return
      reached.add(path)
      for (const [, target = ''] of proseOf(read(path)).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        visit(normalize(join(dirname(path), target)))
      }
    }
    visit('README.md')
    assert.deepEqual([...reached].sort(), [...pages].sort())
  })

  it('name variables, options, codes and metrics that are there', () => {
    const variables = new Set(settings.map(({ name }) => name))
    const options = new Set(
      namedCommands().flatMap(({ command }) => command.options.map(({ long }) => long)),
    )
    const optionsIn = (files: readonly string[]) =>
      files.flatMap((file) =>
        [...read(file).matchAll(/\b(\w+): \{ type: '(?:string|boolean)'/g)].map(
          ([, option]) => `--${option}`,
        ),
      )
    const benches = ['bench', 'growth', 'peers', 'import'].map((name) => `bench/${name}.ts`)
    const besides: Readonly<Record<string, readonly string[]>> = {
      'CONTRIBUTING.md': optionsIn(benches),
      'docs/explanation/trust.md': optionsIn(['reliability/main.ts']),
    }
    const known = new Set<string | null | undefined>([...options, '--help', '--check'])
    const knownOf = (path: string) => known.union(new Set(besides[path] ?? []))
    const named = [
      'observability/metrics',
      'observability/request-counters',
      'store/schema/collection-stats',
      'store/write/change-log',
      'keys/table',
      'database/postgres/reader',
    ]
      .map((file) => read(`src/${file}.ts`))
      .join('')
    for (const path of written) {
      const text = read(path)
      const prose = proseOf(text)
      const envs = blocksOf(text).filter(({ language }) => language === 'ini')
      for (const { text: lines } of envs) {
        for (const [, name = ''] of lines.matchAll(/^([A-Z_]+)=/gm)) {
          assert.ok(variables.has(name), `${path}: ${name}`)
        }
      }
      for (const [, name = ''] of prose.matchAll(/`([A-Z]{2,}(?:_[A-Z]+)+)\b/g)) {
        const isFormer = path === 'CHANGELOG.md' && formerVariables.has(name)
        assert.ok(isFormer || variables.has(name), `${path}: ${name}`)
      }
      for (const [, option] of prose.matchAll(/`(?:[a-z ]+ )?(--[a-z-]+)/g)) {
        assert.ok(knownOf(path).has(option), `${path}: ${option}`)
      }
      for (const [, name = ''] of prose.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)) {
        const there = name.startsWith('selvedge_')
          ? new RegExp(`['"]${name}\\b`).test(named)
          : Object.hasOwn(errors, name) ||
            clientErrorCodes.some((code) => code === name) ||
            tools.some((tool) => tool.name === name)
        assert.ok(there || name === 'node_modules', `${path}: ${name}`)
      }
    }
  })

  it('name files that are there, and functions that are in them', () => {
    for (const path of ['docs/explanation/architecture.md', 'CONTRIBUTING.md', 'STYLE.md']) {
      const prose = proseOf(read(path))
      const find = (file: string): string | undefined =>
        [file, `src/${file}`, `src/ingest/${file}`].find((each) => existsSync(join(root, each)))
      for (const [, file = ''] of prose.matchAll(/`([\w./-]+\.(?:ts|cjs|mjs|json))`/g)) {
        assert.ok(find(file), `${path}: ${file}`)
      }
      const named = /((?:`[\w.]+`(?:, | and )?)+) (?:in |\()`([\w./-]+\.ts)`/g
      for (const [, names = '', file = ''] of prose.matchAll(named)) {
        const source = read(find(file) ?? '')
        for (const [, name = ''] of names.matchAll(/`(?:\w+\.)?(\w+)`/g)) {
          assert.match(source, new RegExp(`\\b${name}\\b`), `${path}: ${name} in ${file}`)
        }
      }
    }
  })

  it('show the directions that the architecture test holds', () => {
    const rows = [...read('docs/explanation/architecture.md').matchAll(/^\| (`.*`) \| (.*) \|$/gm)]
    const words = (cell: string) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, word = '']) => word)
    const shown = new Map<string, readonly string[]>()
    for (const [, modules = '', allowed = ''] of rows) {
      const isDirection = allowed === 'no other module' || /^(`[\w-]+`(, )?)+$/.test(allowed)
      if (isDirection) for (const each of words(modules)) shown.set(each, words(allowed).sort())
    }
    const held = Object.entries(directions).map(([module, allowed]) => [
      module,
      [...allowed].sort(),
    ])
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(held))
  })

  it('give commands to run that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { [name: string]: string } }
    for (const path of written) {
      for (const [, name = ''] of read(path).matchAll(/\bnpm run ([a-z:-]+[a-z])/g)) {
        assert.ok(scripts[name], `${path}: npm run ${name}`)
      }
    }
  })

  it('hold nothing of a machine, a registry or unfinished work', () => {
    for (const path of [
      ...pages,
      'test/golden/ddl.sqlite.sql',
      'openapi.json',
      'openapi.feed.json',
    ]) {
      const text = read(path)
      assert.doesNotMatch(text, /\/(work|root|home|Users|tmp)\//, path)
      assert.doesNotMatch(text, /npmjs|registry\.|artifactory|verdaccio/i, path)
      assert.doesNotMatch(text, /\b(TODO|FIXME|XXX|TBD)\b/, path)
      assert.doesNotMatch(text, /slv_[0-9A-Za-z]{43}_/, `${path} holds a key`)
    }
  })
})
