import { foldText } from '#contract'
import { units } from '../units.ts'

/** Units that `Intl` has names of, with their codes of UN/CEFACT Recommendation 20. */
const namedUnits: { readonly [unit: string]: string } = {
  acre: 'ACR',
  centimeter: 'CMT',
  day: 'DAY',
  foot: 'FOT',
  'fluid-ounce': 'OZA',
  gallon: 'GLL',
  gram: 'GRM',
  hour: 'HUR',
  inch: 'INH',
  kilogram: 'KGM',
  kilometer: 'KMT',
  liter: 'LTR',
  meter: 'MTR',
  mile: 'SMI',
  milliliter: 'MLT',
  millimeter: 'MMT',
  minute: 'MIN',
  month: 'MON',
  ounce: 'ONZ',
  percent: 'P1',
  pound: 'LBR',
  second: 'SEC',
  week: 'WEE',
  yard: 'YRD',
  year: 'ANN',
}

/**
 * Other names and abbreviations in English and German, with the unit keys of a common ERP system.
 * Packages have the codes of Recommendation 21 with an X before them.
 */
const otherNames: { readonly [code: string]: string } = {
  C62: 'pc|pcs|pce|pces|piece|pieces|stk|stck|stück|stueck|stücke|st|unit|units|un|nos',
  EA: 'each|ea',
  PR: 'pair|pairs|prs|paar|paare|paa',
  DZN: 'dozen|dozens|doz|dz|dtz|dutzend',
  GRO: 'gross',
  SET: 'set|sets|satz|garnitur',
  CEN: 'hundred|hundert',
  MIL: 'thousand|tausend|tsd|mille',
  CMT: 'zentimeter',
  DMT: 'dm|decimetre|decimeter|dezimeter',
  MTR: 'mtr|mtrs|lfm|laufmeter|laufende meter|running meter|running metre',
  KMT: 'km',
  INH: 'inch|zoll|"|″',
  FOT: "'|′|fuss",
  YRD: 'yds|yrd|yrds',
  MTK: 'm2|qm|sqm|square metre|square meter|quadratmeter',
  CMK: 'cm2|qcm|sqcm|square centimetre|square centimeter|quadratzentimeter',
  FTK: 'ft2|sqft|sq ft|square foot|square feet',
  YDK: 'yd2|sqyd|square yard|square yards',
  MTQ: 'm3|cbm|cubic metre|cubic meter|kubikmeter',
  DMQ: 'dm3|cdm|cubic decimetre|kubikdezimeter',
  CMQ: 'cm3|ccm|cubic centimetre|cubic centimeter|kubikzentimeter',
  FTQ: 'ft3|cuft|cft|cu ft|cubic foot|cubic feet',
  LTR: 'ltr|litre|litres',
  CLT: 'cl|centilitre|centiliter|zentiliter',
  HLT: 'hl|hectolitre|hectoliter|hektoliter',
  MGM: 'mg|milligram|milligrams|milligramm',
  GRM: 'grms|gramme|grammes',
  KGM: 'kgs|kilo|kilos',
  TNE: 't|to|mt|tonne|tonnes|tonnen|metric ton|metric tons|metric tonne',
  LBR: 'lbs|pfund',
  ONZ: 'ounces|unze',
  DAY: 'tg|d',
  WEE: 'wk|wks',
  MON: 'mon',
  ANN: 'yr|yrs',
  XBG: 'bag|bags|beutel|sack',
  XBX: 'box|boxes|bx|schachtel',
  XCS: 'case|cases|kiste',
  XCT: 'carton|cartons|ctn|ctns|karton|kartons|kar',
  XPK: 'package|packages|pack|packs|pk|pkg|pak|packung|paket|pkt',
  XPX: 'pallet|pallets|palette|paletten|pal|plt',
  XRO: 'roll|rolls|rolle|rollen|rol',
}

/** Codes of units of measure in use that have no other name here. */
const otherCodes = `
  H87 NPR TPR DPC DPR DZP GGR SCO KT AS SW LEF NMP HC T3 HEA 4H LM HA NMI X1 MMK DMK KMK H18 INK INQ
  YDQ BFT GLI OZI CGM HGM DTN GRN STI STN LTN DAD QAN`

/** The codes by name and by code. */
let codes: Map<string, string> | undefined

/** The code of a unit's name or abbreviation; null if it is unknown or has several meanings. */
export const unitCodeOf = (text: string): string | null => {
  codes ??= codesByName()
  return codes.get(keyOf(text)) ?? null
}

const codesByName = (): Map<string, string> => {
  const byName = new Map<string, string>()
  const add = (name: string, code: string) => {
    const key = keyOf(name)
    if (key !== '' && !byName.has(key)) byName.set(key, code)
  }
  const all = [
    ...Object.values(namedUnits),
    ...Object.keys(otherNames),
    ...otherCodes.trim().split(/\s+/),
  ]
  for (const code of all) add(code, code)
  for (const [code, names] of Object.entries(otherNames))
    for (const name of names.split('|')) add(name, code)
  for (const [unit, code] of Object.entries(namedUnits))
    for (const name of intlNames(unit)) add(name, code)
  return byName
}

const intlNames = (unit: string): readonly string[] =>
  ['en', 'en-GB', 'de'].flatMap((language) =>
    (['long', 'short'] as const).flatMap((unitDisplay) => {
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay })
      return [1, 2].map((count) => {
        const parts = format.formatToParts(count)
        return parts.find(({ type }) => type === 'unit' || type === 'percentSign')?.value ?? ''
      })
    }),
  )

const keyOf = (text: string): string => foldText(text).replace(/\.$/, '')

/** The name of a unit that values can be converted from, as in `units`; null if it has none. */
export const unitNameOf = (text: string): string | null => {
  if (Object.hasOwn(units, text)) return text
  const code = unitCodeOf(text)
  return (code && unitNames[code]) ?? null
}

const unitNames: { readonly [code: string]: string } = {
  ...{ MGM: 'mg', GRM: 'g', KGM: 'kg', TNE: 't', ONZ: 'oz', LBR: 'lb' },
  ...{ MMT: 'mm', CMT: 'cm', MTR: 'm', INH: 'in', FOT: 'ft', YRD: 'yd' },
  ...{ CMQ: 'ccm', LTR: 'l', DMQ: 'l', MTQ: 'cbm', FTQ: 'cuft' },
  ...{ P1: 'percent', DAY: 'days', WEE: 'weeks' },
  ...{ C62: 'pieces', H87: 'pieces', EA: 'pieces', PR: 'pairs', NPR: 'pairs' },
  ...{ DZN: 'dozens', DPC: 'dozens', GRO: 'gross' },
}
