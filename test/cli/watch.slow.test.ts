/** The command `selvedge watch`: which files it takes, in which order, and where they are after it. */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#database'
import { ndjson, openSandbox, type Sandbox, type Started } from '../support/command.ts'
import { brand, line, tag } from '../support/import-records.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { refuseValue } from '../support/refuse-value.ts'

const own = ['--brand', brand, '--no-check']
const today = () => new Date().toISOString().slice(0, 10)

const openWatched = async () => {
  const place = openSandbox()
  const made = await place.run(['brands', 'add', brand, '--name', 'Aldermoor'])
  assert.equal(made.code, 0, made.stderr)
  mkdirSync(join(place.folder, 'in'))
  return {
    place,
    drop: (name: string, content: string) => writeFileSync(join(place.folder, 'in', name), content),
    /** The files in a folder of the inbox, without folders. */
    filesIn: (folder: string) => {
      const at = join(place.folder, 'in', folder)
      return existsSync(at)
        ? readdirSync(at, { withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ name }) => name)
            .sort()
        : []
    },
    read: (name: string) => readFileSync(join(place.folder, 'in', name), 'utf8'),
    once: async (...args: string[]) => {
      const ran = await place.run([
        ...['watch', 'in', ...own, '--once', '--settle', '0s', '--every', '1s', '--json'],
        ...args,
      ])
      const outcomes = ran.stdout
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text))
      return { ...ran, outcomes }
    },
    tags: async (): Promise<readonly string[]> => {
      const ran = await place.run(['export', 'out', '--brand', brand, '--format', 'ndjson'])
      assert.equal(ran.code, 0, ran.stderr)
      const file = join(place.folder, 'out/tags.ndjson')
      return readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text).name)
    },
  }
}

/** Awaits a condition. */
const until = async (isMet: () => boolean, what: string): Promise<void> => {
  for (const end = performance.now() + 120_000; !isMet(); await wait(50)) {
    assert.ok(performance.now() < end, what)
  }
}

describe('watch --once', () => {
  let watched: Awaited<ReturnType<typeof openWatched>>
  before(async () => {
    watched = await openWatched()
  })
  after(() => watched.place.close())

  it('takes files in the order of the times in their names, and of references', async () => {
    const { drop, once, filesIn } = watched
    const category = { ...recordsAt('categories')[0], id: idOf(1), parentCategoryId: null }
    drop('tags-20260302T0900.ndjson', line(tag(1, { name: 'second' })))
    drop('tags-2026-03-01_10-00-00.ndjson', line(tag(1, { name: 'first' })))
    drop('categories-20260302.ndjson', line(category))
    drop('tags-20260302T1000.ndjson', line(tag(1, { name: 'third' })))
    drop('.hidden.ndjson', 'not taken')
    drop('tags-20260303.ndjson.part', 'not taken')
    const { code, stderr, outcomes } = await once()
    assert.equal(code, 0, stderr)
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        ['tags-2026-03-01_10-00-00.ndjson', 'imported'],
        ['categories-20260302.ndjson', 'imported'],
        ['tags-20260302T0900.ndjson', 'imported'],
        ['tags-20260302T1000.ndjson', 'imported'],
      ],
    )
    assert.equal(outcomes.at(-1).movedTo, `processed/${today()}/tags-20260302T1000.ndjson`)
    assert.deepEqual(await watched.tags(), ['third'])
    assert.deepEqual(filesIn(''), ['.hidden.ndjson', 'tags-20260303.ndjson.part'])
    assert.deepEqual(filesIn('working'), [])
  })

  it('says which folder is a link, and takes nothing', async () => {
    const { drop, once, filesIn, place } = watched
    drop('tags-20260303.ndjson', line(tag(1, { name: 'not taken' })))
    renameSync(join(place.folder, 'in/processed'), join(place.folder, 'in/before'))
    symlinkSync(place.folder, join(place.folder, 'in/processed'))
    const { code, stderr, outcomes } = await once()
    assert.equal(code, 1)
    assert.match(stderr, /in\/processed is a symbolic link\. Files are moved only to a folder/)
    assert.deepEqual(outcomes, [])
    unlinkSync(join(place.folder, 'in/processed'))
    renameSync(join(place.folder, 'in/before'), join(place.folder, 'in/processed'))
    assert.ok(filesIn('').includes('tags-20260303.ndjson'))
    unlinkSync(join(place.folder, 'in/tags-20260303.ndjson'))
  })

  it('does not import the same content again, under whatever name', async () => {
    const { drop, once, filesIn } = watched
    drop('tags-20260302T0900.ndjson', line(tag(1, { name: 'second' })))
    drop('tags-20260304.ndjson', line(tag(1, { name: 'first' })))
    const { code, outcomes } = await once()
    assert.equal(code, 0)
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['repeated', 'repeated'],
    )
    assert.match(outcomes[0].importedAt, /^\d{4}-/)
    assert.equal(outcomes[0].movedTo, `processed/${today()}/tags-20260302T0900-2.ndjson`)
    assert.equal(filesIn(`processed/${today()}`).length, 6)
    assert.deepEqual(await watched.tags(), ['third'])
  })

  it('imports a content again that another one of the same name came after', async () => {
    const { drop, once } = watched
    for (const name of ['A', 'B', 'A', 'A']) {
      drop('tags.ndjson', line(tag(1, { name })))
      const { outcomes } = await once()
      assert.equal(outcomes.length, 1)
    }
    assert.deepEqual(await watched.tags(), ['A'])
  })

  it('moves a file with problems to failed, with the problems beside it, and continues', async () => {
    const { drop, once, filesIn, read, place } = watched
    drop('tags-20260305.ndjson', `${line(tag(2, { name: 7 }))}${line(tag(3))}`)
    drop('tags-20260306.ndjson', line(tag(4, { name: 'after it' })))
    drop('stock.csv', 'id\n')
    const { code, outcomes } = await once('--on-error', 'refuse')
    assert.equal(code, 1)
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        ['tags-20260305.ndjson', 'failed'],
        ['tags-20260306.ndjson', 'imported'],
        ['stock.csv', 'failed'],
      ],
    )
    assert.deepEqual(filesIn('failed'), [
      'stock.csv',
      'stock.csv.problems.ndjson',
      'stock.csv.problems.txt',
      'tags-20260305.ndjson',
      'tags-20260305.ndjson.problems.ndjson',
      'tags-20260305.ndjson.problems.txt',
    ])
    assert.equal(
      read('failed/tags-20260305.ndjson.problems.txt'),
      'Nothing of the file was imported:\nerror: tags-20260305.ndjson:1 /name (7) must be a string\n',
    )
    const [problem] = read('failed/tags-20260305.ndjson.problems.ndjson').split('\n')
    assert.equal(JSON.parse(problem ?? '').reason, 'must be a string')
    assert.match(read('failed/stock.csv.problems.txt'), /^there is no collection stock: /)
    assert.deepEqual(await watched.tags(), ['A', 'after it'])
    const states = JSON.parse((await place.run(['sources', '--json'])).stdout)
    assert.equal(states.length, 1)
    assert.deepEqual(
      [states[0].kind, states[0].state, states[0].failed, states[0].waiting],
      ['watch', 'failing', 2, 0],
    )
    // A failed file is tried again when it is dropped again.
    drop('tags-20260305.ndjson', line(tag(3, { name: 'mended' })))
    assert.equal((await once()).code, 0)
    const [after] = JSON.parse((await place.run(['sources', '--json'])).stdout)
    assert.deepEqual([after.state, after.error, after.processed], ['idle', null, 9])
  })

  it('with --done takes only files that have a marker, and removes it', async () => {
    const { drop, once, filesIn } = watched
    drop('tags-20260310.ndjson', line(tag(10)))
    drop('tags-20260311.ndjson', line(tag(11)))
    drop('tags-20260310.ndjson.done', '')
    const { outcomes } = await once('--done')
    assert.deepEqual(
      outcomes.map(({ file }) => file),
      ['tags-20260310.ndjson'],
    )
    assert.deepEqual(
      filesIn('').filter((name) => name.startsWith('tags-202603')),
      ['tags-20260303.ndjson.part', 'tags-20260311.ndjson'],
    )
  })

  it('parks rows with --park, and writes the warnings beside the processed file', async () => {
    const { drop, once, filesIn } = watched
    drop(
      'categories-20260312.ndjson',
      line({ ...recordsAt('categories')[0], id: idOf(5), code: 'P5', parentCategoryId: idOf(6) }),
    )
    const { code, outcomes } = await once('--park')
    assert.equal(code, 0)
    assert.equal(outcomes.at(-1).collections[0].parked, 1)
    assert.ok(filesIn(`processed/${today()}`).includes('categories-20260312.ndjson.problems.txt'))
  })

  it('finishes first what an earlier run has left in working', async () => {
    const { drop, once, place, filesIn } = watched
    drop('working/tags-20260320.ndjson', line(tag(20, { name: 'left' })))
    drop('working/tags-20260320.ndjson.problems.ndjson', 'half')
    drop('tags-20260319.ndjson', line(tag(20, { name: 'waits' })))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file }) => file),
      ['tags-20260320.ndjson', 'tags-20260319.ndjson'],
    )
    assert.deepEqual(filesIn('working'), [])
    // Imported before the move: the list of imported files tells.
    renameSync(
      join(place.folder, 'in/processed', today(), 'tags-20260319.ndjson'),
      join(place.folder, 'in/working/tags-20260319.ndjson'),
    )
    const again = await once()
    assert.deepEqual(
      again.outcomes.map(({ outcome, movedTo }) => [outcome, movedTo]),
      [['repeated', `processed/${today()}/tags-20260319.ndjson`]],
    )
  })

  it('puts a row in quarantine that the database refuses, and imports the others', async () => {
    const { drop, once, read, place } = watched
    const database = openDatabase(place.databaseUrl)
    await refuseValue(database, ['tags', 'name', 'poison'])
    await database.close()
    drop('tags-20260330.ndjson', `${line(tag(30))}${line(tag(31, { name: 'poison' }))}`)
    drop('tags-20260331.ndjson', line(tag(32, { name: 'behind it' })))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported', 'imported'],
    )
    assert.equal(outcomes[0]?.collections[0].quarantined, 1)
    assert.match(
      read(`${outcomes[0]?.movedTo}.problems.txt`),
      /error: tags-20260330\.ndjson:2 .*is refused by the database: .*no poison/,
    )
    assert.ok((await watched.tags()).includes('behind it'))
  })

  for (const [args, expected] of [
    [['watch', 'in'], /^Name the owner of the records: /],
    [['watch', 'nowhere', ...own], /^nowhere is not a folder\. /],
    [['watch', 'in', ...own, '--every', '2h'], /^"2h" is not a valid value of --every\. /],
    [['watch', 'in', ...own, '--settle', 'soon'], /^"soon" is not a duration\. /],
  ] as const) {
    it(`refuses: ${args.join(' ')}`, async () => {
      const { code, stderr } = await watched.place.run(args)
      assert.notEqual(code, 0)
      assert.match(stderr, expected)
    })
  }
})

describe('watch', () => {
  let watched: Awaited<ReturnType<typeof openWatched>>
  const started: Started[] = []
  const start = (place: Sandbox, ...args: string[]) => {
    const one = place.start(['watch', 'in', ...own, '--every', '1s', ...args])
    started.push(one)
    return one
  }
  before(async () => {
    watched = await openWatched()
  })
  after(async () => {
    for (const { child } of started) child.kill('SIGKILL')
    await Promise.all(started.map(({ ended }) => ended))
    watched.place.close()
  })

  it('waits until a file is unchanged, and ends after the current file', async () => {
    const { place, drop, filesIn } = watched
    const { child, ended, said } = start(place, '--settle', '3s')
    await said('Watching')
    // Grows faster than it settles.
    const rows = Array.from({ length: 5 }, (_, index) => tag(index, { name: `tag ${index}` }))
    for (const [index] of rows.entries()) {
      drop('tags.ndjson', ndjson(rows.slice(0, index + 1)))
      await wait(1_000)
    }
    await said('tags.ndjson: imported')
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.equal(
      stdout,
      `tags.ndjson: imported: tags 5 new. Moved to processed/${today()}/tags.ndjson.\n`,
    )
    assert.match(stderr, /Stopping after the current file\.\n$/)
    assert.deepEqual(filesIn(''), [])
  })

  it('takes a file at once that it has seen under a temporary name', async () => {
    const { place, drop, filesIn } = watched
    const { child, ended, said } = start(place, '--settle', '1h')
    await said('Watching')
    drop('tags-1.ndjson.part', line(tag(30)))
    // Two listings see it.
    await wait(2_500)
    renameSync(
      join(place.folder, 'in/tags-1.ndjson.part'),
      join(place.folder, 'in/tags-20260401.ndjson'),
    )
    await until(() => filesIn('').length === 0, 'it was not taken')
    await said('imported')
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('moves a file to failed that ends the process three times, and takes the next one', async () => {
    const { place, drop, filesIn, read } = watched
    const rows = Array.from({ length: 60_000 }, (_, index) => tag(100 + index))
    drop('tags-20260410.ndjson', ndjson(rows))
    drop('tags-20260411.ndjson', line(tag(40, { name: 'behind it' })))
    const units = async () => {
      const { stdout } = await place.run(['intake', '--state', 'working', '--json'])
      return JSON.parse(stdout)
    }
    for (let kills = 1; kills <= 3; kills += 1) {
      const { child, ended } = start(place, '--settle', '0s')
      while ((await units())[0]?.attempts !== kills) assert.equal(child.exitCode, null)
      child.kill('SIGKILL')
      assert.equal((await ended).signal, 'SIGKILL')
      const [state] = JSON.parse((await place.run(['sources', '--json'])).stdout)
      assert.deepEqual([state.waiting, state.behindSince === null], [2, false])
    }
    const { child, ended, said } = start(place, '--settle', '0s')
    await said('tags-20260411.ndjson: imported')
    const [state] = JSON.parse((await place.run(['sources', '--json'])).stdout)
    assert.deepEqual([state.state, state.quarantined], ['failing', 1])
    const [, id] = /selvedge intake retry (\S+)/.exec(
      read('failed/tags-20260410.ndjson.problems.txt'),
    ) ?? ['', '']
    const retried = await place.run(['intake', 'retry', id ?? ''])
    assert.equal(retried.code, 0, retried.stderr)
    await said('tags-20260410.ndjson: imported: tags 60,000 new')
    assert.deepEqual(filesIn('failed'), [])
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('leaves the work of a brand to one process, and takes over when that has ended', async () => {
    const { place, drop, filesIn } = watched
    const one = start(place, '--settle', '0s')
    await one.said('Watching')
    drop('tags-20260501.ndjson', line(tag(50)))
    await one.said('imported')
    const once = await watched.once()
    assert.equal(once.code, 1)
    assert.match(once.stderr, /^Another process takes the files of aldermoor: .* process \d+\b.*\./)
    const other = start(place, '--settle', '0s')
    await other.said('Waiting:')
    one.child.kill('SIGKILL')
    await one.ended
    drop('tags-20260502.ndjson', line(tag(51)))
    await other.said('tags-20260502.ndjson: imported')
    await until(() => filesIn('').length === 0, 'it was not taken')
    other.child.kill('SIGTERM')
    assert.equal((await other.ended).code, 0)
  })
})
