/** Decimal numbers as bytes whose order is that of the numbers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareDecimals, parseDecimal } from '#contract'
import { decodeDecimal, encodeDecimal } from '../../src/database/sqlite/decimal-key.mjs'
import { seeded } from '../support/model.ts'

const handPicked = [
  '0',
  '0.00',
  '-0',
  '1',
  '1.5',
  '1.50',
  '1.55',
  '-1.5',
  '-1.55',
  '10',
  '100',
  '99.99',
  '-99.99',
  '0.1',
  '0.01',
  '-0.01',
  `0.${'0'.repeat(70)}1`,
  `-0.${'0'.repeat(70)}1`,
  `1${'0'.repeat(70)}`,
  `-1${'0'.repeat(70)}`,
  `${'9'.repeat(300)}.${'9'.repeat(300)}`,
]

const draw = seeded(12)
const digits = (count: number) => Array.from({ length: count }, () => draw(10)).join('')
const random = Array.from({ length: 200 }, () => {
  const whole = digits(1 + draw(5)).replace(/^0+(?=\d)/, '')
  const fraction = draw(3) === 0 ? '' : `.${digits(1 + draw(5))}`
  return `${draw(2) === 0 ? '-' : ''}${whole}${fraction}`
})
const amounts = [...handPicked, ...random]

describe('the bytes of a decimal number', () => {
  it('have the order of the numbers, and are the same for equal numbers', () => {
    for (const one of amounts) {
      for (const other of amounts) {
        const expected = compareDecimals(parseDecimal(one), parseDecimal(other))
        const actual = Math.sign(Buffer.compare(encodeDecimal(one), encodeDecimal(other)))
        assert.equal(actual, expected, `${one} and ${other}`)
      }
    }
  })

  it('are decoded to the same number, without zeros that mean nothing', () => {
    for (const amount of amounts) {
      const decoded = decodeDecimal(encodeDecimal(amount))
      assert.equal(compareDecimals(parseDecimal(decoded), parseDecimal(amount)), 0, amount)
      assert.doesNotMatch(decoded, /\.\d*0$|\.$|^-0$/, amount)
    }
  })
})
