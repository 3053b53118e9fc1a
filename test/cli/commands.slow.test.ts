/** What commands share: which brand, which database, how many records. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { catalog, resourceAt } from '#contract'
import { openStory } from '#demo'
import { openRecords } from '#server'
import { ndjson, openSandbox, type Sandbox } from '../support/command.ts'
import { recordsAt } from '../support/model.ts'

const run = promisify(execFile)

describe('a brand that is not in the database', () => {
  let place: Sandbox
  before(async () => {
    place = openSandbox()
    const { store, close } = await openRecords(place)
    const resource = resourceAt(catalog, 'brand')
    for (let number = 10; number < 22; number += 1) {
      const slug = `b${number}`
      await store.write(slug, async (writer) => {
        await writer.stage(resource, [{ ...recordsAt('brand')[0], slug }])
        await writer.merge(resource)
      })
    }
    await close()
    place.put({ 'tags.ndjson': '' })
  })
  after(() => place.close())

  for (const args of [
    ['check'],
    ['export', 'out'],
    ['import', 'tags.ndjson'],
    ['keys', 'issue'],
    ['mcp'],
  ]) {
    it(`is refused by ${args.slice(0, 2).join(' ')}, which lists the brands there are`, async () => {
      const { code, stdout, stderr } = await place.run([...args, '--brand', 'nosuch'])
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.equal(
        stderr,
        'There is no brand nosuch. The database has b10, b11, b12, b13, b14, b15, b16, b17, b18, b19 and 2 more (selvedge brands list). To add it: selvedge brands add nosuch --name <name>\n',
      )
    })
  }
})

describe('the demo', () => {
  it('adds shared records that are missing and leaves those of the operator alone', async () => {
    const place = openSandbox()
    try {
      const { shared } = await openStory()
      const countries = (shared['countries'] ?? []).filter(({ code }) => code !== 'PT')
      const own = countries.map((each) =>
        each['code'] === 'US' ? { ...each, name: 'Ours' } : each,
      )
      place.put({ 'countries.ndjson': ndjson(own) })
      assert.equal((await place.run(['import', 'countries.ndjson', '--shared'])).code, 0)

      const args = ['demo', '--brand', 'playground', '--orders', '0']
      const first = await place.start(args, { NODE_ENV: 'production' }).ended
      assert.equal(first.code, 0, first.stderr)
      assert.match(
        first.stdout,
        /^Added \d+ shared records, which all brands read; 248 shared records already existed and were left unchanged, 1 of which differ from the demo's\.$/m,
      )
      const again = await place.run([...args, '--json'])
      const { added, kept, different } = JSON.parse(again.stdout).shared
      const all = Object.values(shared).reduce((sum, records) => sum + records.length, 0)
      assert.deepEqual({ added, kept, different }, { added: 0, kept: all, different: 1 })

      assert.equal((await place.run(['export', 'out', '--brand', 'playground'])).code, 0)
      const exported = readFileSync(join(place.folder, 'out/shared/countries.ndjson'), 'utf8')
      const exportedCountries = exported
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.equal(exportedCountries.length, 249)
      assert.equal(exportedCountries.find(({ code }) => code === 'US').name, 'Ours')
    } finally {
      place.close()
    }
  })
})

describe('a Node with a SQLite that can corrupt a database', () => {
  const refusal =
    /^This Node \(\S+\) carries SQLite 3\.[0-9.]+, which can corrupt a database that several processes use\. Selvedge needs SQLite 3\.51\.3 or newer\. Run it with bin\/selvedge\.mjs/m

  it('opens none, and creates none', async () => {
    const place = openSandbox()
    try {
      const preload = place.put({
        'older.cjs':
          "Object.defineProperty(process, 'versions', { value: { ...process.versions, sqlite: '3.51.2' } })",
      })
      const args = ['brands', 'add', 'acme', '--name', 'Acme']
      const ran = await place.start(args, { NODE_OPTIONS: `--require=${preload}` }).ended
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, refusal)
      assert.ok(!existsSync(join(place.folder, 'selvedge.db')))
    } finally {
      place.close()
    }
  })
})

describe('a database that is not there', () => {
  const reading = [
    ['brands', 'list'],
    ['keys', 'list'],
    ['keys', 'issue', '--global'],
    ['keys', 'revoke', 'x'],
    ['check', '--brand', 'acme'],
    ['export', 'out', '--brand', 'acme'],
    ['import', 'tags.ndjson', '--brand', 'acme'],
    ['mcp', '--brand', 'acme'],
  ]
  for (const args of reading) {
    it(`is not created by ${args.slice(0, 2).join(' ')}`, async () => {
      const place = openSandbox()
      try {
        place.put({ 'tags.ndjson': '' })
        const DATABASE_URL = 'sqlite:./mistyped/x.db'
        const { code, stdout, stderr } = await place.run(args, '', { DATABASE_URL })
        assert.equal(code, 1)
        assert.equal(stdout, '')
        const file = join(realpathSync(place.folder), 'mistyped/x.db')
        assert.ok(stderr.startsWith(`There is no database at ${file}. Check DATABASE_URL`), stderr)
        assert.ok(!existsSync(join(place.folder, 'mistyped')))
      } finally {
        place.close()
      }
    })
  }

  it('is found at the root of the checkout from all of its folders, when none is named', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const from = async (cwd: string) => {
      const file = new URL('../support/print-addresses.ts', import.meta.url)
      return (await run(process.execPath, [fileURLToPath(file)], { cwd })).stdout.trim()
    }
    assert.equal(await from(root), 'sqlite:./data/selvedge.db file:./data/images')
    const absolute = `sqlite:${root}data/selvedge.db file:${root}data/images`
    assert.equal(await from(join(root, 'docs')), absolute)
    assert.equal(await from(join(root, 'docs/how-to')), absolute)
    assert.equal(await from(dirname(root)), 'sqlite:./data/selvedge.db file:./data/images')
  })
})
