import { iso31661 } from 'iso-3166/1.js'
import { foldText } from './fold.ts'

/** A list of codes. Built when first used: most processes check none. */
export interface CodeList {
  readonly codes: ReadonlySet<string>
  /** The code of a name, or the one to use in place of a wrong code. */
  codeOf(name: string): string | undefined
}

type Alias = readonly [name: string, code: string]

/** Longer names can be plurals: `Euros`, `US Dollars`. */
const pluralMin = 4

/** Languages of the names that are recognised. */
const nameLanguages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl']

const createList = (
  codes: Iterable<string>,
  type: 'region' | 'currency' | 'language' | null,
  aliases: readonly Alias[],
): CodeList => {
  const all = new Set(codes)
  let byName: Map<string, string> | undefined
  return {
    codes: all,
    codeOf: (name) => {
      byName ??= foldedNames(all, type, aliases)
      const key = nameKey(name)
      return (
        byName.get(key) ?? (key.length > pluralMin ? byName.get(key.replace(/s$/, '')) : undefined)
      )
    },
  }
}

/** The codes by name. If two have the same name, the first one has it. */
const foldedNames = (
  codes: ReadonlySet<string>,
  type: 'region' | 'currency' | 'language' | null,
  aliases: readonly Alias[],
): Map<string, string> => {
  const byName = new Map<string, string>()
  const add = (name: string | undefined, code: string) => {
    const key = nameKey(name ?? '')
    if (!byName.has(key)) byName.set(key, code)
  }
  for (const [name, code] of aliases) add(name, code)
  for (const language of type === null ? [] : nameLanguages) {
    const names = new Intl.DisplayNames(language, { type: type ?? 'region', fallback: 'none' })
    for (const code of codes) {
      const name = names.of(code)
      add(name, code)
      if (language === 'de')
        add(
          name?.replace(umlaut, (letter) => transcribed[letter] ?? letter),
          code,
        )
    }
  }
  byName.delete('')
  return byName
}

/** German names are also written without umlauts: `Oesterreich`. */
const transcribed: { readonly [letter: string]: string } = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue' },
  ...{ Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' },
}
const umlaut = /[äöüÄÖÜ]/g

const aliasesOf = (names: { readonly [code: string]: string }): readonly Alias[] =>
  Object.entries(names).flatMap(([code, list]) =>
    list.split('|').map((name): Alias => [name, code]),
  )

/** A name without case, accents and punctuation: `U.S.A.`, `Korea (Republic of)`, `Côte d’Ivoire`. */
const nameKey = (name: string): string =>
  foldText(name)
    .replace(/[.'’`´]/g, '')
    .replace(/[\s,()/_-]+/g, ' ')
    .trim()
    .replace(/^the (?=.)/, '')

const once = (create: () => CodeList): (() => CodeList) => {
  let list: CodeList | undefined
  return () => {
    list ??= create()
    return list
  }
}

/** Names of countries in use that neither ISO 3166-1 nor `Intl` lists. */
const otherCountryNames: { readonly [code: string]: string } = {
  AE: 'UAE|VAE|Emirates',
  BA: 'Bosnia|Bosnien',
  BY: 'Weißrussland',
  CD: 'DR Congo|Congo Dem Rep|Congo Kinshasa|DR Kongo',
  CI: 'Ivory Coast|Cote d Ivoire|Elfenbeinküste|Elfenbeinkueste',
  CN: 'PR China|PRC|China PR|P R China|P R C|VR China|Volksrepublik China|People’s Republic of China|Mainland China|中国',
  CZ: 'Czech Republic|Tschechische Republik',
  DE: 'BRD|Bundesrepublik Deutschland|Federal Republic of Germany',
  GB: 'UK|U K|England|Scotland|Schottland|Wales|Northern Ireland|Nordirland|Great Britain|Gt Britain|Great Britain UK|Großbritannien',
  GR: 'EL',
  HK: 'Hong Kong SAR|Hongkong',
  IE: 'Republic of Ireland|Republik Irland|Eire',
  JP: '日本',
  KR: 'Korea|Korea South|Republic of South Korea|대한민국',
  MK: 'Macedonia|Mazedonien|FYROM',
  MM: 'Burma|Birma|Myanmar Burma',
  MO: 'Macau|Macao SAR',
  MD: 'Moldawien',
  NL: 'Holland',
  PS: 'Palestine',
  RU: 'Russische Föderation',
  SK: 'Slovak Republic|Slowakische Republik',
  SZ: 'Swaziland',
  TL: 'East Timor|Osttimor',
  TR: 'Turkey|Republic of Turkey|Republic of Türkiye',
  TT: 'Trinidad',
  TW: 'Taiwan ROC|台灣',
  US: 'US|U S|U S A|United States of America|Vereinigte Staaten von Amerika|Amerika',
  VA: 'Vatican',
}

/**
 * ISO 3166-1 alpha-2, and XK: Kosovo has no official code. Customs, banks and carriers use this
 * one, which the standard leaves to its users.
 */
export const countryList = once(() =>
  createList([...iso31661.map(({ alpha2 }) => alpha2), 'XK'], 'region', [
    ...iso31661.flatMap(({ alpha2, alpha3, name }): readonly Alias[] => [
      [alpha3, alpha2],
      [name, alpha2],
      // Korea, Republic of; but not Bonaire, Sint Eustatius and Saba.
      ...(/^[^,]+, [^,]+ of( the)?$/.test(name)
        ? [[name.split(', ').reverse().join(' '), alpha2] as const]
        : []),
    ]),
    ...aliasesOf(otherCountryNames),
  ]),
)

/**
 * Codes of ISO 4217 that `Intl` does not list: former currencies, funds, metals, and the codes for
 * tests and for no currency.
 */
const otherCurrencies = `
  ADP AFA ALK ANG AOK AON AOR ARA ARL ARM ARP ARY ATS AYM AZM BAD BAN BEC BEF BEL BGJ BGK BGL BGM
  BGN BGO BOL BOP BOV BRB BRC BRE BRN BRR BRZ BUK BYB BYR CHC CHE CHW CLE CLF CNX COU CSD CSJ CSK
  CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE GWP HRD HRK IEP
  ILP ILR ISJ ITL KRH KRO LAJ LSM LTL LTT LUC LUF LUL LVL LVR MAF MCF MDC MGF MKN MLF MRO MTL MTP
  MVP MVQ MXP MXV MZE MZM NIC NLG PEH PEI PES PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD
  SUR TJR TMM TPE TRL UAK UGS UGW USN USS UYI UYN UYP UYW VEB VED VEF VNC VNN XAG XAU XBA XBB XBC
  XBD XEU XFO XFU XPD XPT XRE XTS XUA XXX YDD YUD YUM YUN YUR ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR`

/**
 * Signs and short names of currencies. `$`, `¥` and `kr` stand for several currencies, and so do
 * Dollar, Peso, Rupee and Krone.
 */
const otherCurrencyNames: { readonly [code: string]: string } = {
  AED: 'UAE Dirham',
  AUD: 'A$|AU$',
  BDT: 'Taka|৳',
  BRL: 'R$',
  CAD: 'C$|CA$|Can$',
  CNY: 'RMB|CNH|Renminbi|Yuan|CN¥|元',
  CZK: 'Kč|Kc',
  EUR: '€',
  GBP: '£|Pound Sterling|Pounds Sterling|Sterling|GB Pound|UK Pound|Pfund Sterling|STG',
  HKD: 'HK$',
  HUF: 'Forint|Ft',
  IDR: 'Rupiah|Rp',
  INR: '₹',
  JPY: 'Yen|円|JP¥',
  KRW: '₩|Won',
  MXN: 'MX$|Mex$',
  NZD: 'NZ$',
  PLN: 'Zloty|zł',
  RUB: '₽',
  SGD: 'S$',
  THB: 'Baht|฿',
  TRY: 'TL|₺',
  TWD: 'NT$',
  UAH: 'Hryvnia|₴',
  USD: 'US$|U$S|U S Dollar|United States Dollar',
  VND: 'Dong|₫',
  ZAR: 'Rand',
}

/** ISO 4217, including former currencies: old records keep theirs. */
export const currencyList = once(() =>
  createList(
    [...Intl.supportedValuesOf('currency'), ...otherCurrencies.trim().split(/\s+/)],
    'currency',
    aliasesOf(otherCurrencyNames),
  ),
)

const letters = Array.from('abcdefghijklmnopqrstuvwxyz')

/** ISO 639-1: the pairs of letters that name a language, without replaced ones such as `iw`. */
export const languageList = once(() => {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const isLanguage = (pair: string) =>
    names.of(pair) !== undefined && Intl.getCanonicalLocales(pair)[0] === pair
  const pairs = letters.flatMap((first) => letters.map((second) => first + second))
  return createList([...pairs.filter(isLanguage), 'tl'], 'language', [])
})

/** Incoterms 2020. Terms of earlier editions stand for those that replaced them. */
export const incotermList = once(() =>
  createList(['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'], null, [
    ['DAT', 'DPU'],
    ['DEQ', 'DPU'],
    ['DAF', 'DAP'],
    ['DES', 'DAP'],
    ['DDU', 'DAP'],
    ['C&F', 'CFR'],
    ['CNF', 'CFR'],
  ]),
)
