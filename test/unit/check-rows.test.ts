import assert from 'node:assert/strict'
import { it } from 'node:test'
import { row } from '../../src/check/source.ts'

it('a row makes the SQL of a field when a rule reads it, once and for its alias', () => {
  const order = row('orders', 'o')
  const other = row('orders', 'p')
  assert.deepEqual(Object.getOwnPropertyNames(order), [])
  const { orderNumber } = order
  assert.equal(order.orderNumber, orderNumber)
  assert.deepEqual(Object.getOwnPropertyNames(order), ['orderNumber'])
  assert.deepEqual(
    [orderNumber, other.orderNumber].map(({ column }) => column?.alias),
    ['o', 'p'],
  )
})
