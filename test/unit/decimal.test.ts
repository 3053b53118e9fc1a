import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  formatUnits,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  plainDecimal,
  roundToSame,
  signOf,
  sumAmounts,
} from '#contract'

test('amounts are added exactly, with as many places as the longest of them', () => {
  assert.equal(sumAmounts(['0.1', '0.20', '-0.3']), '0.00')
  assert.equal(sumAmounts(['9007199254740993.01', '0.99']), '9007199254740994.00')
  assert.equal(sumAmounts(['-4.5', '1']), '-3.5')
  assert.equal(sumAmounts(['-0.05', '0.02']), '-0.03')
  assert.equal(sumAmounts([]), '0')
})

test('decimals are added, multiplied and compared across scales', () => {
  const [a, b] = [parseDecimal('1.50'), parseDecimal('-0.075')]
  assert.deepEqual(addDecimals(a, b), { units: 1425n, scale: 3 })
  assert.deepEqual(multiplyDecimals(a, b), { units: -11250n, scale: 5 })
  assert.equal(compareDecimals(a, b), 1)
  assert.equal(compareDecimals(b, a), -1)
  assert.equal(compareDecimals(a, parseDecimal('1.5')), 0)
  assert.deepEqual(negateDecimal(b), { units: 75n, scale: 3 })
  assert.deepEqual(
    ['0.00', '-0.01', '3'].map((amount) => signOf(parseDecimal(amount))),
    [0, -1, 1],
  )
})

test('every spelling of a number has the same plain one', () => {
  for (const [plain, ...spellings] of [
    ['0', '-0', '0.00', '-0.0', '000'],
    ['1.5', '1.50', '01.500'],
    ['-0.5', '-0.50'],
    ['100', '100.00', '0100'],
  ]) {
    assert.deepEqual(
      spellings.map(plainDecimal),
      spellings.map(() => plain),
    )
    assert.equal(plainDecimal(plain ?? ''), plain)
  }
})

test('two decimals round to the same value when they are at most half a unit apart', () => {
  const isSame = (a: string, b: string) => roundToSame(parseDecimal(a), parseDecimal(b), 2)
  assert.ok(isSame('1.005', '1.01'))
  assert.ok(isSame('1.005', '1.00'))
  assert.ok(!isSame('1.0051', '1.00'))
  assert.ok(!isSame('-1.00', '1.00'))
})

test('decimals are formatted with all places or without trailing zeros', () => {
  assert.equal(formatUnits(5, 2), '0.05')
  assert.equal(formatUnits(-1250, 2), '-12.50')
  assert.equal(formatUnits(-5n, 3), '-0.005')
  assert.equal(formatUnits(7, 0), '7')
  assert.deepEqual(
    ['640.000', '24.8', '0.0960', '-1.10'].map((amount) => formatDecimal(parseDecimal(amount))),
    ['640', '24.80', '0.096', '-1.10'],
  )
})
