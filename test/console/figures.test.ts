/** Figures and times of the console, in the form of the viewer's locale and the brand's time zone. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import {
  amountText,
  countText,
  daysText,
  dayText,
  momentText,
  moneyText,
  monthText,
  percentText,
  weekText,
} from '../../console/src/figures.ts'
import { setLocale, setZone } from '../../console/src/locale.ts'
import { loadTexts } from '../../console/src/texts/index.ts'
import { amountsOf, sumTexts } from '../../console/src/today/sums.ts'

afterEach(async () => {
  setLocale(undefined)
  setZone('UTC')
  await loadTexts('en')
})

/** Spaces of any width are one: which one a locale uses is not of interest. */
const plain = (text: string) => text.replace(/[\u00a0\u202f\u2009]/g, ' ')

const inLocale = (locale: string, write: () => string): string => {
  setLocale(locale)
  return plain(write())
}

describe('an amount', () => {
  for (const [locale, amount, text] of [
    ['en-GB', '15872.00', '15,872.00'],
    ['de-DE', '15872.00', '15.872,00'],
    ['de-DE', '124632.00', '124.632,00'],
    ['de-DE', '-1450.5', '-1.450,5'],
    ['fr-FR', '124632.00', '124 632,00'],
    ['en-IN', '12463200.00', '1,24,63,200.00'],
    ['pt-BR', '1234567.8901', '1.234.567,8901'],
    ['tr-TR', '0.10', '0,10'],
  ] as const) {
    it(`of ${amount} is ${text} in ${locale}`, () => {
      assert.equal(
        inLocale(locale, () => amountText(amount)),
        text,
      )
    })
  }

  it('keeps every digit, and as many places as it was written with', () => {
    setLocale('en-GB')
    for (const amount of [
      '9007199254740993.01',
      '123456789012345678901234567890.123456789012345678901234567890',
      `0.${'0'.repeat(98)}01`,
      '100.000',
      '-0.00',
    ]) {
      assert.equal(amountText(amount).replaceAll(',', ''), amount)
    }
  })

  it('that is not one, or has more places than can be shown, stays as it is', () => {
    setLocale('de-DE')
    for (const text of ['', 'n/a', '1e3', '1,5', ' 1', `0.${'1'.repeat(101)}`]) {
      assert.equal(amountText(text), text)
      if (text !== '') assert.equal(moneyText(text, 'EUR'), text)
    }
  })
})

describe('money', () => {
  for (const [locale, amount, currency, text] of [
    ['de-DE', '15872.00', 'EUR', '15.872,00 €'],
    ['de-DE', '124632.00', 'TRY', '124.632,00 TRY'],
    ['de-DE', '-1450.50', 'USD', '-1.450,50 $'],
    ['en-GB', '15872.00', 'GBP', '£15,872.00'],
    ['en-GB', '15872.00', 'USD', 'US$15,872.00'],
    ['en-US', '15872.00', 'USD', '$15,872.00'],
    ['fr-FR', '124632.00', 'EUR', '124 632,00 €'],
    ['zh-CN', '15872.00', 'CNY', '¥15,872.00'],
    ['ja-JP', '15872.00', 'JPY', '￥15,872'],
    ['en-IN', '12463200.00', 'INR', '₹1,24,63,200.00'],
  ] as const) {
    it(`of ${amount} ${currency} is ${text} in ${locale}`, () => {
      assert.equal(
        inLocale(locale, () => moneyText(amount, currency)),
        text,
      )
    })
  }

  it('is exact, with the places of its currency or more', () => {
    setLocale('en-US')
    for (const [amount, currency, text] of [
      ['9007199254740993.01', 'USD', '$9,007,199,254,740,993.01'],
      ['1450.5', 'USD', '$1,450.50'],
      ['1450', 'USD', '$1,450.00'],
      ['4.1250', 'USD', '$4.1250'],
      ['4.125', 'JPY', '¥4.125'],
      ['4.125', 'KWD', 'KWD 4.125'],
    ] as const) {
      assert.equal(plain(moneyText(amount, currency)), text)
    }
  })

  it('without a currency, or with an unknown one, is an amount', () => {
    setLocale('de-DE')
    assert.equal(moneyText('15872.00', null), '15.872,00')
    assert.equal(moneyText('15872.00', 'points'), '15.872,00 points')
  })
})

describe('a percentage and a count', () => {
  it('are written as the locale does', () => {
    for (const [locale, percent, count] of [
      ['en-GB', '5.25%', '12,480'],
      ['de-DE', '5,25 %', '12.480'],
      ['fr-FR', '5,25 %', '12 480'],
    ] as const) {
      assert.equal(
        inLocale(locale, () => percentText('5.25')),
        percent,
      )
      assert.equal(
        inLocale(locale, () => countText(12_480)),
        count,
      )
    }
  })
})

describe('a moment', () => {
  const moment = '2026-02-02T02:30:00.000Z'

  for (const [zone, locale, text, day] of [
    ['UTC', 'en-GB', '2 Feb 2026, 02:30 UTC', '2 Feb 2026'],
    ['America/New_York', 'en-US', 'Feb 1, 2026, 09:30 PM EST', 'Feb 1, 2026'],
    ['America/New_York', 'de-DE', '1. Feb. 2026, 21:30 GMT-5', '1. Feb. 2026'],
    ['Europe/Berlin', 'de-DE', '2. Feb. 2026, 03:30 MEZ', '2. Feb. 2026'],
    ['Asia/Shanghai', 'en-GB', '2 Feb 2026, 10:30 GMT+8', '2 Feb 2026'],
    ['Asia/Shanghai', 'fr-FR', '2 févr. 2026, 10:30 UTC+8', '2 févr. 2026'],
  ] as const) {
    it(`is in the zone of the brand and says so: ${zone} in ${locale}`, () => {
      setZone(zone)
      assert.equal(
        inLocale(locale, () => momentText(moment)),
        text,
      )
      assert.equal(
        inLocale(locale, () => dayText(moment)),
        day,
      )
    })
  }

  it('follows summer time', () => {
    setZone('America/New_York')
    assert.equal(
      inLocale('en-US', () => momentText('2026-07-01T12:00:00.000Z')),
      'Jul 1, 2026, 08:00 AM EDT',
    )
  })

  it('is in UTC where the zone is unknown, and stays as it is where it is none', () => {
    setZone('Mars/Olympus')
    assert.equal(
      inLocale('en-GB', () => momentText(moment)),
      '2 Feb 2026, 02:30 UTC',
    )
    assert.equal(momentText('soon'), 'soon')
    assert.equal(weekText('soon'), 'soon')
  })
})

describe('a date', () => {
  it('is the same day in every zone', () => {
    for (const zone of ['UTC', 'America/New_York', 'Asia/Shanghai', 'Pacific/Kiritimati']) {
      setZone(zone)
      assert.equal(
        inLocale('en-GB', () => dayText('2026-02-02')),
        '2 Feb 2026',
      )
      assert.equal(
        inLocale('de-DE', () => weekText('2026-02-02')),
        '2.–8. Feb.',
      )
      assert.equal(
        inLocale('en-GB', () => weekText('2026-03-30')),
        '30 Mar – 5 Apr',
      )
      assert.equal(
        inLocale('de-DE', () => monthText('2026-04')),
        'Apr. 2026',
      )
      assert.equal(
        inLocale('en-GB', () => monthText('2026-04', false)),
        'Apr',
      )
    }
  })

  it('is described by its days from today, in the language of the texts', async () => {
    setLocale('en-GB')
    assert.deepEqual([1_200, 8, 1, 0, -1, -3].map(daysText), [
      '1,200 days late',
      '8 days late',
      '1 day late',
      'due today',
      'due in 1 day',
      'due in 3 days',
    ])
    await loadTexts('de')
    setLocale('de-DE')
    assert.deepEqual([1_200, 8, 1, 0, -1, -3].map(daysText), [
      '1.200 Tage überfällig',
      '8 Tage überfällig',
      '1 Tag überfällig',
      'heute fällig',
      'fällig in 1 Tag',
      'fällig in 3 Tagen',
    ])
  })
})

describe('a sum in the base currency', () => {
  /** Orders in euros, and some in pounds without a rate. */
  const figures = (euros: number, withoutRate: number) => {
    const leftOut = [{ currency: 'GBP', amount: '7.50', items: withoutRate }]
    const currencies = [{ currency: 'EUR', amount: '100.00', items: euros }, ...leftOut]
    const base = { currency: 'USD', amount: '108.123', withoutRate, leftOut }
    return { items: euros + withoutRate, sum: { totalAmount: { currencies, base } } }
  }

  it('names the records that it leaves out, up to a tenth of all', async () => {
    setLocale('en-US')
    assert.deepEqual(sumTexts(figures(9, 1), 'totalAmount'), [
      '$108.12',
      'leaves out 1 record without a rate: £7.50',
    ])
    await loadTexts('de')
    setLocale('de-DE')
    assert.deepEqual(sumTexts(figures(18, 2), 'totalAmount').map(plain), [
      '108,12 $',
      'ohne 2 Datensätze, zu denen kein Kurs bekannt ist: 7,50 £',
    ])
  })

  it('is shown by currency beyond a tenth', () => {
    setLocale('en-US')
    assert.deepEqual(amountsOf(figures(8, 1), 'totalAmount'), ['€100.00', '£7.50'])
    assert.deepEqual(sumTexts(figures(8, 1), 'totalAmount'), [
      '€100.00 + £7.50',
      'by currency, because 1 record has no rate',
    ])
  })
})
