import { iso31661 } from 'iso-3166/1.js'
import { foldText } from './fold.ts'

/** A list of codes. Built when first used: most processes check none. */
export interface CodeList {
  readonly codes: ReadonlySet<string>
  /** The code of a name, or the one to use in place of a wrong code. */
  codeOf(name: string): string | undefined
}

type Alias = readonly [name: string, code: string]

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
      return byName.get(foldText(name))
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
    const folded = foldText(name ?? '')
    if (!byName.has(folded)) byName.set(folded, code)
  }
  for (const [name, code] of aliases) add(name, code)
  for (const language of type === null ? [] : nameLanguages) {
    const names = new Intl.DisplayNames(language, { type: type ?? 'region', fallback: 'none' })
    for (const code of codes) add(names.of(code), code)
  }
  byName.delete('')
  return byName
}

const once = (create: () => CodeList): (() => CodeList) => {
  let list: CodeList | undefined
  return () => {
    list ??= create()
    return list
  }
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
    ]),
    ['UK', 'GB'],
    ['EL', 'GR'],
    ['England', 'GB'],
    ['Great Britain', 'GB'],
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

/** ISO 4217, including former currencies: old records keep theirs. */
export const currencyList = once(() =>
  createList(
    [...Intl.supportedValuesOf('currency'), ...otherCurrencies.trim().split(/\s+/)],
    'currency',
    [
      ['€', 'EUR'],
      ['£', 'GBP'],
      ['US$', 'USD'],
      ['RMB', 'CNY'],
      ['CNH', 'CNY'],
    ],
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
