/** Codes: which values are valid, and what is said of the others, on every way in. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import {
  type Code,
  catalog,
  codedFields,
  codeRules,
  compileCanonicalScanner,
  compileCodeCheck,
  coordinate,
  type Field,
  nullable,
  text,
} from '#contract'
import { recordsAt } from '../support/model.ts'

interface CodeCase {
  readonly valid: readonly string[]
  /** With the reason of each. */
  readonly invalid: { readonly [text: string]: string }
}

const country = 'is not an ISO 3166-1 alpha-2 code'
const currency = 'is not an ISO 4217 code'
const gtin = 'must have 8, 12, 13 or 14 digits'
const hex = 'must be # and six hexadecimal digits such as #1F2A44'
const zone = 'is not an IANA time zone such as Europe/Berlin'
const offset = 'is an offset: use an IANA time zone such as Europe/Berlin'
const container = 'must have four capital letters and seven digits such as MSKU9070323'
const locode = 'must be a country code and three characters such as PTLEI'
const url = 'is not a URL that begins with https:// or http://'

const cases: Record<Code, CodeCase> = {
  country: {
    // Kosovo has no official code.
    valid: ['DE', 'US', 'GB', 'TW', 'SS', 'XK'],
    invalid: {
      GERMANY: `${country}: use DE`,
      Germany: `${country}: use DE`,
      'Vereinigtes Königreich': `${country}: use GB`,
      USA: `${country}: use US`,
      UK: `${country}: use GB`,
      EL: `${country}: use GR`,
      ' DE': `${country}: use DE`,
      de: 'must be in upper case: DE',
      EU: `${country} such as DE`,
      AN: `${country} such as DE`,
      XX: `${country} such as DE`,
      '': `${country} such as DE`,
      D\u00c9: `${country} such as DE`,
      'DE"': `${country} such as DE`,
    },
  },
  currency: {
    valid: ['EUR', 'USD', 'CNY', 'DEM', 'ITL', 'VES', 'XXX', 'XTS', 'XAU', 'HRK', 'CHE', 'ZWL'],
    invalid: {
      Dollar: `${currency} such as EUR`,
      'US Dollar': `${currency}: use USD`,
      '€': `${currency}: use EUR`,
      RMB: `${currency}: use CNY`,
      eur: 'must be in upper case: EUR',
      XYZ: `${currency} such as EUR`,
      ['EUR'.repeat(50)]: `${currency} such as EUR`,
    },
  },
  incoterm: {
    valid: ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'],
    invalid: {
      fob: 'must be in upper case: FOB',
      DAT: 'is not an Incoterms 2020 code: use DPU',
      'FOB Porto': 'is not an Incoterms 2020 code such as FOB',
    },
  },
  hts: {
    valid: ['610910', '6109.10', '6109 10 00 12', '6109-10-0012', '6109100012'],
    invalid: {
      '61091': 'must have 6 to 10 digits',
      '61091000123': 'must have 6 to 10 digits',
      '6109.10.x': 'must have 6 to 10 digits',
    },
  },
  gtin: {
    valid: ['96385074', '036000291452', '4006381333931', '00012345600012'],
    invalid: {
      '4006381333932': 'ends with the check digit 2 instead of 1',
      '96385070': 'ends with the check digit 0 instead of 4',
      '036000291450': 'ends with the check digit 0 instead of 2',
      '00012345600011': 'ends with the check digit 1 instead of 2',
      '123': gtin,
      '4006381 333931': gtin,
      '4٠06381333931': gtin,
    },
  },
  gln: {
    valid: ['4012345000009', '0000000000000'],
    invalid: {
      '123': 'must have 13 digits',
      '4012345000000': 'ends with the check digit 0 instead of 9',
      '96385074': 'must have 13 digits',
    },
  },
  sscc: {
    valid: ['106141412345678908', '376104250021234569'],
    invalid: {
      '106141412345678900': 'ends with the check digit 0 instead of 8',
      '(00)106141412345678908': 'must have 18 digits',
    },
  },
  container: {
    valid: ['CSQU3054383', 'CSQU 305438-3', 'MSKU9070323', 'MSKU 907.032-3'],
    invalid: {
      CSQU3054384: 'ends with the check digit 4 instead of 3',
      csqu3054383: container,
      CSQ3054383: container,
    },
  },
  imo: {
    valid: ['9074729', '9811000'],
    invalid: {
      '9074728': 'ends with the check digit 8 instead of 9',
      'IMO 9074729': 'must have seven digits such as 9074729',
    },
  },
  hex: { valid: ['#1F2A44', '#1f2a44'], invalid: { '1F2A44': hex, '#FFF': hex, '#1F2A4G': hex } },
  timezone: {
    valid: ['UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'Etc/GMT+5'],
    invalid: { 'Mars/Olympus': zone, '': zone, '+01:00': offset, '-05': offset, 'GMT+1': zone },
  },
  latitude: {
    valid: ['90', '-90', '0', '41.15', '90.00', '-89.99999999999999999999'],
    invalid: Object.fromEntries(
      ['999', '-90.001', '90.0000000000000001', '-90.0000000000000001'].map((text) => [
        text,
        'must be from -90 to 90',
      ]),
    ),
  },
  longitude: {
    valid: ['180', '-180', '-8.61'],
    invalid: { '180.5': 'must be from -180 to 180' },
  },
  locode: {
    valid: ['PTLEI', 'DEHAM', 'USLA2', 'XZ2AB'],
    invalid: { nonsense: locode, 'DE HAM': locode, deham: locode, QQHAM: locode, DEHA1: locode },
  },
  language: {
    valid: ['en', 'de', 'pt', 'zh', 'tl'],
    invalid: {
      EN: 'must be in lower case: en',
      German: 'is not an ISO 639-1 code: use de',
      'de-DE': 'is not an ISO 639-1 code such as en',
      xx: 'is not an ISO 639-1 code such as en',
    },
  },
  email: {
    valid: ['rui@costa.example', 'a.b+c@mail.costa.example', 'jörg@müller.example'],
    invalid: {
      'rui at costa.example': 'is not an e-mail address',
      'rui@costa': 'is not an e-mail address',
      'a@b@c.example': 'is not an e-mail address',
    },
  },
  url: {
    valid: [
      'https://costa.example',
      'HTTP://costa.example/a',
      'https://a.example/{trackingNumber}',
    ],
    invalid: { 'www.costa.example': url, 'ftp://costa.example': url, 'https://a b.example': url },
  },
}

const fieldOf = (code: Code): Field =>
  code === 'latitude' || code === 'longitude' ? coordinate(code) : text({ code })

/** Whether the bytes of a record with this value are recognised as canonical. */
const isRecognised = (field: Field, value: string): boolean => {
  const scanner = compileCanonicalScanner(
    { fields: { value: field } },
    { wanted: [], wantedBytes: 0, isUtf8 },
  )
  const bytes = Buffer.from(JSON.stringify({ value }))
  // Twice, because a valid value is remembered.
  const ends = [0, 1].map(() => scanner?.endOf(bytes, 0) === bytes.length)
  assert.equal(ends[0], ends[1])
  return ends[0] === true
}

describe('codes', () => {
  for (const [code, { valid, invalid }] of Object.entries(cases) as [Code, CodeCase][]) {
    const field = fieldOf(code)
    const { severity } = codeRules[code]
    const check = compileCodeCheck({ value: field, list: nullable(field) }, severity)

    it(`of ${code} are valid or have a reason, and bytes are judged like values`, () => {
      assert.ok(valid.length > 1 && Object.keys(invalid).length > 0)
      for (const value of valid) {
        assert.deepEqual(check({ value, list: null }), [], value)
        assert.ok(isRecognised(field, value), value)
      }
      for (const [value, reason] of Object.entries(invalid)) {
        const expected = [{ code, pointer: '/value', value, reason }]
        assert.deepEqual(check({ value, list: null }), expected, value)
        // The way in does not check the codes that are warnings.
        assert.equal(isRecognised(field, value), severity === 'warning', value)
      }
    })
  }

  it('are found in objects and lists, and at most 20 in a list', () => {
    const inner = { country: text({ code: 'country' }) }
    const fields = {
      one: { kind: 'object', nullable: false, fields: inner },
      many: { kind: 'objects', nullable: false, fields: inner },
    } as const
    const check = compileCodeCheck(fields, 'error')
    const record = { one: { country: 'x' }, many: [{ country: 'DE' }, { country: 'y' }] }
    assert.deepEqual(
      check(record).map(({ pointer }) => pointer),
      ['/one/country', '/many/1/country'],
    )
    const long = { one: { country: 'DE' }, many: Array(1_000).fill({ country: 'x' }) }
    assert.equal(check(long).length, 20)
  })

  it('are known by every name of a currency or country that the runtime has', () => {
    const names = new Intl.DisplayNames('en', { type: 'currency', fallback: 'none' })
    for (const code of Intl.supportedValuesOf('currency')) {
      assert.equal(codeRules.currency.problem(code), undefined, code)
      assert.notEqual(codeRules.currency.problem(names.of(code) ?? ''), undefined, code)
    }
    assert.equal(codeRules.country.list?.().codes.size, 250)
  })

  it('of the demo are valid', () => {
    let values = 0
    for (const resource of catalog.resources) {
      const checks = (['error', 'warning'] as const).map((severity) =>
        compileCodeCheck(resource.fields, severity),
      )
      if (codedFields(resource.fields).length === 0) continue
      for (const record of recordsAt(resource.path)) {
        for (const check of checks) assert.deepEqual(check(record), [], resource.path)
        values += 1
      }
    }
    assert.ok(values > 100, `${values} records`)
  })

  it('have fields, each of them', () => {
    const used = new Set(
      catalog.resources.flatMap(({ fields }) => codedFields(fields).map(({ code }) => code)),
    )
    assert.deepEqual([...used].sort(), Object.keys(codeRules).sort())
  })
})
