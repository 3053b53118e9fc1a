/** The command `selvedge import`: its output, exit codes and options. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import type { Unit } from '#intake'
import { mainFile, ndjson, openSandbox } from '../support/command.ts'
import {
  bad,
  brand,
  changed,
  csvOf,
  jsonProblem,
  line,
  messages,
  noCounts,
  tag,
} from '../support/import-records.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const { notString, notUuid, dangling } = messages

describe('the command', () => {
  const place = openSandbox()
  after(() => place.close())
  place.put({ 'tags.ndjson': ndjson([tag(1), tag(2)]) })

  before(async () => {
    const made = await place.run(['brands', 'add', brand, '--name', 'Aldermoor'])
    assert.equal(made.code, 0, made.stderr)
  })

  const run = (...args: string[]) => place.run(['import', ...args])
  const own = ['--brand', brand]

  it('says what it did: a table on standard output, plain lines on standard error', async () => {
    const { code, stdout, stderr } = await run('tags.ndjson', ...own)
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout.replace(/\d+\.\d$/m, '0.0'),
      [
        'collection  read  new  changed  unchanged  removed  parked  refused  seconds',
        'tags           2    2        0          0        0       0        0      0.0',
        '',
        'Imported.',
        '',
      ].join('\n'),
    )
    assert.match(stderr, /^tags\.ndjson: 2 rows in \d\.\d s \([\d,]+ rows\/s\)\n$/)
    assert.doesNotMatch(stderr, /[\r\u001b█░]/)
  })

  it('names bad rows on standard error, ends with 1 and writes nothing', async () => {
    place.put({
      'bad/tags.ndjson': `${line(tag(1, { name: 'Changed' }))}${line(tag(5, { id: 5 }))}`,
    })
    const { code, stdout, stderr } = await run('bad/tags.ndjson', ...own)
    assert.equal(code, 1)
    assert.match(stdout, /^tags {11}2 {4}0 {8}1 {10}0 {8}0 {7}0 {8}1 {6}\d\.\d$/m)
    assert.match(stdout, /\nNothing was written: 1 problem\.\n$/)
    assert.equal(
      stderr.split('\n').at(-2),
      `error: bad/tags.ndjson:2 name "core 5": /id (5) ${notUuid}`,
    )
    const skipped = await run('bad/tags.ndjson', ...own, '--skip-invalid', '--dry-run')
    assert.equal(skipped.code, 0)
    assert.match(
      skipped.stdout,
      /\n1 problem in 1 row\. This was a dry run: nothing was written\.\n1 row would be in quarantine: .*\n$/,
    )
  })

  it('lists in a dry run what would be added, changed and removed', async () => {
    const files = [tag(1, { name: 'Changed' }), tag(7, { name: 'Seven' })]
    place.put({ 'dry/tags.ndjson': ndjson(files), 'wrong/tags.ndjson': `${line(tag(7))}{\n` })
    const dry = ['dry/tags.ndjson', ...own, '--replace', '--dry-run']
    const { code, stdout } = await run(...dry)
    assert.equal(code, 0)
    assert.deepEqual(stdout.split('\n').slice(3, -1), [
      `changed tags Changed ${tag(1)['id']}`,
      `  /name ${JSON.stringify(tag(1)['name'])} → "Changed"`,
      `new tags Seven ${tag(7)['id']}`,
      `removed tags ${tag(2)['name']} ${tag(2)['id']}`,
      '',
      'Everything is in order. This was a dry run: nothing was written.',
    ])
    const json = await run(...dry, '--json')
    assert.deepEqual(
      JSON.parse(json.stdout).changes.map((each: Record<string, unknown>) => [
        ...[each['operation'], each['id'], each['fields']],
      ]),
      [
        ['changed', tag(1)['id'], [{ field: '/name', before: tag(1)['name'], after: 'Changed' }]],
        ['added', tag(7)['id'], []],
        ['removed', tag(2)['id'], []],
      ],
    )
    const refused = await run('wrong/tags.ndjson', ...own, '--dry-run', '--json')
    assert.deepEqual(JSON.parse(refused.stdout).changes, [])
  })

  it('lists the first hundred changes, and all of them as JSON', async () => {
    const tags = Array.from({ length: 2_500 }, (_, n) => tag(n, { name: `Tag ${n}` }))
    place.put({ 'all/tags.ndjson': ndjson(tags) })
    const dry = ['all/tags.ndjson', ...own, '--dry-run']
    const listed = (await run(...dry)).stdout.split('\n').filter((each) => /^(new|ch)/.test(each))
    assert.equal(listed.length, 100)
    assert.match((await run(...dry)).stdout, /^… and 2,400 more changes; --json prints all/m)
    const { changes } = JSON.parse((await run(...dry, '--json')).stdout)
    assert.deepEqual(
      changes.map(({ title }: { title: string }) => title),
      tags.map(({ name }) => name),
    )
  })

  it('is listed among the units of work with its counts, unless it was a dry run', async () => {
    const { stdout } = await place.run(['intake', '--json'])
    assert.deepEqual(
      JSON.parse(stdout).map(({ kind, position, state, lastError }: Unit) => [
        ...[kind, position, state, lastError],
      ]),
      [
        ['import', 'tags.ndjson: tags 2 new, 0 changed, 0 removed', 'done', null],
        ['import', 'bad/tags.ndjson: tags 0 new, 1 changed, 0 removed', 'refused', '1 problem'],
      ],
    )
    // Its table has the beginning.
    assert.match(
      (await place.run(['intake'])).stdout,
      / {2}bad\/tags\.ndjson: tags 0 new, 1 changed,… {2}refused {2}/,
    )
  })

  it('says what it put in quarantine, and ends with 0', async () => {
    place.put({ 'skip/tags.ndjson': `${line(tag(1))}{\n[]\n` })
    const { code, stdout, stderr } = await run(
      'skip/tags.ndjson',
      ...own,
      ...['--on-error', 'quarantine', '--replace'],
    )
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout.split('\n').slice(3).join('\n'),
      'Imported, without 2 rows that have problems.\nNothing was removed from tags, because some of its rows were refused.\n2 rows are in quarantine: selvedge intake rows --brand aldermoor\n',
    )
    const discarded = await place.run(['intake', 'discard-rows', ...own, '--yes'])
    assert.equal(discarded.stdout, 'Deleted 2 quarantined rows.\n')
  })

  it('counts all problems, lists the first thousand and writes all of them to the report', async () => {
    const rows = Array.from({ length: 1_500 }, (_, index) => line(tag(index, { name: index })))
    place.put({ 'many/tags.ndjson': rows.join('') })
    const words = await run('many/tags.ndjson', ...own, '--report', 'all.ndjson')
    assert.equal(words.code, 1)
    assert.match(
      words.stderr,
      /\nerror: many\/tags\.ndjson \/name must be a string: 1,500 rows, first at line 1 \(0\)\n$/,
    )
    assert.match(words.stdout, /\nNothing was written: 1,500 problems\.\n$/)
    const reported = readFileSync(join(place.folder, 'all.ndjson'), 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      reported.map((each) => JSON.parse(each)),
      rows.map((_, index) => ({
        file: 'many/tags.ndjson',
        line: index + 1,
        field: '/name',
        value: String(index),
        reason: notString,
        severity: 'error',
      })),
    )
    const json = await run('many/tags.ndjson', ...own, '--json')
    assert.equal(json.code, 1)
    const { problems, errors } = JSON.parse(json.stdout)
    assert.deepEqual([problems.length, errors], [1_000, 1_500])
  })

  it('prints a single object with --json, and nothing else', async () => {
    place.put({
      'dangling/categories.ndjson': line(changed('categories', { parentCategoryId: idOf(9) })),
    })
    const { code, stdout, stderr } = await run(
      'dangling/categories.ndjson',
      ...own,
      '--json',
      '--dry-run',
      '--allow-dangling',
    )
    assert.deepEqual([code, stderr], [0, ''])
    const { collections, changes, ...rest } = JSON.parse(stdout)
    assert.equal(changes.length, 1)
    assert.deepEqual(rest, {
      written: false,
      dryRun: true,
      waiting: [],
      errors: 0,
      warnings: 1,
      problems: [
        {
          file: 'dangling/categories.ndjson',
          line: 1,
          key: 'name "Jackets", kind "product"',
          field: '/parentCategoryId',
          value: idOf(9),
          reason: dangling('categories'),
          severity: 'warning',
        },
      ],
      groups: [{ ...JSON.parse(stdout).problems[0], problems: 1, rows: 1 }],
      passedOver: [],
      writeToken: null,
      rules: null,
    })
    const [{ seconds, ...counts }] = collections
    assert.deepEqual(counts, {
      collection: 'categories',
      ...noCounts,
      read: 1,
      added: 1,
      stored: 0,
      quarantined: 0,
      keptMissing: false,
      removesTooMany: false,
      heldRemovals: 0,
      superseded: 0,
    })
    assert.equal(typeof seconds, 'number')
  })

  it('reads standard input with --collection', async () => {
    const records = [tag(11), tag(12)]
    for (const [format, content] of [
      ['ndjson', ndjson(records)],
      ['json', JSON.stringify(records)],
      ['csv', csvOf(resourceAt(catalog, 'tags'), records)],
    ] as const) {
      const args = ['import', '-', '--collection', 'tags', '--format', format, ...own, '--json']
      const { code, stdout, stderr } = await place.run(args, content)
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout).collections[0].read, 2)
    }
    const bare = await place.run(['import', '-', '--collection', 'tags', ...own], `${bad}\n`)
    assert.equal(bare.code, 1)
    assert.equal(bare.stderr.split('\n')[1], `error: -:1 (${bad}) ${jsonProblem(bad)}`)
  })

  it('ends at once when it refuses an input that continues', async () => {
    const { child, ended } = place.start([
      'import',
      '-',
      '--collection',
      'tags',
      '--format',
      'json',
      ...own,
    ])
    child.stdin?.write('this is not an array')
    const { code, stderr } = await ended
    assert.deepEqual([code, stderr], [1, '- does not begin with [ and is not a JSON array\n'])
  })

  it('takes --collection and --format instead of what a file is named', async () => {
    place.put({ 'export-2026.txt': csvOf(resourceAt(catalog, 'tags'), [tag(1)]) })
    const args = ['export-2026.txt', '--collection', 'tags', '--format', 'csv', ...own, '--json']
    const { code, stdout } = await run(...args)
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).collections[0].unchanged, 1)
  })

  describe('is refused', { concurrency: 2 }, () => {
    for (const [name, args, code, message] of [
      ['no path', [...own], 2, /missing required argument 'path'/],
      ['an unknown option', ['tags.ndjson', ...own, '--force'], 2, /unknown option '--force'/],
      [
        'an unknown format',
        ['tags.ndjson', ...own, '--format', 'xml'],
        2,
        /Allowed choices are ndjson, json, csv/,
      ],
      ['an option without its value', ['tags.ndjson', '--brand'], 2, /argument missing/],
      [
        'no scope',
        ['tags.ndjson'],
        2,
        /^Name the owner of the records: use either --brand <slug> or --shared\.\n$/,
      ],
      ['two scopes', ['tags.ndjson', ...own, '--shared'], 2, /^Name the owner of the records/],
      [
        'a file that is not there',
        ['nothing.ndjson', ...own],
        1,
        /^nothing\.ndjson does not exist or cannot be read\n$/,
      ],
      [
        'a brand that is not there',
        ['tags.ndjson', '--brand', 'nobody'],
        1,
        /^There is no brand nobody\. The database has .+\. To add it: selvedge brands add nobody --name <name>\n$/,
      ],
      [
        'the owner of the shared records as a brand',
        ['countries.ndjson', '--brand', '*'],
        1,
        /^There is no brand \*\./,
      ],
      [
        'a brand’s record under a slug that no path can have',
        ['brand.ndjson', '--brand', 'Not A Slug'],
        1,
        /^"Not A Slug" is not a valid slug\. /,
      ],
      [
        'a collection of a brand as shared',
        ['tags.ndjson', '--shared'],
        1,
        /^tags belongs to a brand: use --brand <slug>\n$/,
      ],
      [
        'a shared collection as a brand’s',
        ['countries.ndjson', ...own],
        1,
        /^countries is shared by all brands: import it with --shared\n$/,
      ],
      [
        'an unknown collection',
        ['tags.ndjson', ...own, '--collection', 'labels'],
        1,
        /^--collection: there is no collection labels; collections are named as in the API/,
      ],
      [
        'a report that cannot be written',
        ['tags.ndjson', ...own, '--report', 'no/such/folder'],
        1,
        /^The report cannot be written to no\/such\/folder: ENOENT\. Choose another path for --report\.\n$/,
      ],
    ] as const) {
      it(`given ${name} ends with ${code} and says why`, async () => {
        place.put({
          'countries.ndjson': ndjson(recordsAt('countries')),
          'brand.ndjson': line(brandRecord('Not A Slug', 1)),
        })
        const ran = await run(...args)
        assert.match(ran.stderr, message)
        assert.doesNotMatch(ran.stderr, /\n\s+at /, 'a stack trace does not help a user')
        assert.deepEqual([ran.code, ran.stdout], [code, ''])
      })
    }
  })

  it('brings the export of a brand into another one with --as-brand', async () => {
    const copy = openSandbox()
    try {
      const ran = async (...words: string[]) => {
        const done = await copy.run(words)
        assert.equal(done.code, 0, done.stderr)
        return done.stdout
      }
      const exported = (
        folder: string,
        path: string,
      ): readonly { readonly [name: string]: unknown }[] =>
        readFileSync(join(copy.folder, folder, `${path}.ndjson`), 'utf8')
          .trimEnd()
          .split('\n')
          .map((text) => JSON.parse(text))
      await ran('brands', 'add', 'origin', '--name', 'Origin', '--currency', 'EUR')
      // A brand that was just added is filled in its own currency and time zone.
      await ran('demo', '--brand', 'origin', '--orders', '0')
      await ran('export', 'export', '--brand', 'origin')
      const [own] = exported('export', 'brand')
      assert.deepEqual([own?.['name'], own?.['baseCurrencyCode']], ['Origin', 'EUR'])
      assert.match(await ran('check', '--brand', 'origin'), / 0 errors/)

      await ran('import', 'export', '--as-brand', 'created', '--no-check')
      await ran('brands', 'add', 'added', '--name', 'Added', '--currency', 'EUR')
      await ran('import', 'export', '--as-brand', 'added', '--no-check')
      for (const slug of ['created', 'added']) {
        await ran('export', slug, '--brand', slug)
        const [record] = exported(slug, 'brand')
        assert.equal(record?.['slug'], slug)
        assert.equal(record?.['name'], slug === 'added' ? 'Added' : 'Origin')
        assert.deepEqual(exported(slug, 'orders'), exported('export', 'orders'))
        const locations = exported(slug, 'brand-locations')
        assert.equal(locations.length, exported('export', 'brand-locations').length)
        assert.ok(locations.every(({ brandId }) => brandId === record?.['id']))
      }

      await ran('brands', 'add', 'dollars', '--name', 'Dollars')
      const refused = await copy.run(['import', 'export', '--as-brand', 'dollars'])
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr,
        /brand\.ndjson:1 .*has the base currency EUR, and dollars has USD/,
      )
      const both = await copy.run(['import', 'export', '--as-brand', 'added', '--brand', 'added'])
      assert.equal(both.code, 2)
      assert.match(both.stderr, /--as-brand takes the export of another brand, without --brand/)
    } finally {
      copy.close()
    }
  })

  it('creates the database that it is the first to need', async () => {
    const fresh = openSandbox()
    try {
      fresh.put({ 'shared/countries.json': JSON.stringify(recordsAt('countries')) })
      const { code, stderr, stdout } = await fresh.run(['import', 'shared', '--shared'])
      assert.equal(code, 0, stderr)
      assert.match(
        stderr,
        /^The database is new; its tables are being created\.\nshared\/countries\.json: 249 rows/,
      )
      assert.match(stdout, /Imported\.\n$/)
    } finally {
      fresh.close()
    }
  })

  it('draws a bar in a terminal', { skip: !existsSync('/usr/bin/script') }, () => {
    const many = Array.from({ length: 20_000 }, (_, index) => tag(index))
    place.put({ 'large/tags.ndjson': ndjson(many) })
    const command = [process.execPath, mainFile, 'import', 'large', ...own, '--dry-run'].join(' ')
    const ran = spawnSync('/usr/bin/script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.environment, TERM: 'xterm' },
      encoding: 'utf8',
    })
    assert.match(ran.stdout, /\r\u001b\[K░{24} large\/tags\.ndjson {2}0 rows, 0 rows\/s/)
    assert.match(
      ran.stdout,
      /\r\u001b\[Klarge\/tags\.ndjson: 20,000 rows in \d+\.\d s \([\d,]+ rows\/s\)\r\n/,
    )
  })
})

describe('a running service', () => {
  it('answers with the same tag after an import that changed nothing, and another after one that did, and accepts the tokens of both', async () => {
    const service = await openTestService()
    const place = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
    try {
      const tagOf = async () => (await service.get('tags')).headers.get('etag')
      const earlier = await tagOf()
      place.put({
        'same/tags.json': JSON.stringify(recordsAt('tags')),
        'more/tags.json': JSON.stringify([tag(1)]),
      })
      const same = await place.run(['import', 'same', '--brand', brand, '--replace', '--json'])
      assert.equal(same.code, 0, same.stderr)
      assert.equal(await tagOf(), earlier)
      const more = await place.run(['import', 'more', '--brand', brand, '--json'])
      assert.equal(more.code, 0, more.stderr)
      assert.notEqual(await tagOf(), earlier)
      for (const { stdout } of [same, more]) {
        const headers = { 'after-write': JSON.parse(stdout).writeToken }
        assert.equal((await service.get(`tags/${idOf(1)}`, { headers })).status, 200)
      }
    } finally {
      place.close()
      await service.close()
    }
  })
})
