/** Figures and times of the console, in the form of the viewer's language. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountText, momentFormat, momentText } from '../../console/src/figures.ts'

describe('an amount', () => {
  for (const [locale, amount, text] of [
    ['en-GB', '15872.00', '15,872.00'],
    ['de-DE', '15872.00', '15.872,00'],
    ['de-DE', '124632.00', '124.632,00'],
    ['de-DE', '-1450.5', '-1.450,5'],
    ['fr-FR', '124632.00', '124\u202f632,00'],
    ['en-IN', '12463200.00', '1,24,63,200.00'],
    ['pt-BR', '1234567.8901', '1.234.567,8901'],
    ['tr-TR', '0.10', '0,10'],
  ] as const) {
    it(`of ${amount} is ${text} in ${locale}`, () => {
      assert.equal(amountText(amount, locale), text)
    })
  }

  it('keeps every digit, and as many places as it was written with', () => {
    for (const amount of [
      '9007199254740993.01',
      '123456789012345678901234567890.123456789012345678901234567890',
      `0.${'0'.repeat(98)}01`,
      '100.000',
      '-0.00',
    ]) {
      assert.equal(amountText(amount, 'en-GB').replaceAll(',', ''), amount)
    }
  })

  it('that is not one, or has more places than can be shown, stays as it is', () => {
    for (const text of ['', 'n/a', '1e3', '1,5', ' 1', `0.${'1'.repeat(101)}`]) {
      assert.equal(amountText(text, 'de-DE'), text)
    }
  })
})

describe('a moment', () => {
  it('is in UTC and says so, wherever the viewer is', () => {
    for (const [locale, text] of [
      ['en-GB', '2 Feb 2026, 09:00 UTC'],
      ['de-DE', '2. Feb. 2026, 09:00 UTC'],
      ['fr-FR', '2 févr. 2026, 09:00 UTC'],
    ] as const) {
      const shown = momentText('2026-02-02T09:00:00.000Z', momentFormat(locale))
      assert.equal(shown.replaceAll('\u202f', ' '), text)
    }
    assert.equal(momentText('soon'), 'soon')
  })
})
