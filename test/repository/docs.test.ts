/** The documentation names what exists and nothing else. Its examples: docs-examples.slow.test.ts. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { rules } from '#check'
import { clientErrorCodes } from '#client'
import { settings } from '#config'
import { catalog, domains, errors, type Fields, operationsOf } from '#contract'
import { tools } from '#mcp'
import { checkNames } from '../../reliability/checks.ts'
import { generatedFiles } from '../../tools/generated-files.ts'
import { namedCommands } from '../../tools/reference/commands.ts'
import { anchorOf } from '../../tools/reference/markdown.ts'
import { directions, layers } from '../support/architecture.ts'
import { blocksOf, isGenerated, pages, proseOf, read, root, written } from '../support/pages.ts'

/** Blocks that cannot run here, by page and first words. */
const notRun: readonly (readonly [page: string, begins: string, because: string])[] = [
  ['README.md', 'git clone', 'clones a repository, and runs the tests from within the tests'],
  ['CONTRIBUTING.md', 'npm test', 'runs the tests from within the tests'],
  ['docs/how-to/run-in-production.md', 'useradd', 'creates a user of the system'],
  ['docs/how-to/run-in-production.md', 'cp', 'writes to folders of the system'],
  ['docs/how-to/run-in-production.md', 'chmod', 'needs systemd'],
  ['docs/how-to/run-in-production.md', 'systemd-run', 'needs systemd'],
  ['docs/how-to/run-in-production.md', 'mkdir -p /opt/otel', 'writes to folders of the system'],
  ['docs/tutorial/from-an-erp.md', 'alias', 'defines what the checkout of a reader has'],
  ['docs/how-to/download.md', 'selvedge links add', 'names a key; keys.test.ts does this'],
  ['docs/how-to/recover.md', 'pg_basebackup', 'point-in-time.slow.test.ts does this'],
  ['docs/how-to/recover.md', 'cp -a "$BASE"', 'point-in-time.slow.test.ts does this'],
  ['docs/how-to/run-in-containers.md', 'docker build', 'needs a container engine'],
  ['docs/how-to/run-in-containers.md', 'export POSTGRES_PASSWORD', 'needs a container engine'],
  ['docs/how-to/run-in-containers.md', 'helm install', 'needs a cluster'],
  ['docs/how-to/run-in-containers.md', 'helm upgrade', 'needs a cluster'],
  ['docs/how-to/run-in-containers.md', 'kubectl', 'needs a cluster'],
  ['docs/how-to/install.md', 'git clone', 'clones a repository'],
  ['docs/how-to/install.md', 'npm run build:package', 'package.release.test.ts does this'],
  ['docs/how-to/install.md', 'npm install --global', 'installs a command of the system'],
  ['docs/how-to/install.md', 'npm run build:binary', 'binary.release.test.ts does this'],
  ['docs/how-to/install.md', './selvedge-linux-x64', 'binary.release.test.ts does this'],
  ['docs/how-to/install.md', 'npm run build:binary --', 'takes a minute'],
  ['docs/how-to/install.md', 'codesign', 'needs macOS'],
  ['docs/how-to/release.md', 'npm run release', 'release.release.test.ts does this'],
  ['docs/how-to/release.md', 'cd dist/release', 'release.release.test.ts does this'],
  ['docs/how-to/use-the-client.md', 'npm pack', 'packs into the checkout; the test links it'],
  ['docs/tutorial/first-requests.md', 'BASE=', 'the test sets both from what the server prints'],
  ['docs/how-to/watch-a-folder.md', 'export AWS_ACCESS_KEY_ID=', 'needs a bucket'],
]

describe('the examples', () => {
  it('that cannot run here are few, and known', () => {
    const blocks = written.flatMap((path) =>
      blocksOf(read(path))
        .filter(({ marks }) => marks.includes('no-run'))
        .map(({ text }) => [path, text] as const),
    )
    for (const [path, text] of blocks) {
      const isListed = notRun.some(([page, begins]) => page === path && text.startsWith(begins))
      assert.ok(isListed, `${path}: ${text}`)
    }
    assert.equal(blocks.length, notRun.length)
  })

  it('use languages and marks that are understood', () => {
    for (const path of pages) {
      for (const { language, marks, line } of blocksOf(read(path))) {
        const where = `${path}:${line}`
        assert.match(language, /^(sh|js|python|sql|json|text|ini|yaml|diff)$/, where)
        // A diff names its file: see recipes.slow.test.ts.
        if (language === 'diff') continue
        for (const mark of marks) assert.match(mark, /^(no-run|output|source|exit=\d)$/, where)
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
    const sections = domains.flatMap((domain) => {
      const page = read(`docs/reference/resources/${domain}.md`)
      return headingsOf(page, '##').map((group) => ({ group, section: sectionOf(page, group) }))
    })
    assert.deepEqual(
      sections.map(({ group }) => group).sort(),
      catalog.resources.map(({ group }) => group).sort(),
    )
    for (const resource of catalog.resources) {
      const section = sections.find(({ group }) => group === resource.group)?.section ?? ''
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
    const made = (await generatedFiles())
      .map(({ path }) => path)
      .filter((path) => isGenerated(path) && path.endsWith('.md'))
    assert.deepEqual(pages.filter(isGenerated), made.sort())
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
    let links = 0
    for (const path of pages) {
      for (const [, target = ''] of proseOf(read(path)).matchAll(/\]\(([^)]+)\)/g)) {
        links += 1
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
    assert.ok(links > 100, `${links} links`)
  })

  it('show in the README what the results say', () => {
    const resultOf = (path: string) => JSON.parse(read(`${path}.json`))
    const countsOf = (check: string) => resultOf(`reliability/results/${check}`).counts
    const [crash, server, statements, ingest, watch, isolation] = [
      ...['crash', 'crash-server', 'crash-statements', 'ingest-kill', 'watch-kill', 'isolation'],
    ].map(countsOf)
    const kills = crash.killed + server.kills + statements.boundaries + ingest.kills + watch.killed
    const lost = [crash, server, statements].flatMap((each) => [each.half, each.lost])
    assert.deepEqual([...new Set([...lost, ingest.violations, isolation.leaks])], [0])
    assert.equal(watch.processed, watch.files)
    const { verdicts } = resultOf('bench/results/2026-11-16-sqlite-3')
    const { figure } = verdicts.find(({ what }: { what: string }) => /deep pages/.test(what))
    const [page, withTotal] = resultOf('bench/results/2026-11-15-peers-1').figures
    const [, installed] =
      /after `npm start` \|.* (\d+) \|$/m.exec(read('docs/explanation/footprint.md')) ?? []
    const { demoPerSecond } = resultOf('bench/results/2026-11-16-import-1')
    const shown = (value: number) => Math.round(value).toLocaleString('en')
    const readme = read('README.md')
    for (const text of [
      `**${figure.toFixed(2)} ×**`,
      `**${shown(withTotal.neverSeen / withTotal.theirs)} ×**`,
      `${shown(withTotal.neverSeen)} and ${shown(withTotal.theirs)}.`,
      `${(page.neverSeen / page.theirs).toFixed(1)} ×, since Platformatic DB then sends ${shown(page.theirs)}`,
      `**${shown(kills)} kills**`,
      `**${shown(isolation.probes + isolation.probesOnPostgres)} requests**`,
      // The figures of 90 days take 5 s more.
      `**${installed} s + ${shown(36_000 / demoPerSecond + 5)} s**`,
      `36,000 records at ${shown(demoPerSecond)} a second`,
    ]) {
      assert.ok(readme.includes(text), text)
    }
  })

  it('can all be reached from the README', () => {
    const reached = new Set<string>()
    const follow = (path: string): void => {
      if (reached.has(path) || !path.endsWith('.md')) return
      reached.add(path)
      for (const [, target = ''] of proseOf(read(path)).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
        follow(normalize(join(dirname(path), target)))
      }
    }
    follow('README.md')
    assert.deepEqual([...reached].sort(), [...pages].sort())
  })

  it('name variables, options, codes and metrics that are there', () => {
    const variables = new Set(
      settings.flatMap(({ name, isSecret }) => (isSecret ? [name, `${name}_FILE`] : [name])),
    )
    const options = new Set(
      namedCommands().flatMap(({ command }) => command.options.map(({ long }) => long)),
    )
    const optionsIn = (files: readonly string[]) =>
      files.flatMap((file) =>
        [...read(file).matchAll(/\b(\w+): \{ type: '(?:string|boolean)'/g)].map(
          ([, option]) => `--${option}`,
        ),
      )
    const benchOptions = readdirSync(join(root, 'bench'))
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...read(`bench/${file}`).matchAll(
          /\b(\w+): (?:whole|rounds|seconds|word|engine|flag|text)\(/g,
        ),
      ])
      .map(([, option]) => `--${option}`)
    assert.ok(benchOptions.includes('--rows'))
    const besides: Readonly<Record<string, readonly string[]>> = {
      'CONTRIBUTING.md': [
        ...benchOptions,
        ...optionsIn(['bench/options.ts', 'tools/test/main.ts']),
        '--report-only',
      ],
      'docs/explanation/performance.md': benchOptions,
      'docs/explanation/reliability.md': optionsIn(['reliability/main.ts']),
      'docs/how-to/release.md': optionsIn(['tools/release.ts']),
    }
    const optionNames = new Set<string | null | undefined>([
      ...options,
      '--as',
      '--help',
      '--version',
      '--check',
    ])
    const knownOf = (path: string) => optionNames.union(new Set(besides[path] ?? []))
    const named = [
      'observability/metric-table',
      'store/schema/collection-stats',
      'store/schema/change-tables',
      'audit/chain-table',
      'keys/table',
      'database/postgres/reader',
      'ingest/corrections',
    ]
      .map((file) => read(`src/${file}.ts`))
      .join('')
    const seen = { variables: 0, options: 0, names: 0 }
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
        seen.variables += 1
        const isFormer = path === 'CHANGELOG.md' && formerVariables.has(name)
        assert.ok(isFormer || variables.has(name), `${path}: ${name}`)
      }
      for (const [, option] of prose.matchAll(/`(?:[a-z ]+ )?(--[a-z-]+)/g)) {
        seen.options += 1
        assert.ok(knownOf(path).has(option), `${path}: ${option}`)
      }
      for (const [, name = ''] of prose.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)) {
        const there = name.startsWith('selvedge_')
          ? new RegExp(`['"]${name}\\b`).test(named)
          : Object.hasOwn(errors, name) ||
            clientErrorCodes.some((code) => code === name) ||
            tools.some((tool) => tool.name === name)
        seen.names += 1
        const isProgram = /^pg_\w+$/.test(name)
        assert.ok(there || isProgram || name === 'node_modules', `${path}: ${name}`)
      }
    }
    // The patterns above still match what the pages name.
    for (const [kind, count] of Object.entries(seen)) assert.ok(count > 20, `${count} ${kind}`)
  })

  it('name files that are there, and functions that are in them', () => {
    for (const path of [
      'docs/explanation/architecture.md',
      'docs/explanation/performance.md',
      'CONTRIBUTING.md',
    ]) {
      const prose = proseOf(read(path))
      let files = 0
      const find = (file: string): string | undefined =>
        [file, `src/${file}`, `src/ingest/${file}`].find((each) => existsSync(join(root, each)))
      for (const [, file = ''] of prose.matchAll(/`([\w./-]+\.(?:ts|cjs|mjs|json))`/g)) {
        files += 1
        assert.ok(find(file), `${path}: ${file}`)
      }
      assert.ok(files > 0, path)
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

  it('show the layers that the architecture test holds', () => {
    const rows = [
      ...read('docs/explanation/architecture.md').matchAll(/^\| `(.*)` \| (.* < .*) \|$/gm),
    ]
    const held = Object.entries(layers).map(([module, all]) => [
      module,
      all
        .map((layer) =>
          [layer].flat().map((each) => (each === '*' ? 'other files' : `\`${each}\``)),
        )
        .map((names) => names.join(', '))
        .join(' < '),
    ])
    assert.deepEqual(
      rows.map(([, module, shown]) => [module, shown]),
      held,
    )
  })

  it('give commands to run that are there', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { [name: string]: string } }
    const named = written.flatMap((path) =>
      [...read(path).matchAll(/\bnpm run ([a-z:-]+[a-z])/g)].map(([, name = '']) => ({
        path,
        name,
      })),
    )
    assert.ok(named.length > 5)
    for (const { path, name } of named) assert.ok(scripts[name], `${path}: npm run ${name}`)
    const checks = [...read('docs/explanation/reliability.md').matchAll(/\| `([\w-]+)[^`]*` \|$/gm)]
    assert.deepEqual(checks.map(([, name = '']) => name).sort(), [...checkNames].sort())
  })

  it('hold nothing of a machine, a registry or unfinished work', () => {
    for (const path of [
      ...pages,
      'test/golden/ddl.sqlite.sql',
      'openapi.json',
      'connectors/openapi.query.json',
      'connectors/openapi.feed.json',
      'connectors/openapi.ingest.json',
    ]) {
      const text = read(path)
      assert.doesNotMatch(text, /\/(work|root|home|Users|tmp)\//, path)
      assert.doesNotMatch(text, /npmjs|registry\.|artifactory|verdaccio/i, path)
      // `XXX` is also how a format of times writes an offset.
      assert.doesNotMatch(text, /\b(TODO|FIXME|(?<!`)XXX|TBD)\b/, path)
      assert.doesNotMatch(text, /slv_[0-9A-Za-z]{43}_/, `${path} holds a key`)
    }
  })
})
