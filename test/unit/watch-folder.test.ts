/** Files that are dropped into a folder: what is unusual about them must not stop the others. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { DatabaseError, QueryTimeoutError } from '#database'
import type { Store } from '#store'
import { folderInbox, type Inbox, InboxError } from '#watch'
import { foldersBelow } from '../../src/watch/held-folder.ts'
import { line, tag } from '../support/import-records.ts'
import {
  openUnitReader,
  openWatchedFolders,
  systemError,
  tagNames,
  today,
  watchOnce,
} from '../support/watching.ts'

const { store, temporary, open } = await openWatchedFolders()

describe('a watched folder', () => {
  it('imports one of two files with the same content that come at the same moment', async () => {
    const { drop, once, processed } = await open()
    drop('tags-20260301.ndjson', line(tag(1)))
    drop('tags-20260301 copy.ndjson', line(tag(1)))
    const { outcomes } = await once()
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['imported', 'repeated'])
    assert.deepEqual(processed(), ['tags-20260301 copy.ndjson', 'tags-20260301.ndjson'])
  })

  it('leaves units with what files changed, and with the first problem of a refused one', async () => {
    const { drop, once, brand } = await open()
    drop('tags-20260301.ndjson', line(tag(1)) + line(tag(2)))
    drop('tags-20260302.ndjson', line(tag(1, { name: 'Other' })))
    drop('tags-20260303.ndjson', line(tag(3, { name: 7 })))
    await once()
    const units = await openUnitReader(store).ended(brand, 10)
    assert.deepEqual(
      units.map(({ state, collections, problems: [problem] }) => [
        state,
        collections.map(({ collection, added, changed }) => [collection, added, changed]),
        problem?.field,
      ]),
      [
        ['refused', [], '/name'],
        ['done', [['tags', 0, 1]], undefined],
        ['done', [['tags', 2, 0]], undefined],
      ],
    )
  })

  it('takes a file beside a folder that is named like its marker', async () => {
    const { drop, once, folder, processed } = await open()
    drop('tags-20260301.ndjson', line(tag(1)))
    drop('tags-20260302.ndjson', line(tag(2)))
    mkdirSync(join(folder, 'tags-20260301.ndjson.done'))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported', 'imported'],
    )
    assert.deepEqual(processed(), ['tags-20260301.ndjson', 'tags-20260302.ndjson'])
  })

  it('takes names with spaces, CJK characters and line breaks, and very long ones', async () => {
    const { drop, once, folder } = await open()
    const long = `${'面'.repeat(80)}.ndjson`
    const names = [
      '20260301 tags, new.ndjson',
      '20260302 面料.ndjson',
      '20260303\ntags.ndjson',
      long,
    ]
    for (const [index, name] of names.entries())
      drop(name, line(tag(index, { name: index === 3 ? 7 : `a${index}` })))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      names.map((name, index) => [name, index === 3 ? 'failed' : 'imported']),
    )
    assert.deepEqual(readdirSync(join(folder, 'working')), [])
    // The name is cut so that those of its problems fit.
    assert.equal(readdirSync(join(folder, 'failed')).length, 3)
  })

  it('does not follow symbolic links, and says so once', async () => {
    const { drop, once, folder, brand } = await open()
    const target = join(temporary(), 'secret.ndjson')
    writeFileSync(target, line(tag(1, { name: 'secret' })))
    symlinkSync(target, join(folder, 'tags-20260301.ndjson'))
    drop('tags-20260302.ndjson', line(tag(2, { name: 'plain' })))
    const { events } = await once()
    assert.deepEqual(events, [
      'tags-20260301.ndjson is a symbolic link, which is not followed. Copy the file itself into the folder.',
    ])
    assert.deepEqual(await tagNames(store, brand), ['plain'])
    assert.ok(readdirSync(folder).includes('tags-20260301.ndjson'))
  })

  it('fails what has become a link when it is opened', async () => {
    const { once, folder, brand } = await open()
    mkdirSync(join(folder, 'working'))
    writeFileSync(join(folder, 'tags.ndjson.part'), line(tag(1)))
    const inbox = folderInbox(folder)
    symlinkSync(join(folder, 'tags.ndjson.part'), join(folder, 'working/tags.ndjson'))
    const { outcomes } = await once({
      ...inbox,
      listWorking: async () => {
        const there = readdirSync(join(folder, 'working')).includes('tags.ndjson')
        return there
          ? [
              {
                name: 'tags.ndjson',
                bytes: 1,
                modifiedMs: 0,
                version: '',
                isComplete: true,
                touchedMs: 0,
              },
            ]
          : []
      },
    })
    assert.deepEqual(
      outcomes.map(({ outcome, problem }) => [outcome, problem]),
      [['failed', 'tags.ndjson is not a file']],
    )
    assert.deepEqual(await tagNames(store, brand), [])
  })

  it('fails a file that it may not read, and takes the others', async () => {
    const { drop, once, inbox, folder } = await open()
    drop('tags-20260301.ndjson', line(tag(1)))
    drop('tags-20260302.ndjson', line(tag(2)))
    const { outcomes } = await once({
      ...inbox,
      open: async (name) => {
        if (name === 'tags-20260301.ndjson') throw systemError('EACCES')
        return inbox.open(name)
      },
    })
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['failed', 'imported'],
    )
    assert.match(
      readFileSync(join(folder, 'failed/tags-20260301.ndjson.problems.txt'), 'utf8'),
      /^this process is not allowed to read it \(EACCES\)/,
    )
  })

  it('leaves a file where it is that cannot be moved, says so, and takes the others', async () => {
    const { drop, once, inbox, folder, brand } = await open()
    drop('tags-20260301.ndjson', line(tag(1)))
    drop('tags-20260302.ndjson', line(tag(2)))
    const { outcomes, events, failed } = await once({
      ...inbox,
      claim: async (file) => {
        if (file.name === 'tags-20260301.ndjson') throw systemError('EPERM')
        return inbox.claim(file)
      },
    })
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [['tags-20260302.ndjson', 'imported']],
    )
    assert.equal(failed, 1)
    assert.equal(events.length, 1)
    assert.match(events[0] ?? '', /^tags-20260301\.ndjson: it cannot be moved \(EPERM\): /)
    assert.ok(readdirSync(folder).includes('tags-20260301.ndjson'))
    const [state] = await store.sources.list(brand)
    assert.equal(state?.waiting, 1)
  })

  it('tries again after the database has failed between two files', async () => {
    const { brand, inbox, drop } = await open()
    drop('tags.ndjson', line(tag(1, { name: 'one' })))
    const failures = [new DatabaseError('No rights.'), new QueryTimeoutError('Too slow.')]
    const failing: Store = {
      ...store,
      leases: {
        ...store.leases,
        take: async (...lease) => {
          const failure = failures.pop()
          if (failure) throw failure
          return store.leases.take(...lease)
        },
      },
    }
    const { outcomes, events } = await watchOnce(failing, brand, inbox)
    assert.equal(outcomes[0]?.outcome, 'imported')
    assert.deepEqual(events, [
      'Too slow. Trying again in 0.5 s.',
      'No rights. Trying again in 1 s.',
    ])
  })

  it('imports a file once whose move failed because the disk was full', async () => {
    const { drop, once, inbox, processed, brand } = await open()
    drop('tags-20260301.ndjson', line(tag(1)))
    let failures = 0
    const full: Inbox = {
      ...inbox,
      finish: async (...args) => {
        failures += 1
        if (failures < 3) throw systemError('ENOSPC')
        return inbox.finish(...args)
      },
    }
    const { outcomes, events } = await once(full)
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['repeated'],
    )
    assert.deepEqual(events, [
      'ENOSPC: it failed. Trying again in 0.5 s.',
      'ENOSPC: it failed. Trying again in 1 s.',
    ])
    assert.deepEqual(processed(), ['tags-20260301.ndjson'])
    const [state] = await store.sources.list(brand)
    assert.deepEqual([state?.processed, state?.state, state?.error], [1, 'idle', null])
  })

  it('says what waits behind a file that was left in working', async () => {
    const { drop, once, inbox, folder, brand } = await open()
    mkdirSync(join(folder, 'working'))
    drop('working/tags-20260301.ndjson', line(tag(1)))
    drop('tags-20260302.ndjson', line(tag(2)))
    const states: unknown[] = []
    await once({
      ...inbox,
      draft: async (name, suffix) => {
        const [state] = await store.sources.list(brand)
        states.push([name, state?.state, state?.waiting, state?.behindSince === null])
        return inbox.draft(name, suffix)
      },
    })
    assert.deepEqual(states, [
      ['tags-20260301.ndjson', 'working', 1, false],
      ['tags-20260302.ndjson', 'working', 0, false],
    ])
  })

  it('fails a file that is changed while it is imported, and stores nothing of it', async () => {
    const { drop, once, inbox, folder, brand } = await open()
    drop('tags.ndjson', line(tag(1)))
    const { outcomes } = await once({
      ...inbox,
      draft: async (name, suffix) => {
        // Another program still writes, after the file was hashed.
        appendFileSync(join(folder, 'working/tags.ndjson'), line(tag(2)))
        return inbox.draft(name, suffix)
      },
    })
    assert.deepEqual(
      outcomes.map(({ outcome, problem }) => [outcome, problem]),
      [['failed', 'was changed while it was imported: drop it again when it is complete']],
    )
    assert.deepEqual(await tagNames(store, brand), [])
    drop('tags.ndjson', `${line(tag(1))}${line(tag(2))}`)
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    assert.equal((await tagNames(store, brand)).length, 2)
  })

  it('fails files that take too much CPU time, in a thread or here, and takes the others', async () => {
    const { brand, drop, inbox, folder } = await open()
    drop('20260301 large.ndjson', `"${'x'.repeat(4_100_000)}"\n`)
    drop('20260302 small.ndjson', '1\n'.repeat(50_000))
    drop('20260303.ndjson', line(tag(3, { name: 'quick' })))
    const cpuMs = (bytes: number) => (bytes > 10_000 ? 1 : 600_000)
    const { outcomes } = await watchOnce(store, brand, inbox, { cpuMs })
    const slow = (name: string) => [
      'failed',
      `${name}.ndjson was not converted within 1 second of CPU time: send it in smaller parts, or simplify the mapping`,
    ]
    assert.deepEqual(
      outcomes.map(({ outcome, problem }) => [outcome, problem]),
      [slow('20260301 large'), slow('20260302 small'), ['imported', null]],
    )
    assert.deepEqual(await tagNames(store, brand), ['quick'])
    assert.ok(readdirSync(join(folder, 'failed')).includes('20260301 large.ndjson'))
  })

  it('lists 10,000 files once for many of them, without blocking', async () => {
    const { drop, inbox, folder, brand } = await open()
    for (let index = 0; index < 10_100; index += 1) drop(`tags-${index}.ndjson`, '')
    let lists = 0
    let claims = 0
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const counting: Inbox = {
      ...inbox,
      list: async () => {
        lists += 1
        const listing = await inbox.list()
        assert.equal(listing.files.length, 10_000)
        return listing
      },
      // Nothing is imported here: what is measured is the choice of files.
      claim: async () => {
        claims += 1
        return false
      },
    }
    const { events } = await watchOnce(store, brand, counting)
    delay.disable()
    assert.match(events[0] ?? '', /has more than 10,000 files/)
    assert.ok(claims >= 10_000 * lists, `${claims} in ${lists} listings`)
    assert.ok(delay.percentile(99) < 250e6, `${delay.percentile(99) / 1e6} ms`)
    assert.ok(readdirSync(folder).length >= 10_100)
  })

  it('lists all files among 10,000 links and hidden files', async () => {
    const { drop, inbox, folder } = await open()
    const names = Array.from({ length: 20 }, (_, index) => `tags-${index}.ndjson`).sort()
    // Folders are read in any order: some are created first, some last.
    for (const name of names.slice(0, 10)) drop(name, '')
    for (let index = 0; index < 5_000; index += 1) {
      symlinkSync('/nowhere', join(folder, `link-${index}`))
      drop(`.${index}`, '')
    }
    for (const name of names.slice(10)) drop(name, '')
    const { files, refused, hasMore } = await inbox.list()
    assert.deepEqual(files.map(({ name }) => name).sort(), names)
    assert.deepEqual([refused.length, hasMore], [1_000, false])
  })

  it('reports names that are not UTF-8, and takes the others', async () => {
    const { drop, once, folder } = await open()
    const name = Buffer.concat([
      Buffer.from(`${folder}/tags`),
      Buffer.from([0xff]),
      Buffer.from('.ndjson'),
    ])
    writeFileSync(name, line(tag(1)))
    drop('tags.ndjson', line(tag(2)))
    const { outcomes, events } = await once()
    assert.deepEqual(events, ['tags\\xff.ndjson has a name that is not UTF-8. Rename it.'])
    assert.equal(outcomes.length, 1)
  })

  it('takes a file with a second name once that is deleted', async () => {
    const { once, folder } = await open()
    const other = join(temporary(), 'tags.ndjson')
    writeFileSync(other, line(tag(1)))
    linkSync(other, join(folder, 'tags.ndjson'))
    const { outcomes, events } = await once()
    assert.deepEqual(outcomes, [])
    assert.deepEqual(events, [
      'tags.ndjson has a second name (a hard link). It is taken once that is deleted.',
    ])
    unlinkSync(other)
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
  })

  it('keeps a dropped file that is named like a report, also in working', async () => {
    const { drop, once, folder } = await open()
    mkdirSync(join(folder, 'working'))
    drop('working/tags.problems.ndjson', line(tag(1)))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [['tags.problems.ndjson', 'imported']],
    )
  })

  it('says that a folder is missing, whatever its name ends with', async () => {
    const inbox = folderInbox(join(temporary(), 'networking'))
    await assert.rejects(inbox.list(), { code: 'ENOENT' })
  })
})

/** A sender can write to all of the folder. */
describe('a watched folder of a hostile sender', () => {
  for (const place of ['working', 'processed', 'failed', `processed/${today()}`]) {
    it(`is not watched while ${place} is a link, and nothing goes to another brand`, async () => {
      const { drop, once, folder, brand } = await open()
      const other = await open()
      if (place.includes('/')) mkdirSync(join(folder, 'processed'))
      const plant = () => symlinkSync(other.folder, join(folder, place))
      const isFailing = place === 'failed'
      drop('tags-20260301.ndjson', line(tag(1, isFailing ? { name: 7 } : { name: 'planted' })))
      plant()
      await assert.rejects(once(), (error) => {
        assert.ok(error instanceof InboxError)
        assert.ok(error.message.startsWith(`${join(folder, place)} is a symbolic link. `))
        return true
      })
      assert.deepEqual((await other.once()).outcomes, [])
      assert.deepEqual(await tagNames(store, other.brand), [])
      const [state] = await store.sources.list(brand)
      assert.equal(state?.state, 'failing')
      assert.match(state?.error ?? '', /is a symbolic link/)
      unlinkSync(join(folder, place))
      const { outcomes } = await once()
      assert.equal(outcomes.length, 1)
    })
  }

  for (const byDescriptor of [true, false]) {
    it(`is not watched any more when a link appears during an import (${byDescriptor})`, async () => {
      const { drop, once, folder } = await open()
      const other = await open()
      const inbox = folderInbox(folder, { byDescriptor })
      drop('tags.ndjson', line(tag(1, { name: 7 })))
      const planting: Inbox = {
        ...inbox,
        draft: async (name, suffix) => {
          rmSync(join(folder, 'failed'), { recursive: true, force: true })
          symlinkSync(other.folder, join(folder, 'failed'))
          return inbox.draft(name, suffix)
        },
      }
      await assert.rejects(once(planting), InboxError)
      assert.deepEqual(readdirSync(other.folder), [])
      assert.ok(readdirSync(join(folder, 'working')).includes('tags.ndjson'))
    })

    it(`keeps to the folder that it has opened (${byDescriptor})`, async () => {
      const [folder, elsewhere] = [temporary(), temporary()]
      const released: string[] = []
      const use = foldersBelow(folder, byDescriptor)(
        'failed',
        async (path) => {
          renameSync(join(folder, 'failed'), join(folder, 'away'))
          symlinkSync(elsewhere, join(folder, 'failed'))
          writeFileSync(join(path, 'file'), '')
          return 'result'
        },
        async (result) => void released.push(result),
      )
      if (!byDescriptor) {
        await assert.rejects(use, InboxError)
        assert.deepEqual(released, ['result'])
        return
      }
      assert.deepEqual([await use, released], ['result', []])
      assert.deepEqual([readdirSync(elsewhere), readdirSync(join(folder, 'away'))], [[], ['file']])
    })
  }

  it('does not make the program write through links', async () => {
    const { drop, once, folder } = await open()
    const victim = join(temporary(), 'victim')
    writeFileSync(victim, 'kept')
    mkdirSync(join(folder, 'working'))
    for (const end of ['ndjson', 'txt']) {
      symlinkSync(victim, join(folder, `working/tags.ndjson.problems.${end}`))
    }
    drop('tags.ndjson', line(tag(1, { name: 7 })))
    const { outcomes } = await once()
    assert.equal(outcomes[0]?.outcome, 'failed')
    assert.equal(readFileSync(victim, 'utf8'), 'kept')
    const text = join(folder, 'failed/tags.ndjson.problems.txt')
    assert.equal(readFileSync(text, 'utf8'), 'must be a string\n')
  })

  it('does not make the program read a file that takes the place of a checked one', async () => {
    const { drop, once, inbox, folder, brand } = await open()
    const secret = join(temporary(), 'secret.ndjson')
    writeFileSync(secret, line(tag(1, { name: 'secret' })))
    drop('tags.ndjson', line(tag(1, { name: 'own' })))
    const [entry, original] = [join(folder, 'working/tags.ndjson'), join(folder, '.kept')]
    const { outcomes } = await once({
      ...inbox,
      open: async (name) => {
        const file = await inbox.open(name)
        return (
          file && {
            ...file,
            isUnchanged: () => {
              renameSync(original, entry)
              return file.isUnchanged()
            },
          }
        )
      },
      draft: async (name, suffix) => {
        renameSync(entry, original)
        symlinkSync(secret, entry)
        return inbox.draft(name, suffix)
      },
    })
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported'],
    )
    assert.deepEqual(await tagNames(store, brand), ['own'])
  })

  it('does not make the program wait for a named pipe or read a second name', async () => {
    const { folder, inbox } = await open()
    mkdirSync(join(folder, 'working'))
    execFileSync('mkfifo', [join(folder, 'working/pipe.ndjson')])
    const secret = join(temporary(), 'secret.ndjson')
    writeFileSync(secret, line(tag(1)))
    linkSync(secret, join(folder, 'working/linked.ndjson'))
    await assert.rejects(inbox.open('pipe.ndjson'), { message: 'pipe.ndjson is not a file' })
    await assert.rejects(inbox.open('linked.ndjson'), {
      message: 'linked.ndjson has a second name (a hard link): drop a copy of it',
    })
  })
})
