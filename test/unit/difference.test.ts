import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  amount,
  any,
  fieldChanges,
  id,
  mergeRecord,
  nullable,
  object,
  objects,
  text,
} from '#contract'

const fields = {
  id: id(),
  price: amount('money'),
  size: nullable(object({ weight: amount('weightKg'), unit: nullable(text()) })),
  parts: objects({ weight: amount('weightKg') }),
  extra: nullable(any()),
}

const record = {
  ...{ id: 'a', price: '525.00', size: { weight: '1.50', unit: 'kg' } },
  ...{ parts: [{ weight: '1' }], extra: { a: 1, b: { c: 2 } } },
}

describe('the difference of two records', () => {
  const between = (changed: object) =>
    fieldChanges(fields, JSON.stringify(record), JSON.stringify({ ...record, ...changed }))

  it('has the fields that differ, with amounts compared by value', () => {
    assert.deepEqual(between({}), [])
    const respelled = {
      price: '525',
      size: { weight: '1.5', unit: 'kg' },
      parts: [{ weight: '1.0' }],
    }
    assert.deepEqual(between(respelled), [])
    assert.deepEqual(between({ ...respelled, size: { weight: '2', unit: 'kg' } }), [
      { field: '/size/weight', before: '1.50', after: '2' },
    ])
  })

  it('has objects that appear or disappear, lists and free values as a whole', () => {
    assert.deepEqual(between({ size: null, parts: [], extra: { a: 1, b: { c: 3 } } }), [
      { field: '/size', before: record.size, after: null },
      { field: '/parts', before: record.parts, after: [] },
      { field: '/extra', before: record.extra, after: { a: 1, b: { c: 3 } } },
    ])
  })
})

describe('a record with some fields changed', () => {
  it('keeps the fields that were not sent', () => {
    assert.deepEqual(mergeRecord(fields, record, { price: '1' }), { ...record, price: '1' })
    assert.deepEqual(mergeRecord(fields, record, { size: { unit: 'lb' } }), {
      ...record,
      size: { weight: '1.50', unit: 'lb' },
    })
    assert.deepEqual(mergeRecord(fields, record, {}), record)
  })

  it('takes nulls, lists and free values as they are', () => {
    const sent = { size: null, parts: [], extra: { b: {} } }
    assert.deepEqual(mergeRecord(fields, record, sent), { ...record, ...sent })
    const without = { ...record, size: null }
    const size = { unit: 'kg' }
    assert.deepEqual(mergeRecord(fields, without, { size }), { ...record, size })
  })

  it('keeps unknown fields, which the check then refuses', () => {
    const sent = JSON.parse('{"__proto__":{"price":"1"},"toString":1}')
    const merged = mergeRecord(fields, record, sent) as object
    assert.deepEqual(Object.keys(merged), [...Object.keys(record), '__proto__', 'toString'])
  })
})
