/** Names of countries, currencies and units as other systems write them, and their codes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CodeKind, codeOf } from '../../src/mapping/codes/code-of.ts'
import { unitNameOf } from '../../src/mapping/codes/unit-codes.ts'
import { unitOfMeasure, units } from '../../src/mapping/units.ts'
import { recordsAt } from '../support/model.ts'

const cases: Record<CodeKind, { readonly [code: string]: readonly string[] }> = {
  country: {
    DE: ['DE', 'de', 'DEU', 'Germany', 'GERMANY', 'Deutschland', 'Allemagne', ' Germany '],
    AT: ['Austria', 'Österreich', 'Oesterreich', 'AUT'],
    US: ['USA', 'U.S.A.', 'U.S.', 'United States', 'the United States of America', 'Etats-Unis'],
    GB: ['UK', 'U.K.', 'England', 'Scotland', 'Großbritannien', 'GROSSBRITANNIEN', 'Great Britain'],
    CN: ['China', 'P.R. China', 'PRC', 'China, P.R.', "People's Republic of China", '中国'],
    KR: ['South Korea', 'Korea, Republic of', 'Republic of Korea', 'Südkorea', 'Suedkorea'],
    CI: ["Côte d'Ivoire", 'Côte d’Ivoire', 'COTE D IVOIRE', 'Ivory Coast', 'Elfenbeinküste'],
    TR: ['Turkey', 'Türkiye', 'Türkei', 'Turquía'],
    VN: ['Vietnam', 'Viet Nam'],
    CZ: ['Czech Republic', 'Czechia', 'Tschechien'],
    NL: ['Holland', 'The Netherlands', 'Niederlande'],
    HK: ['Hong Kong', 'Hongkong', 'Hong Kong SAR'],
    PH: ['Philippines', 'Philippinen'],
  },
  currency: {
    EUR: ['EUR', 'eur', 'Euro', 'Euros', '€'],
    USD: ['US Dollar', 'US Dollars', 'US-Dollar', 'U.S. Dollar', 'US$'],
    GBP: ['British Pound', 'Pound Sterling', 'Pfund Sterling', '£'],
    CNY: ['RMB', 'Renminbi', 'Chinese Yuan', 'Yuan Renminbi'],
    CHF: ['Swiss Franc', 'Swiss Francs', 'Schweizer Franken'],
    PLN: ['Złoty', 'Zloty', 'zł', 'Polish Zloty'],
    DEM: ['DEM', 'Deutsche Mark'],
  },
  unit: {
    C62: ['pcs', 'Stk.', 'Stück', 'STUECK', 'ST', 'Piece', 'C62'],
    EA: ['EA', 'each'],
    PR: ['pair', 'Paar', 'PAA', 'PR'],
    DZN: ['Dutzend', 'doz.', 'DZN'],
    KGM: ['kg', 'KG', 'kgs', 'Kilogramm', 'kilograms', 'KGM'],
    LBR: ['lb', 'LBS', 'pounds', 'Pfund'],
    MTR: ['m', 'M', 'metre', 'meters', 'Meter', 'lfm'],
    MTK: ['m²', 'm2', 'qm', 'Quadratmeter'],
    MTQ: ['m³', 'cbm', 'CBM'],
    INH: ['in', 'inches', 'Zoll', '"'],
    XCT: ['Karton', 'CTN'],
    WEE: ['Woche', 'Wochen', 'weeks'],
  },
}

const unknown: Record<CodeKind, readonly string[]> = {
  country: ['', ' ', 'EU', 'Bavaria', 'n/a', 'constructor', '__proto__', 'D'.repeat(5_000)],
  currency: ['', '$', '¥', 'kr', 'Dollar', 'Rupee', 'XYZ', '100', 'toString'],
  unit: ['', 'gr', 'foo', '12', 'hasOwnProperty', 'k'.repeat(5_000)],
}

describe('codeOf', () => {
  for (const kind of ['country', 'currency', 'unit'] as const) {
    it(`finds the code of each ${kind}`, () => {
      for (const [code, names] of Object.entries(cases[kind]))
        for (const name of names) assert.equal(codeOf(kind, name), code, name)
    })

    it(`finds none of what is no ${kind}, or means several`, () => {
      for (const name of unknown[kind]) assert.equal(codeOf(kind, name), null, name)
    })
  }

  it('finds each unit of measure of the demo by its own code', () => {
    const codes = recordsAt('units-of-measure').map(({ code }) => String(code))
    assert.ok(codes.length > 50)
    for (const code of codes) assert.equal(codeOf('unit', code), code)
  })
})

describe('unitNameOf', () => {
  it('finds the units that a mapping converts from, as other systems write them', () => {
    for (const [text, name] of Object.entries({
      ...{ KG: 'kg', Gramm: 'g', LBS: 'lb', GRM: 'g', t: 't', Tonne: 't', oz: 'oz' },
      ...{ MM: 'mm', Zoll: 'in', Meter: 'm', 'm³': 'cbm', Liter: 'l', '%': 'percent' },
      ...{ Stk: 'pieces', Paar: 'pairs', Dutzend: 'dozens', Wochen: 'weeks', Tage: 'days' },
    })) {
      assert.equal(unitNameOf(text), name, text)
    }
  })

  it('finds each by its own name, and only those', () => {
    const names = Object.keys(units)
    assert.ok(names.length > 20)
    for (const name of names) assert.equal(unitNameOf(name), name)
    for (const text of ['Hektar', 'Karton', 'constructor', ''])
      assert.equal(unitNameOf(text), null, text)
    assert.equal(unitOfMeasure.weightKg, 'kg')
  })
})
