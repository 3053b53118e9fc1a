/** Follows the recipes of CONTRIBUTING.md one after another in a copy of the repository. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Block, blocksOf, read, root } from '../support/pages.ts'

const [, afterHeading = ''] = read('CONTRIBUTING.md').split('\n## Recipes\n')
const [section = ''] = afterHeading.split('\n## ')

/** The blocks of a recipe, by its title. */
const recipes = new Map(
  section
    .split('\n### ')
    .slice(1)
    .map((text) => [text.split('\n')[0] ?? '', blocksOf(text)]),
)

const isCheckout = existsSync(join(root, '.git'))

const testFile = (name: string): string => `test/${name}.test.ts`

describe('the recipes', { skip: !isCheckout && 'Git lists the files to copy' }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'selvedge-recipes-'))
  const changed = new Set<string>()

  before(() => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    for (const file of files.split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  })
  after(() => rmSync(copy, { recursive: true, force: true }))

  const readCopy = (file: string): string => readFileSync(join(copy, file), 'utf8')

  const run = (...args: readonly string[]) => {
    // The databases that a run of the tests has prepared lack what the recipes add.
    const { NODE_TEST_CONTEXT: _, SELVEDGE_TEST_FOLDER: __, ...env } = process.env
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: copy,
      encoding: 'utf8',
      env: { ...env, DATABASE_URL: `sqlite:${join(copy, 'selvedge.db')}` },
    })
    return { status, stdout, stderr }
  }
  const runWell = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(...args)
    assert.equal(status, 0, stdout + stderr)
    return stdout
  }

  const runTests = (...args: readonly string[]): string =>
    runWell('--test', '--test-isolation=none', '--test-reporter=tap', ...args)

  const apply = ({ marks: [file = ''], text, line }: Block): void => {
    const lines = text.split('\n')
    const without = (sign: string) =>
      lines.filter((each) => !each.startsWith(sign)).map((each) => `${each.slice(1)}\n`)
    const [old, next] = [without('+').join(''), without('-').join('')]
    changed.add(file)
    if (old === '') {
      appendFileSync(join(copy, file), next)
      return
    }
    const [head = '', tail, ...more] = readCopy(file).split(old)
    assert.ok(tail !== undefined && more.length === 0, `${file} has the lines of ${line} once`)
    writeFileSync(join(copy, file), head + next + tail)
  }

  it('are those of a resource, a field, a rule and a command', () => {
    assert.deepEqual([...recipes.keys()], ['A resource', 'A field', 'A rule', 'A command'])
  })

  for (const [title, blocks] of recipes) {
    it(`${title}: generate asks for all that is missing, and for nothing more`, () => {
      const messageAt = blocks.findIndex(({ language }) => language === 'text')
      const before = readCopy('openapi.json')
      for (const block of blocks.slice(0, messageAt)) apply(block)
      const { status, stdout, stderr } = run('tools/generate.ts')
      for (const block of blocks.slice(messageAt + 1)) apply(block)
      assert.deepEqual([status, stdout, stderr], [1, '', `${blocks[messageAt]?.text}\n`])
      assert.equal(readCopy('openapi.json'), before)
    })
  }

  it('lead to generated files that describe the new parts', () => {
    const groups = (page: string) => Number(/ (\d+) groups of records/.exec(page)?.[1])
    assert.match(runWell('tools/generate.ts'), /^openapi\.json written\.$/m)
    const count = groups(read('README.md'))
    assert.ok(count > 0)
    assert.equal(groups(readCopy('README.md')), count + 1)
    assert.ok('/brands/{brand}/care-labels/{id}' in JSON.parse(readCopy('openapi.json')).paths)
    assert.match(readCopy('client/src/generated/records.ts'), /\bdisplayHint: string \| null\b/)
    assert.match(readCopy('docs/reference/rules.md'), /^\| `REF-04` \| warning \|/m)
    assert.match(readCopy('docs/reference/commands.md'), /^## selvedge groups$/m)
  })

  it('lead to lists with the new records and fields', () => {
    const script = `
      import { openTestService } from './test/support/service.ts'
      const service = await openTestService()
      const [labels, options] = [await service.get('care-labels?code=CL-1'), await service.get('options')]
      await service.close()
      console.log(JSON.stringify([labels.body, options.body]))`
    const [labels, options] = JSON.parse(runWell('--input-type=module', '--eval', script))
    assert.equal(labels.totalItems, 1)
    assert.equal(labels.items[0].text, 'Wash at 30 °C.')
    assert.deepEqual(
      options.items.map(({ displayHint }: { displayHint: string }) => displayHint),
      ['As in the shade card.'],
    )
  })

  it('lead to a command that runs', () => {
    const groups = JSON.parse(runWell('src/cli/main.ts', 'groups', '--json'))
    assert.deepEqual(groups.at(-1), { path: 'care-labels', summary: 'The care label of a SKU.' })
  })

  it('lead to a rule that finds the records that break it', () => {
    const [file, pattern] = [testFile('cli/check'), '--test-name-pattern=REF-04']
    assert.match(runTests(pattern, file), /ok \d+ - are named by REF-04 /)
  })

  it('need no change to a test', () => {
    runTests(
      ...['unit/contract-counts', 'unit/specification', 'unit/sortable'].map(testFile),
      ...['cli/demo', 'console/texts', 'repository/docs'].map(testFile),
    )
  })

  it('are formatted, and compile', () => {
    const sources = [...changed].filter((file) => file.endsWith('.ts'))
    const bin = join(root, 'node_modules/.bin')
    const project = 'tsconfig.recipes.json'
    const config = { extends: './tsconfig.json', include: [], files: sources }
    writeFileSync(join(copy, project), JSON.stringify(config))
    for (const [program = '', ...args] of [
      ['biome', 'format', ...sources],
      ['tsc', '-p', project],
    ]) {
      const { status, stdout, stderr } = spawnSync(join(bin, program), args, {
        cwd: copy,
        encoding: 'utf8',
      })
      assert.equal(status, 0, stdout + stderr)
    }
  })
})
