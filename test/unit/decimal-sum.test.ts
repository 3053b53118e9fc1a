import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { encodeDecimal } from '../../src/database/sqlite/decimal-key.mjs'
import { addDecimalFunctions } from '../../src/database/sqlite/decimal-sum.mjs'
import { seeded } from '../support/model.ts'
import { exactly, written } from '../support/summary-model.ts'

const database = new DatabaseSync(':memory:')
addDecimalFunctions(database, { sum: 'add_up', text: 'text_of', halves: 'joined', lowBits: 26 })

const sumOf = (rows: readonly (readonly (string | number | null)[])[]): unknown => {
  const values = rows.map(
    (row) => `(${row.map((cell) => (typeof cell === 'string' ? `'${cell}'` : String(cell)))})`,
  )
  const columns = (rows[0] ?? []).map((_, at) => `column${at + 1}`)
  return database.prepare(`select add_up(${columns}) as s from (values ${values})`).get()?.['s']
}

test('a sum has all places of its terms, and no error of floating-point numbers', () => {
  assert.equal(sumOf([['0.1'], ['0.2']]), '0.3')
  assert.equal(sumOf([['1'], ['0.001'], ['-2.50']]), '-1.499')
  assert.equal(sumOf([[3], [4], [-9]]), '-2')
  assert.equal(sumOf([['99999999999999999999.99'], ['0.01']]), '100000000000000000000.00')
})

test('what is null is not added, and a sum of nothing is null', () => {
  assert.equal(sumOf([['1'], [null]]), '1')
  assert.equal(sumOf([[null]]), null)
  assert.equal(
    sumOf([
      ['2', null],
      ['2', '3'],
    ]),
    '6',
  )
})

test('sums of products are exact for numbers of any length', () => {
  const random = seeded(5)
  const draw = () => {
    const whole = random(10) < 2 ? '123456789012345678' : String(random(100_000))
    const places = random(6)
    const fraction = places === 0 ? '' : `.${String(random(10 ** places)).padStart(places, '0')}`
    return `${random(3) === 0 ? '-' : ''}${whole}${fraction}`
  }
  const rows = Array.from({ length: 5_000 }, () => [draw(), draw()] as const)
  const expected = rows.reduce((sum, [a, b]) => sum + (exactly(a) * exactly(b)) / 10n ** 24n, 0n)
  const actual = String(sumOf(rows))
  assert.equal(written(exactly(actual), false), written(expected, false))
})

test('many large sums stay exact', () => {
  const rows = Array.from({ length: 20_000 }, () => ['999999999999.99'] as const)
  assert.equal(sumOf(rows), '19999999999999800.00')
})

test('a sum of whole numbers has more bits than SQLite adds up', () => {
  const largest = Number.MAX_SAFE_INTEGER
  const rows = Array.from({ length: 3_000 }, (_, at) => `(${at % 3 === 0 ? -7 : largest})`)
  const joined = 'joined(sum(column1 >> 26), sum(column1 & 67108863))'
  const row = database.prepare(`select ${joined} as s from (values ${rows})`).get()
  assert.equal(row?.['s'], String(2_000n * BigInt(largest) - 7_000n))
  assert.throws(
    () => database.prepare(`select sum(column1) from (values ${rows})`).get(),
    /overflow/,
  )
})

test('the text of a number is read from its bytes', () => {
  const text = (bytes: Uint8Array | null) =>
    database.prepare('select text_of(?) as t').get(bytes)?.['t']
  assert.equal(text(encodeDecimal('-12.50')), '-12.5')
  assert.equal(text(null), null)
})
