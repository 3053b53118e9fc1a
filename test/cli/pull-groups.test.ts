/** Copies that are made with a key that is limited to groups. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { brand, openCopies } from '../support/copies.ts'

const copies = await openCopies()
const { newCopy, newTarget, pull, assertCopy } = copies
after(() => copies.close())

const limitedKey = async () => {
  const rights = { brands: [brand], global: false, expiresAt: null, perSecond: null, burst: null }
  const onlyGroups = ['orders', 'order-items']
  return (await copies.service.records.keys.issue({ name: 'limited', ...rights, onlyGroups })).key
}

const countIn = (file: string, table: string): number => {
  const database = new DatabaseSync(file)
  const row = database.prepare(`select count(*) as n from ${table}`).get()
  database.close()
  return Number(row?.['n'])
}

describe('a pull with a key that is limited to groups', () => {
  it('copies these groups, and all others once the key may read them', async () => {
    const file = newTarget('.db')
    const sentences: string[] = []
    const pulled = await pull(file, {
      key: await limitedKey(),
      log: (sentence) => sentences.push(sentence),
    })
    assert.deepEqual(pulled.collections.map(({ collection }) => collection).toSorted(), [
      ...['brand', 'order-items', 'orders'],
    ])
    assert.ok(countIn(file, 'orders') > 0)
    assert.match(sentences.join(), /^The key is limited to 3 groups; the others are not copied\.$/)
    await pull(file)
    await assertCopy(file)
  })

  it('leaves the other groups of an earlier copy as they are', async () => {
    const file = await newCopy('.db')
    const before = countIn(file, 'tags')
    await pull(file, { key: await limitedKey() })
    assert.ok(before > 0)
    assert.equal(countIn(file, 'tags'), before)
    await assertCopy(file)
  })
})
