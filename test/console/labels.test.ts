import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupAt, groups } from '../../console/src/contract.ts'

describe('the label of a field', () => {
  it('is written as people write it', () => {
    const labels = (path: string) => groupAt(path)?.fields.map(({ label }) => label) ?? []
    for (const [path, label] of [
      ['orders', 'Confirmed ex-factory date'],
      ['suppliers', 'MOQ'],
      ['skus', 'HTS code'],
      ['images', 'SKU'],
      ['locations', 'UN/LOCODE'],
      ['locations', 'Address line 1'],
      ['orders', 'ID'],
    ] as const) {
      assert.ok(labels(path).includes(label), `${label} in ${labels(path).join(', ')}`)
    }
    assert.equal(groupAt('skus')?.singular, 'SKU')
  })
})

describe('the title of a group', () => {
  it('has abbreviations in capitals', () => {
    assert.equal(groupAt('boms')?.title, 'BOMs')
    assert.equal(groupAt('bom-skus')?.title, 'BOM SKUs')
    const titles = groups.map(({ title }) => title)
    assert.deepEqual(
      titles.filter((title) => /\b(Bom|Sku)s?\b/.test(title)),
      [],
    )
  })
})
