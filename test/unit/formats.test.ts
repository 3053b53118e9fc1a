/** Formats over bytes accept what the patterns of the contract accept, and only days that exist. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkRecord, type Field, patterns } from '#contract'
import {
  amountFormat,
  dateFormat,
  digitsEnd,
  type Format,
  isOfFormat,
  matchWhole,
  timestampFormat,
  uuidFormat,
} from '../../src/contract/formats.ts'

const uuid = '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a09'
const time = '2026-03-01T09:30:00.000Z'
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const day = (month: number, number: number) =>
  `2026-${String(month).padStart(2, '0')}-${String(number).padStart(2, '0')}`
const replaceAt = (text: string, at: number, replacement: string) =>
  text.slice(0, at) + replacement + text.slice(at + replacement.length)

/** The same text with one character replaced, for each place in it. */
const withOneWrong = (text: string) => [...text].map((_, at) => replaceAt(text, at, 'x'))

interface FormatCase {
  readonly name: string
  readonly format: Format
  readonly accepted: readonly string[]
  readonly refused: readonly string[]
}

const cases: readonly FormatCase[] = [
  {
    name: 'a UUID',
    format: uuidFormat,
    accepted: [uuid, '0'.repeat(36).replaceAll(/(?<=^.{8}|^.{13}|^.{18}|^.{23})./g, '-')],
    refused: [
      ...withOneWrong(uuid),
      ...[8, 13, 18, 23].map((at) => replaceAt(uuid, at, '0')),
      ...['/', ':', '`', 'g', 'A', '-', '\u00e9', '\u0130'].map((first) =>
        replaceAt(uuid, 0, first),
      ),
      ...[`${uuid}0`, uuid.slice(0, -1), ''],
    ],
  },
  {
    name: 'an amount',
    format: amountFormat,
    accepted: [
      '0',
      '-0',
      '9',
      '10',
      '-1.50',
      '0.05',
      '1'.repeat(38),
      `-${'1'.repeat(38)}.${'0'.repeat(38)}`,
    ],
    refused: [
      ...['1'.repeat(39), '1'.repeat(64), `-${'1'.repeat(39)}.5`, `0.${'0'.repeat(39)}`],
      '',
      '-',
      '01',
      '00',
      '1.',
      '.5',
      '-.5',
      '1.5.',
      '1e3',
      '+1',
      '1/',
      '1:',
      '1.:',
      '--1',
      '1\u0130',
    ],
  },
  {
    name: 'a date',
    format: dateFormat,
    accepted: [
      ...daysInMonth.flatMap((last, index) => [day(index + 1, 1), day(index + 1, last)]),
      ...['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'],
    ],
    refused: [
      ...daysInMonth.flatMap((last, index) => [day(index + 1, 0), day(index + 1, last + 1)]),
      ...['2023-02-29', '1900-02-29', '2024-02-30', '2026-00-10', '2026-13-10', '2026-03-29x'],
      ...['0000-01-01', '0000-12-31'],
      ...withOneWrong('2026-03-01'),
      ...['2026-03-/9', '2026-03-0:', '2026-03', ''],
    ],
  },
  {
    name: 'a timestamp',
    format: timestampFormat,
    accepted: [time, '2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z'],
    refused: [
      '0000-12-31T23:59:59.999Z',
      ...withOneWrong(time),
      ...['2026-03-01T24:00:00.000Z', '2026-03-01T00:60:00.000Z', '2026-03-01T00:00:60.000Z'],
      ...['2026-02-30T00:00:00.000Z', '2026-03-01', '2026-03-01T09:30:00Z', `${time}Z`],
    ],
  },
]

const notTimestamp = 'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z'
const withoutZone =
  'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00'

describe('the definition of a format', () => {
  for (const { name, format, accepted, refused } of cases) {
    it(`of ${name} accepts every text of it and no other`, () => {
      for (const text of accepted) assert.equal(isOfFormat(format, text), true, text)
      for (const text of refused) assert.equal(isOfFormat(format, text), false, text)
    })

    it(`of ${name} ends where the text ends, wherever it begins`, () => {
      for (const text of accepted) {
        for (const [before, after] of [
          ['', ''],
          ['"', '"'],
          ['77', '-'],
        ] as const) {
          const bytes = Buffer.from(before + text + after)
          assert.equal(format.match(bytes, before.length), before.length + text.length, text)
        }
      }
    })
  }

  it('of a fixed length does not match bytes that end early or have a wrong one', () => {
    for (const [format, text] of [
      [uuidFormat, uuid],
      [dateFormat, '2026-03-01'],
      [timestampFormat, time],
    ] as const) {
      for (let end = 0; end < text.length; end += 1) {
        const bytes = Buffer.from(text.slice(0, end))
        assert.equal(format.match(bytes, 0), -1, text.slice(0, end))
      }
      for (const wrong of withOneWrong(text)) {
        assert.equal(format.match(Buffer.from(wrong), 0), -1, wrong)
      }
    }
  })

  it('of a whole number ends before what follows its digits', () => {
    for (const [text, end] of [
      ['0', 1],
      ['01', 1],
      ['120,', 3],
      ['9', 1],
      ['', -1],
      ['/', -1],
      [':', -1],
    ] as const) {
      assert.equal(matchWhole(Buffer.from(text), 0), end, text)
    }
    assert.equal(digitsEnd(Buffer.from('a0909b'), 1), 5)
    assert.equal(digitsEnd(Buffer.from('a'), 0), 0)
  })

  it('says what is wrong with a value', () => {
    assert.equal(
      uuidFormat.problem(''),
      'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
    )
    assert.equal(amountFormat.problem(''), 'must be a decimal number as a string, such as "12.50"')
    assert.equal(dateFormat.problem(''), 'must be a date such as 2026-03-01')
    for (const value of ['1'.repeat(39), `-0.${'1'.repeat(140_000)}`]) {
      const reason = 'has more than 38 digits before or after the decimal point'
      assert.equal(amountFormat.problem(value), reason)
    }
    for (const format of [dateFormat, timestampFormat]) {
      const reason = 'has the year 0000; years are 0001 to 9999'
      assert.equal(format.problem('0000-00-00'), reason)
      assert.equal(format.problem('0000-05-01T00:00:00+01:00'), reason)
    }
    for (const value of ['2026-03-01T09:30:00', '2026-03-01 09:30']) {
      assert.equal(timestampFormat.problem(value), withoutZone)
    }
    for (const value of ['', '2026-03-01', ['2026-03-01T09:30'], 7]) {
      assert.equal(timestampFormat.problem(value), notTimestamp)
    }
  })

  it('tells a value beyond its bounds from one of another format', () => {
    const amounts = ['1'.repeat(39), `-0.${'1'.repeat(140_000)}`]
    for (const value of amounts) assert.equal(amountFormat.isBeyond?.(value), true)
    for (const value of ['', `${amounts[0]}.`, `0${amounts[0]}`]) {
      assert.equal(amountFormat.isBeyond?.(value), false)
    }
    for (const day of ['0000-01-01', '0000-02-29', '0000-12-31']) {
      assert.equal(dateFormat.isBeyond?.(day), true)
      assert.equal(timestampFormat.isBeyond?.(`${day}T23:59:59.999Z`), true)
    }
    for (const day of ['0000-00-00', '0000-02-30', '0000-1-1', '00000-01-01', '0x26-01-01']) {
      assert.equal(dateFormat.isBeyond?.(day), false)
      assert.equal(timestampFormat.isBeyond?.(`${day}T23:59:59.999Z`), false)
    }
    assert.equal(timestampFormat.isBeyond?.('0000-01-01T00:00:00+01:00'), false)
  })

  it('writes other spellings of a value in its canonical form', () => {
    assert.equal(uuidFormat.normalize?.(uuid.toUpperCase()), uuid)
    assert.equal(uuidFormat.normalize?.('NOT A UUID'), 'NOT A UUID')
    for (const [text, canonical] of [
      ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.000Z'],
      ['2026-03-01t09:30z', '2026-03-01T09:30:00.000Z'],
      ['2026-03-01 09:30:07,5+01', '2026-03-01T08:30:07.500Z'],
      ['2026-03-01 09:30:07.123999-0130', '2026-03-01T11:00:07.123Z'],
      ['2026-03-01T00:00:00+00:30', '2026-02-28T23:30:00.000Z'],
      ['2026-03-01T23:59:59+23:59', '2026-03-01T00:00:59.000Z'],
    ] as const) {
      assert.equal(timestampFormat.normalize?.(text), canonical, text)
    }
  })

  it('leaves a text that is not a moment as it is', () => {
    for (const text of [
      ...['', 'yesterday', '2026-03-01', '2026-03-01T09:30:00', '2026-02-30T00:00:00Z'],
      ...['2026-03-01T24:00:00Z', '2026-03-01T00:60:00Z', '2026-03-01T00:00:60Z'],
      ...['2026-03-01T00:00:00+24:00', '2026-03-01T00:00:00+00:60'],
      ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00'],
    ]) {
      assert.equal(timestampFormat.normalize?.(text), text)
    }
  })
})

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
  return (
    !Number.isNaN(parsed.getTime()) &&
    !day.startsWith('0000') &&
    parsed.toISOString().startsWith(day)
  )
}

const boundedAmount = patterns.amount
  .replace('[1-9]\\d*', '[1-9]\\d{0,37}')
  .replace('\\d+', '\\d{1,38}')

describe('a format', () => {
  for (const [kind, pattern, examples] of [
    ['id', patterns.id, ['5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01']],
    ['amount', boundedAmount, ['0', '-12.50', `${'9'.repeat(37)}.5`, `0.${'9'.repeat(37)}`]],
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
