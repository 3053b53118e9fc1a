/** Files whose rows are joined to those of others, in a watched folder. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { line, tag } from '../support/import-records.ts'
import { openWatchedFolders, watchOnce } from '../support/watching.ts'

const { store, open } = await openWatchedFolders()

const joinedTo = (name: string) =>
  name.startsWith('tags') ? [(each: string) => each.startsWith('lines')] : []

describe('a file that others are joined to', () => {
  it('is not taken while one of them may still be written', async () => {
    const { drop, folder, brand, inbox } = await open()
    drop('tags-1.ndjson', line(tag(1)))
    drop('lines-1.ndjson', '')
    writeFileSync(join(folder, 'tags-1.ndjson.done'), '')
    const once = () => watchOnce(store, brand, inbox, { needsMarker: true, joinedTo })
    assert.deepEqual((await once()).outcomes, [])
    writeFileSync(join(folder, 'lines-1.ndjson.done'), '')
    const names = (await once()).outcomes.map(({ file }) => file)
    assert.ok(names.includes('tags-1.ndjson'), names.join())
  })

  it('is refused if one of them is gone', async () => {
    const { drop, brand, inbox } = await open()
    drop('tags-1.ndjson', line(tag(1)))
    for (const name of ['lines-1.ndjson', 'lines-2.ndjson']) drop(name, line(tag(2)))
    const opened = async (name: string, from?: string) =>
      name === 'lines-2.ndjson' && from === '' ? null : inbox.open(name, from)
    const subjectOf = (name: string) => ({
      collections: [name.startsWith('tags') ? 'tags' : 'brand'],
      refersTo: [],
      rank: name.startsWith('tags') ? 0 : 1,
    })
    const parts = { joinedTo, subjectOf }
    const { outcomes } = await watchOnce(store, brand, { ...inbox, open: opened }, parts)
    const own = outcomes.find(({ file }) => file === 'tags-1.ndjson')
    assert.equal(own?.outcome, 'failed')
    assert.match(JSON.stringify(own), /needs lines-2\.ndjson, which is gone/)
  })
})
