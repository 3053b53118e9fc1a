import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import * as kinds from '#contract'
import { checkRecord } from '../../src/contract/check.ts'

const id = '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a09'
const uuid = 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
const day = 'must be a date such as 2026-03-01'
const moment = 'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z'
const zone = 'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00'
const decimal = 'must be a decimal number as a string, such as "12.50"'
const nul = 'must not contain a NUL character'
const half = 'must not contain half a character (a lone surrogate)'
const large = 'is a whole number too large to be kept digit for digit; write it as a string'
const bounds = 'must be a whole number from -9007199254740991 to 9007199254740991'
const whole = 'must be a whole number'
const days = (month: number, last: number) =>
  Array.from({ length: last }, (_, index) => `2026-${two(month)}-${two(index + 1)}`)
const two = (value: number) => String(value).padStart(2, '0')
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

/** For each kind: values that are taken, and values that are refused with the reason. */
const tries: [kinds.Field, readonly unknown[], readonly (readonly [unknown, string])[]][] = [
  ...[kinds.id(), kinds.ref('orders'), kinds.person()].map(
    (field): [kinds.Field, unknown[], (readonly [unknown, string])[]] => [
      field,
      [id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
      [
        ...[id.toUpperCase(), `${id}0`, id.slice(1), 7, '', {}].map((v) => [v, uuid] as const),
        // One character off at every place, and each neighbour of the ranges that are taken.
        ...[...id].map((_, at) => [`${id.slice(0, at)}x${id.slice(at + 1)}`, uuid] as const),
        ...[8, 13, 18, 23].map((at) => [`${id.slice(0, at)}0${id.slice(at + 1)}`, uuid] as const),
        ...['/', ':', '`', 'g', '-'].map((sign) => [`${sign}${id.slice(1)}`, uuid] as const),
        [[...id], uuid],
      ],
    ],
  ),
  [
    kinds.text(),
    ['', 'a', '😀', '\u0001'],
    [
      [7, 'must be a string'],
      [true, 'must be a string'],
      ['a\u0000', nul],
      ['\ud800', half],
      ['\udc00a', half],
    ],
  ],
  [
    kinds.integer(),
    [0, -1, 2 ** 53 - 1, -(2 ** 53) + 1],
    [
      [1.5, whole],
      ['1', whole],
      [2 ** 53, bounds],
      [-(2 ** 53), bounds],
      [Number.NaN, whole],
    ],
  ],
  [
    kinds.flag(),
    [true, false],
    [
      [0, 'must be true or false'],
      ['true', 'must be true or false'],
    ],
  ],
  [
    kinds.amount('money'),
    ['0', '-1.50', '12.5', '100'],
    [
      [1, decimal],
      ['01', decimal],
      ['1.', decimal],
      ['.5', decimal],
      ['1e3', decimal],
      ['', decimal],
    ],
  ],
  [
    kinds.date(),
    [
      ...lengths.flatMap((last, month) => days(month + 1, last)),
      '2024-02-29',
      '2000-02-29',
      '1600-02-29',
    ],
    [
      ...lengths.map((last, month) => [`2026-${two(month + 1)}-${two(last + 1)}`, day] as const),
      ...['2023-02-29', '1900-02-29', '2026-02-30', '2024-02-30', '2026-2-1', '', '2026-13-01'].map(
        (value) => [value, day] as const,
      ),
      [20260301, day],
      [['2026-03-01'], day],
    ],
  ],
  [
    kinds.timestamp(),
    ['2026-03-01T09:30:00.000Z', '2024-02-29T23:59:59.999Z'],
    [
      ...[
        '2026-03-01T09:30:00Z',
        '2026-03-01',
        '2023-02-29T00:00:00.000Z',
        '2026-02-30T00:00:00.000Z',
      ].map((value) => [value, moment] as const),
      ...['2026-03-01T09:30:00', '2026-03-01 09:30', '2026-03-01t09:30:00,5'].map(
        (value) => [value, zone] as const,
      ),
      ...['x2026-03-01T09:30', '2026-03-01T09:30x', '2026-03-01T09:30:00.'].map(
        (value) => [value, moment] as const,
      ),
      [0, moment],
      [['2026-03-01T09:30:00.000Z'], moment],
    ],
  ],
  [
    kinds.any(),
    [
      null,
      'a',
      1.5,
      true,
      false,
      [],
      {},
      [1, 'b', null],
      { a: { b: [1] } },
      2 ** 53 - 1,
      nested(64),
    ],
    [
      ['\u0000', nul],
      ['\ud800', half],
      [Number.POSITIVE_INFINITY, 'must be a finite number'],
      [Number.NaN, 'must be a finite number'],
      [2 ** 53, large],
      [undefined, 'must be a JSON value'],
      [() => 1, 'must be a JSON value'],
    ],
  ],
  [kinds.texts(), [[], ['a', 'b']], [['a', 'must be an array of strings']]],
  [kinds.objects({ a: kinds.flag() }), [[], [{ a: true }]], [[{}, 'must be an array of objects']]],
]

describe('the validation of a record', () => {
  it('each kind takes what is of it, and says why it refuses the rest', () => {
    for (const [field, good, bad] of tries) {
      const problems = (value: unknown) => checkRecord({ fields: { it: field } }, { it: value })
      for (const value of good) assert.deepEqual(problems(value), [], `${field.kind} ${value}`)
      for (const [value, reason] of bad) {
        const reported = problems(value)
        assert.deepEqual(reported, [{ pointer: '/it', reason, value }], `${field.kind} ${value}`)
      }
    }
  })

  describe('of values that engines have bounds for', () => {
    const resource = kinds.resourceAt(kinds.catalog, 'production-runs')
    const checked = {
      ...resource,
      fields: {
        ...{ id: kinds.id(), place: kinds.text(), name: kinds.text(), note: kinds.text() },
        ...{ label: kinds.object({ state: kinds.text() }), number: kinds.integer() },
        ...{ rows: kinds.objects({ name: kinds.text() }), extra: kinds.any() },
        amount: kinds.amount('money'),
      },
      key: ['id', 'place'],
      filters: [
        { name: 'state', kind: 'string', field: 'label.state' },
        { name: 'number', kind: 'integer', field: 'number' },
      ],
      sortable: ['name'],
    } as const
    const value = {
      ...{ id, place: '', name: '', note: '', label: { state: '' }, number: 0, rows: [] },
      ...{ extra: null, amount: '1' },
    }
    const scanner = kinds.compileCanonicalScanner(checked, {
      ...{ wanted: [], wantedBytes: 400, isUtf8 },
    })
    const problemOf = (changed: object) => {
      const record = { ...value, ...changed }
      const [problem] = checkRecord(checked, record)
      const bytes = Buffer.from(JSON.stringify(record))
      const isCanonical = scanner?.endOf(bytes, 0) === bytes.length
      // What is recognised byte by byte is admitted.
      assert.ok(!(isCanonical && problem), JSON.stringify(changed).slice(0, 100))
      return problem && `${problem.pointer} ${problem.reason}`
    }
    const kib = 'must have at most 65,536 bytes in UTF-8 (64 KiB)'
    const thousand = 'must have at most 1,000 characters'
    for (const [of, letter] of [
      ['ASCII', 'a'],
      ['two bytes', 'é'],
      ['three bytes', '上'],
      ['two UTF-16 code units', '😀'],
    ] as const) {
      it(`counts the characters and bytes of a text of ${of}`, () => {
        const bytes = Buffer.byteLength(letter)
        const fitting = Math.floor(65_536 / bytes)
        for (const [fieldsOf, most, reason] of [
          [(text: string) => ({ place: text }), 255, '/place must have at most 255 characters'],
          [(text: string) => ({ name: text }), 1_000, `/name ${thousand}`],
          [(text: string) => ({ label: { state: text } }), 1_000, `/label/state ${thousand}`],
          [(text: string) => ({ note: text }), fitting, `/note ${kib}`],
          [(text: string) => ({ rows: [{ name: text }] }), fitting, `/rows/0/name ${kib}`],
          [(text: string) => ({ extra: { a: text } }), fitting, `/extra/a ${kib}`],
        ] as const) {
          assert.equal(problemOf(fieldsOf(letter.repeat(most))), undefined)
          assert.equal(problemOf(fieldsOf(letter.repeat(most + 1))), reason)
        }
      })
    }

    it('takes whole numbers that their filter takes', () => {
      const reason = '/number must be a whole number from 0 to 2147483647, as its filter'
      for (const number of [0, 999_999_999, 2_147_483_647]) {
        assert.equal(problemOf({ number }), undefined)
      }
      for (const number of [-1, 2_147_483_648, 2 ** 53]) assert.equal(problemOf({ number }), reason)
    })

    it('tells values that are only beyond a bound from other problems', () => {
      const isBeyond = (changed: object) =>
        checkRecord(checked, { ...value, ...changed }).map((each) => each.isBeyond === true)
      const long = 'x'.repeat(70_000)
      for (const changed of [
        ...[{ name: long }, { note: long }, { number: -1 }, { rows: [{ name: long }] }],
        ...[{ extra: long }, { extra: { [long]: 1 } }, { amount: '1'.repeat(39) }],
      ]) {
        assert.deepEqual(isBeyond(changed), [true])
      }
      for (const changed of [
        ...[{ place: long }, { name: `${long}\u0000` }, { number: 2 ** 53 }, { number: -0.5 }],
        ...[{ extra: { a: `\u0000${long}` } }, { name: null }],
      ]) {
        assert.deepEqual(isBeyond(changed), [false])
      }
      assert.deepEqual(isBeyond({ extra: { [long]: '\u0000' } }), [true, false])
      assert.deepEqual(isBeyond({ extra: { '\u0000': '\u0000' } }), [false])
      assert.deepEqual(isBeyond({ amount: '1.' }), [false])
    })

    it('has no other bounds for fields alone', () => {
      const fields = { place: kinds.text(), number: kinds.integer() }
      assert.deepEqual(checkRecord({ fields }, { place: 'x'.repeat(2_000), number: -1 }), [])
    })
  })

  it('null is accepted where the field allows it', () => {
    const value = { it: null }
    assert.deepEqual(checkRecord({ fields: { it: kinds.text() } }, value), [
      { pointer: '/it', reason: 'must not be null', value: null },
    ])
    assert.deepEqual(checkRecord({ fields: { it: kinds.nullable(kinds.text()) } }, value), [])
  })

  it('a record is an object with these fields and no other', () => {
    const fields = { a: kinds.flag(), b: kinds.flag() }
    for (const value of [null, [], 'a', 7, undefined]) {
      assert.deepEqual(checkRecord({ fields }, value), [
        { pointer: '', reason: 'must be an object', value },
      ])
    }
    assert.deepEqual(checkRecord({ fields }, { b: 1, 'c/~d': 2, toString: 3 }), [
      { pointer: '/a', reason: 'is missing', value: undefined },
      { pointer: '/b', reason: 'must be true or false', value: 1 },
      { pointer: '/c~1~0d', reason: 'is not a field', value: 2 },
      { pointer: '/toString', reason: 'is not a field', value: 3 },
    ])
    const inherited = Object.create({ a: true, b: true })
    assert.equal(checkRecord({ fields: { a: kinds.flag() } }, inherited)[0]?.reason, 'is missing')
  })

  it('what is inside is named by its place', () => {
    const fields = {
      texts: kinds.texts(),
      object: kinds.object({ a: kinds.flag() }),
      objects: kinds.objects({ a: kinds.flag() }),
      any: kinds.any(),
    }
    const value = {
      texts: ['a', 7, 'b\u0000'],
      object: { a: 1 },
      objects: [{ a: true }, { a: 1 }, null],
      any: { 'x/y': [1, '\u0000'], ['__proto__' as string]: 1, 'n\u0000': 2, deep: { d: 2 ** 53 } },
    }
    const problems = checkRecord({ fields }, value).map(({ pointer, reason }) => [pointer, reason])
    assert.deepEqual(problems, [
      ['/texts/1', 'must be a string'],
      ['/texts/2', nul],
      ['/object/a', 'must be true or false'],
      ['/objects/1/a', 'must be true or false'],
      ['/objects/2', 'must be an object'],
      ['/any/x~1y/1', nul],
      ['/any/__proto__', 'is not a name a field may have'],
      ['/any/n\u0000', nul],
      ['/any/deep/d', large],
    ])
    const [, problem] = checkRecord({ fields }, value)
    assert.equal(problem?.value, 'b\u0000')
  })

  it('nesting ends at 64 levels, in arrays and in objects', () => {
    const inObjects = (levels: number): unknown => (levels === 0 ? 1 : { a: inObjects(levels - 1) })
    const reasons = (value: unknown) =>
      checkRecord({ fields: { it: kinds.any() } }, { it: value }).map(({ reason }) => reason)
    assert.deepEqual(reasons(nested(65)), ['is nested deeper than 64 levels'])
    assert.deepEqual(reasons(inObjects(64)), [])
    assert.deepEqual(reasons(inObjects(65)), ['is nested deeper than 64 levels'])
    assert.deepEqual(reasons(nested(500)), ['is nested deeper than 64 levels'])
  })
})
