/** Files in a watched folder that fail: attempts, what moves to `failed`, and how it is taken back. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Inbox } from '#watch'
import { line, tag } from '../support/import-records.ts'
import {
  openFileUnits,
  openWatchedFolders,
  systemError,
  tagNames,
  today,
} from '../support/watching.ts'

const { store, open } = await openWatchedFolders()

describe('a watched folder with a file that fails', () => {
  const [bad, good] = ['tags-20260301.ndjson', 'tags-20260302.ndjson']
  const dropBoth = async () => {
    const opened = await open()
    opened.drop(bad, `${line(tag(1, { name: 'bad' }))}${line(tag(3, { name: 'bad too' }))}`)
    opened.drop(good, line(tag(2, { name: 'good' })))
    return opened
  }
  const filesIn = (folder: string, below: string) => readdirSync(join(folder, below)).sort()
  const unitsOf = async (brand: string) => {
    const units = await openFileUnits(store)
    return { units, all: await units.list({ brand, limit: 10 }) }
  }

  it('tries it three times, moves it to failed with the reason, and takes the others', async () => {
    const { once, inbox, folder, brand } = await dropBoth()
    const states: unknown[] = []
    const { outcomes, events, failed } = await once({
      ...inbox,
      list: async () => {
        const [state] = await store.sources.list(brand)
        if (state?.state === 'failing') states.push([state.waiting, state.behindSince === null])
        return inbox.list()
      },
      open: async (name) => {
        const file = await inbox.open(name)
        if (!file || name !== bad) return file
        return { ...file, isUnchanged: () => Promise.reject(new RangeError('a bug')) }
      },
    })
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        [bad, 'failed'],
        [good, 'imported'],
      ],
    )
    assert.deepEqual(events, [
      `${bad}: a bug. This was attempt 1 of 3. Trying again in 0.5 s.`,
      `${bad}: a bug. This was attempt 2 of 3. Trying again in 1 s.`,
    ])
    assert.equal(failed, 1)
    // What waits behind it counts while it fails.
    assert.deepEqual(states, Array(2).fill([1, false]))
    const { all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ state, attempts, lastError }) => [state, attempts, lastError]),
      [
        ['quarantined', 3, 'a bug'],
        ['done', 1, null],
      ],
    )
    assert.deepEqual(filesIn(folder, 'working'), [])
    assert.equal(
      readFileSync(join(folder, `failed/${bad}.problems.txt`), 'utf8'),
      `a bug. It was tried 3 times, and other files continue. To try it again, drop it again, or: selvedge intake retry ${all[0]?.id}\n`,
    )
    assert.deepEqual(await tagNames(store, brand), ['good'])
  })

  /** Ends like a killed process in the middle of the file. */
  const die = async ({ once, inbox }: Awaited<ReturnType<typeof open>>) => {
    const dying: Inbox = {
      ...inbox,
      draft: async (name, suffix) => {
        if (name === bad) throw new RangeError('the process died')
        return inbox.draft(name, suffix)
      },
    }
    await assert.rejects(once(dying), /the process died/)
  }

  it('moves it to failed after it has ended the process three times, and takes it back', async () => {
    const opened = await dropBoth()
    const { once, folder, brand, drop } = opened
    for (let deaths = 0; deaths < 3; deaths += 1) await die(opened)
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        [bad, 'failed'],
        [good, 'imported'],
      ],
    )
    assert.match(outcomes[0]?.problem ?? '', /^The process ended .* tried 3 times/)
    drop('tags-20260303.ndjson', line(tag(1, { name: 'newer' })))
    await once()
    const { units, all } = await unitsOf(brand)
    assert.ok(await units.retry(all[0]?.id ?? ''))
    const again = await once()
    assert.deepEqual(
      again.outcomes.map(({ file, outcome, warnings }) => [file, outcome, warnings]),
      [[bad, 'imported', 1]],
    )
    assert.deepEqual(filesIn(folder, 'failed'), [])
    // What was written since stays.
    assert.deepEqual(await tagNames(store, brand), ['newer', 'good', 'bad too'])
    assert.match(
      readFileSync(join(folder, 'processed', today(), `${bad}.problems.txt`), 'utf8'),
      /^is superseded: the record of tags has changed since/,
    )
  })

  it('deletes the problems of a file once it, or a correction of it, is imported', async () => {
    for (const name of ['tags.ndjson', 'tags.corrections.ndjson']) {
      const { once, folder, drop } = await open()
      drop('tags.ndjson', line(tag(1, { name: 7 })))
      await once()
      const problems = ['tags.ndjson.problems.ndjson', 'tags.ndjson.problems.txt']
      assert.deepEqual(filesIn(folder, 'failed'), ['tags.ndjson', ...problems])
      const added = name === 'tags.ndjson' ? {} : { selvedge_row: '' }
      drop(name, line(tag(1, { name: 'good', ...added })))
      const { outcomes } = await once()
      assert.deepEqual(
        outcomes.map(({ file, outcome }) => [file, outcome]),
        [[name, 'imported']],
      )
      assert.deepEqual(filesIn(folder, 'failed'), ['tags.ndjson'])
    }
  })

  it('ends the unit of a file that was deleted after the process died', async () => {
    const opened = await dropBoth()
    const { once, folder, brand } = opened
    await die(opened)
    rmSync(join(folder, 'working', bad))
    const { events } = await once()
    const reason = `Its file is gone: ${bad} is not in working/ any more. Drop it again.`
    assert.deepEqual(events, [reason])
    const { all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ state, lastError }) => [state, lastError]),
      [
        ['refused', reason],
        ['done', null],
      ],
    )
  })

  it('lets an operator end it once the claim of a dead process has expired', async () => {
    const opened = await dropBoth()
    await die(opened)
    const { units, all } = await unitsOf(opened.brand)
    const [{ id } = { id: '' }] = all
    assert.equal(await units.discard(id), false)
    assert.equal(await units.retry(id), false)
    const later = await openFileUnits(store, () => Date.now() + 60_000)
    assert.equal(await later.retry(id), true)
    const { state, attempts } = (await units.find(id)) ?? {}
    assert.deepEqual([state, attempts], ['waiting', 0])
    await die(opened)
    assert.equal(await later.discard(id), true)
    assert.equal((await units.find(id))?.state, 'refused')
  })

  it('says of a retried file that it is gone', async () => {
    const opened = await dropBoth()
    const { once, folder, brand } = opened
    const stated = async () => {
      const [state] = await store.sources.list(brand)
      return [state?.state, state?.error]
    }
    for (let deaths = 0; deaths < 3; deaths += 1) await die(opened)
    await once()
    // The unit in quarantine says that the source is failing.
    assert.deepEqual(await stated(), ['idle', null])
    const { units, all } = await unitsOf(brand)
    for (const name of filesIn(folder, 'failed')) rmSync(join(folder, 'failed', name))
    assert.ok(await units.retry(all[0]?.id ?? ''))
    const { events, failed } = await once()
    const reason = `${bad}: it is not in failed/ any more: drop it again`
    assert.deepEqual([events, failed], [[`${reason}.`], 1])
    assert.deepEqual(await stated(), ['failing', reason])
    const unit = await units.find(all[0]?.id ?? '')
    assert.deepEqual([unit?.state, unit?.lastError], ['refused', reason])
  })

  it('takes it back if it is retried while another one is taken back', async () => {
    const { once, inbox, brand, folder } = await dropBoth()
    await once({
      ...inbox,
      open: async (name) => {
        const file = await inbox.open(name)
        return file && { ...file, isUnchanged: () => Promise.reject(new RangeError('a bug')) }
      },
    })
    const { units, all } = await unitsOf(brand)
    const [first = '', second = ''] = all.map(({ id }) => id)
    assert.ok(await units.retry(first))
    const { outcomes, events } = await once({
      ...inbox,
      takeBack: async (failedName, name) => {
        await inbox.takeBack(failedName, name)
        if (name === bad) assert.ok(await units.retry(second))
      },
    })
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        [bad, 'imported'],
        [good, 'imported'],
      ],
    )
    assert.deepEqual([events, filesIn(folder, 'failed')], [[], []])
  })

  it('tries it again when it is dropped again', async () => {
    const opened = await dropBoth()
    const { once, drop, brand } = opened
    for (let deaths = 0; deaths < 3; deaths += 1) await die(opened)
    await once()
    drop(bad, `${line(tag(1, { name: 'bad' }))}${line(tag(3, { name: 'bad too' }))}`)
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    const { all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ state }) => state),
      ['done', 'done'],
    )
  })

  it('tries a file three times that cannot be read, and takes the others', async () => {
    const { once, inbox, folder, brand, drop } = await dropBoth()
    let isDamaged = true
    const damaged: Inbox = {
      ...inbox,
      open: async (name, from) => {
        if (isDamaged && name === bad) throw systemError('EIO')
        return inbox.open(name, from)
      },
    }
    const { outcomes, events } = await once(damaged)
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        [bad, 'failed'],
        [good, 'imported'],
      ],
    )
    assert.deepEqual(events, [
      `${bad}: EIO: it failed. This was attempt 1 of 3. Trying again in 0.5 s.`,
      `${bad}: EIO: it failed. This was attempt 2 of 3. Trying again in 1 s.`,
    ])
    const { units, all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ state, position }) => [state, position?.split(' ')[1]?.slice(0, 6)]),
      [
        ['quarantined', 'unread'],
        ['done', 'sha256'],
      ],
    )
    // Once it can be read again, what was written since stays.
    isDamaged = false
    drop('tags-20260303.ndjson', line(tag(1, { name: 'newer' })))
    await once(damaged)
    assert.ok(await units.retry(all[0]?.id ?? ''))
    const again = await once(damaged)
    assert.deepEqual(
      again.outcomes.map(({ file, outcome, warnings }) => [file, outcome, warnings]),
      [[bad, 'imported', 1]],
    )
    assert.deepEqual(filesIn(folder, 'failed'), [])
    assert.deepEqual(await tagNames(store, brand), ['newer', 'good', 'bad too'])
    assert.equal((await units.find(all[0]?.id ?? ''))?.state, 'done')
  })

  it('ends the unit of a file that could not be read when its name is dropped again', async () => {
    const { once, inbox, brand, drop } = await dropBoth()
    let isDamaged = true
    const damaged: Inbox = {
      ...inbox,
      open: async (name, from) => {
        const file = await inbox.open(name, from)
        if (!file || !isDamaged || name !== bad) return file
        await file.close()
        throw systemError('EIO')
      },
    }
    await once(damaged)
    isDamaged = false
    drop(bad, line(tag(1, { name: 'new' })))
    assert.equal((await once(damaged)).outcomes[0]?.outcome, 'imported')
    const { all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ state }) => state),
      ['refused', 'done', 'done'],
    )
    assert.deepEqual(await tagNames(store, brand), ['new', 'good'])
  })

  it('does not count attempts that a full disk or a database that is away has ended', async () => {
    const { once, inbox, brand } = await dropBoth()
    let failures = 0
    const { outcomes } = await once({
      ...inbox,
      open: async (name) => {
        const file = await inbox.open(name)
        failures += 1
        if (!file || failures > 4) return file
        return { ...file, isUnchanged: () => Promise.reject(systemError('ENOSPC')) }
      },
    })
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['imported', 'imported'],
    )
    const { all } = await unitsOf(brand)
    assert.deepEqual(
      all.map(({ attempts }) => attempts),
      [1, 1],
    )
  })
})
