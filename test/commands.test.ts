/** What commands share: which brand, which database, how many records. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openWorkplace, type Workplace } from './support/command.ts'

describe('a brand that is not in the database', () => {
  let place: Workplace
  before(async () => {
    place = openWorkplace()
    for (let number = 10; number < 22; number += 1) {
      const { code, stderr } = await place.run(['brands', 'add', `b${number}`, '--name', 'B'])
      assert.equal(code, 0, stderr)
    }
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
