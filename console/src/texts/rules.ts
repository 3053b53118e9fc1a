/**
 * Translations of the business rules. The server sends English: the rule, the remedy, and a detail
 * with values for each record. Other languages have tables by rule.
 */
import type { Finding } from '../../../client/src/index.ts'
import { groupAt } from '../contract.ts'
import { amountText, dayText, momentText, moneyText } from '../figures.ts'
import { fieldLabel, groupTitle, valueLabel } from './contract.ts'
import { type Language, language } from './index.ts'

/** By the id of the rule. */
export interface RuleSentences {
  readonly [rule: string]: {
    /** Null for the sentence and the remedy that the server sends. */
    readonly sentence: string | null
    readonly remedy: string | null
    /**
     * By the English detail, with `{}` for each value. The values keep their order. `{label}` is a
     * status or another declared value. `{code}` is a value that stays unchanged even if it looks
     * like a number. `{money}` is two values: an amount and its currency. Numbers and dates use the
     * viewer's locale.
     */
    readonly details: { readonly [english: string]: string }
  }
}

const germanRules = async (): Promise<RuleSentences> => (await import('./de/rules/index.ts')).rules

/** Loaded when findings are shown. The server sends English, with values as they are stored. */
const sentences: Record<Language, () => Promise<RuleSentences>> = {
  en: async () => englishOf(await germanRules()),
  de: germanRules,
}

/** The English details, with the kinds of values that another language says. */
const englishOf = (all: RuleSentences): RuleSentences =>
  Object.fromEntries(
    Object.entries(all).map(([rule, { details }]) => {
      const own = Object.entries(details).map(([from, to]) => [from, withKinds(from, to)])
      return [rule, { sentence: null, remedy: null, details: Object.fromEntries(own) }]
    }),
  )

const withKinds = (english: string, other: string): string => {
  let [text, rest] = ['', english]
  for (const [slot] of other.matchAll(slots)) {
    const at = rest.indexOf('{}')
    text += rest.slice(0, at) + slot
    rest = rest.slice(at + (slot === '{money}' ? '{} {}' : '{}').length)
  }
  return text + rest
}

type ValueKind = 'label' | 'code' | 'money' | undefined

const slots = /\{(label|code|money)?\}/g

export const loadRuleSentences = (): Promise<RuleSentences> => sentences[language()]()

/** A text, with `lang` set to `en` if it is English on a page in another language. */
export interface RuleText {
  readonly text: string
  readonly lang?: 'en'
}

const english = (text: string): RuleText => ({ text, lang: 'en' })

type FoundRule = Pick<Finding, 'rule' | 'sentence' | 'remedy'>

/** The texts of every rule about a unique key, whose id is its name: `orders.orderNumber`. */
export const keyRule = '{group}.{fields}'

/** The texts of a rule; undefined in English. */
export const textsOf = (all: RuleSentences, rule: string): RuleSentences[string] | undefined => {
  const template = all[keyRule]
  const [path = '', names] = rule.split('.')
  if (all[rule] || !template || names === undefined) return all[rule]
  const group = groupAt(path)
  const labels = names.split('+').map((name) => {
    const field = group?.fields.find((each) => each.name === name)
    return field ? fieldLabel(field) : name
  })
  const fill = (text: string) =>
    text
      .replaceAll('{group}', group ? groupTitle(group) : path)
      .replaceAll('{fields}', labels.join(' + '))
      .replaceAll('{names}', names.replaceAll('+', ' and '))
  return {
    sentence: template.sentence && fill(template.sentence),
    remedy: template.remedy && fill(template.remedy),
    details: Object.fromEntries(
      Object.entries(template.details).map(([from, to]) => [fill(from), fill(to)]),
    ),
  }
}

export const ruleSentence = (all: RuleSentences, { rule, sentence }: FoundRule): RuleText => {
  const own = textsOf(all, rule)
  return own?.sentence ? { text: own.sentence } : english(sentence)
}

export const ruleRemedy = (all: RuleSentences, { rule, remedy }: FoundRule): RuleText => {
  const own = textsOf(all, rule)
  return own?.remedy ? { text: own.remedy } : english(remedy)
}

/** The detail of a record. A detail from an earlier server version may stay in English. */
export const ruleDetail = (all: RuleSentences, rule: string, detail: string): RuleText => {
  const templates = Object.entries(textsOf(all, rule)?.details ?? {})
  const text =
    translateList(templates, detail) ??
    // A value may contain a comma.
    templates.map(([from, to]) => translateOne(from, to, detail, '.+?')).find(isText)
  return text === undefined ? english(detail) : { text }
}

type Template = readonly [from: string, to: string]

const isText = (text: string | undefined): text is string => text !== undefined

/** Some details are comma-separated lists: `a is missing, b is there twice`. */
const translateList = (templates: readonly Template[], detail: string): string | undefined => {
  for (const [from, to] of templates) {
    const whole = translateOne(from, to, detail, '[^,]+?')
    if (whole !== undefined) return whole
    const commas = from.split(',').length
    const parts = detail.split(', ')
    if (parts.length <= commas) continue
    const first = translateOne(from, to, parts.slice(0, commas).join(', '), '[^,]+?')
    const rest = first && translateList(templates, parts.slice(commas).join(', '))
    if (rest) return `${first}, ${rest}`
  }
  return undefined
}

const translateOne = (
  from: string,
  to: string,
  detail: string,
  value: string,
): string | undefined => {
  const pattern = from.split('{}').map(escapePattern).join(`(${value})`)
  const match = new RegExp(`^${pattern}$`).exec(detail)
  if (!match) return undefined
  let place = 0
  const next = () => {
    place += 1
    return match[place] ?? ''
  }
  return to.replace(slots, (_, kind: ValueKind) =>
    kind === 'money' ? amountIn(next(), next()) : valueText(next(), kind),
  )
}

const amountIn = (amount: string, currency: string): string => {
  if (amount === none) return valueText(none, undefined)
  return moneyText(amount, currency === none ? null : currency)
}

const valueText = (text: string, kind: ValueKind): string => {
  if (text === none) return '–'
  if (kind !== undefined) return kind === 'label' ? valueLabel(text) : text
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayText(text)
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) ? momentText(text) : amountText(text)
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The server's word for a missing value. */
const none = 'none'
