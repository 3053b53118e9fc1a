/*
 * What people call the names of the contract. English labels are derived from the names; those of
 * other languages are vocabularies, which are loaded when they are used.
 */
import { inWords } from './describe.ts'
import type { Resource } from './resource.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The languages of labels. */
export const labelLanguages = ['en', 'de'] as const
export type LabelLanguage = (typeof labelLanguages)[number]

/** Abbreviations that labels write in capitals. */
const abbreviations = /\b(bom|gln|gtin|hts|iata|id|imo|mid|mime|moq|scac|sku|sscc|ui|url)(?=s?\b)/gi

const inCapitals = (words: string): string =>
  words.replace(abbreviations, (word) => word.toUpperCase())

/** A name of the contract as a label: `htsCode` becomes `HTS code`. */
export const labelOf = (name: string): string =>
  inCapitals(inWords(name))
    .replace(/\bex factory\b/, 'ex-factory')
    .replace('Ontime', 'On-time')
    .replace('Sha256', 'SHA-256')
    .replace('Un locode', 'UN/LOCODE')
    .replace(/ line(?=\d)/, ' line ')

/** The label of a field. A reference is called by what it refers to: `supplierId` is `Supplier`. */
export const fieldLabelOf = (name: string): string => labelOf(name.replace(/(?<=.)Id$/, ''))

/** `Order Items` */
export const groupTitleOf = ({ group }: Resource): string => inCapitals(group)

/** A value such as `partially_paid` as people read it, if there is no vocabulary. */
export const valueLabelOf = (value: string): string => value.replaceAll('_', ' ')

/** The names of the contract in a language. */
export interface Labels {
  readonly groupTitle: (resource: Resource) => string
  /** By the name of the field. */
  readonly field: (name: string) => string
  readonly value: (value: string) => string
}

/** Loads the names of a language. */
export const loadLabels = async (language: LabelLanguage): Promise<Labels> =>
  labelsOf(language === 'de' ? (await import('./german/index.ts')).german : null)

/** The names of a vocabulary; null for English. */
const labelsOf = (vocabulary: Vocabulary | null): Labels => {
  const named = (names: { readonly [name: string]: string } | undefined, name: string) =>
    names && Object.hasOwn(names, name) ? names[name] : undefined
  return {
    groupTitle: (resource) => vocabulary?.groups[resource.path]?.[0] ?? groupTitleOf(resource),
    field: (name) => named(vocabulary?.fields, fieldLabelOf(name)) ?? fieldLabelOf(name),
    value: (value) => named(vocabulary?.values, value) ?? valueLabelOf(value),
  }
}
