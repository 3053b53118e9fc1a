/** Formats over bytes accept what the patterns of the contract accept, and only days that exist. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkRecord, type Field, patterns } from '#contract'

const isValid = (kind: Field['kind'], value: string): boolean =>
  checkRecord({ fields: { value: { kind, nullable: false } } }, { value }).length === 0

/** Texts that are almost of a format: the characters of all of them, in any order and number. */
const almost = (example: string) =>
  fc
    .tuple(
      fc.nat({ max: example.length }),
      fc.nat({ max: 3 }),
      fc.string({
        unit: fc.constantFrom(...'0123456789abcfgABF-+.:TZ \u0000é"'),
        maxLength: 4,
      }),
    )
    .map(([at, removed, added]) => example.slice(0, at) + added + example.slice(at + removed))

const isInCalendar = (text: string): boolean => {
  const day = text.slice(0, 10)
  const parsed = new Date(`${day}T00:00:00.000Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
}

describe('a format', () => {
  for (const [kind, pattern, examples] of [
    ['id', patterns.id, ['5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01']],
    ['amount', patterns.amount, ['0', '-12.50', `${'9'.repeat(80)}.5`]],
    ['date', patterns.date, ['2026-02-28', '2024-02-29', '1900-02-29', '2000-02-29', '2026-04-30']],
    ['timestamp', patterns.timestamp, ['2026-02-28T23:59:59.999Z', '2026-04-30T00:00:00.000Z']],
  ] as const) {
    it(`of the kind ${kind} accepts what its pattern does`, () => {
      const expression = new RegExp(pattern)
      const isDated = kind === 'date' || kind === 'timestamp'
      let accepted = 0
      for (const example of examples) {
        fc.assert(
          fc.property(almost(example), (text) => {
            const isExpected = expression.test(text) && (!isDated || isInCalendar(text))
            if (isExpected) accepted += 1
            assert.equal(isValid(kind, text), isExpected, JSON.stringify(text))
          }),
          { numRuns: 1_000, seed: 7 },
        )
      }
      assert.ok(accepted > 20, `${accepted} texts were accepted`)
    })
  }

  it('does not match into what an earlier, longer text left behind', () => {
    assert.ok(isValid('amount', '123456'))
    assert.ok(!isValid('amount', '1.'))
    assert.ok(!isValid('date', '2026-03-'))
    assert.ok(isValid('date', '2026-03-01'))
    assert.ok(!isValid('date', '2026-03-'))
  })
})
