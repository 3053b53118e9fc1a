import { composeText } from '#contract'
import { partsOf } from './expression-parts.ts'
import type { BrandValues, CollectionMapping, Expression, ValueSource } from './mapping.ts'

/*
 * What a mapping takes from the records of its brand: values of the brand itself, and records that it
 * looks up by other fields than their keys. All of it is read before rows are mapped, and can be posted
 * to a thread.
 */
export interface MappingContext {
  /** Null if no expression uses it, or for shared records. */
  readonly brand: BrandValues | null
  /** By `lookupName`. */
  readonly lookups: ReadonlyMap<string, LookupTable>
  /** Another one if stored records that are looked up have changed; empty without lookups. */
  readonly version: string
}

export const noContext: MappingContext = { brand: null, lookups: new Map(), version: '' }

/** Records of a collection by values of some fields. */
export interface Lookup {
  readonly collection: string
  /** Dotted names, in the order of the mapping. */
  readonly fields: readonly string[]
}

export const lookupName = ({ collection, fields }: Lookup): string =>
  [collection, ...fields].join(' ')

/** Finds records by a text without upper case: `Map` is one. */
export interface LookupTable {
  get(folded: string): readonly FoundRecord[] | undefined
}

/** A record with such a text, as it is written there. */
export type FoundRecord = readonly [text: string, id: string]

/** The values of a record as the text that it is found by; null if one of them is missing. */
export const lookupText = (values: readonly (string | null)[]): string | null => {
  if (values.includes(null)) return null
  const texts = values.map((value) => composeText(String(value)))
  return texts.length === 1 ? (texts[0] as string) : JSON.stringify(texts)
}

export const foldLookup = (text: string): string => text.toLowerCase()

/** What the mappings of an import need. */
export interface ContextNeeds {
  /** Where a value of the brand is used first; null if none is. */
  readonly brand: BrandUse | null
  readonly lookups: readonly LookupUse[]
}

interface MappingPlace {
  readonly file: string
  readonly line: number
}

/** Rounding to the currency of a record uses that of the brand only if the record has none. */
interface BrandUse extends MappingPlace {
  readonly isOptional: boolean
}

/** A lookup, and the place of the mapping that has it first. */
export interface LookupUse extends Lookup, MappingPlace {}

export const contextNeeds = (mappings: readonly CollectionMapping[]): ContextNeeds => {
  const lookups = new Map<string, LookupUse>()
  let brand: BrandUse | null = null
  const addNeeds = ({ source, round, unit }: Expression, file: string, line: number) => {
    if (source.kind === 'brand' && brand?.isOptional !== false) {
      brand = { file, line, isOptional: false }
    }
    if (round && 'currency' in round) brand ??= { file, line, isOptional: true }
    if (source.kind === 'lookup') {
      const lookup = lookupOf(source)
      const name = lookupName(lookup)
      if (!lookups.has(name)) lookups.set(name, { ...lookup, file, line })
    }
    if (unit) addNeeds(unit.from, file, line)
    for (const part of partsOf(source)) addNeeds(part, file, line)
  }
  for (const { file, fields } of mappings) {
    for (const { value, line } of fields) addNeeds(value, file, line)
  }
  return { brand, lookups: [...lookups.values()] }
}

export const needsContext = ({ brand, lookups }: ContextNeeds): boolean =>
  brand !== null || lookups.length > 0

export const lookupOf = ({
  collection,
  by,
}: Extract<ValueSource, { readonly kind: 'lookup' }>): Lookup => ({
  collection,
  fields: by.map(({ name }) => name),
})

/** The same mapping with some of its fields alone. */
export const withFields = (
  { keep: _, ...mapping }: CollectionMapping,
  names: readonly string[],
): CollectionMapping => ({
  ...mapping,
  fields: mapping.fields.filter(({ field }) => names.includes(field)),
})

/** A lookup has more records than fit into memory. */
export class LookupLimitError extends Error {}

/** Records and characters of one table, which is in memory: at most about 200 MB. */
export const lookupLimits = { recordsMax: 500_000, charactersMax: 50_000_000 }

/** Collects the records of a lookup. */
export interface LookupBuilder {
  /** Adds a record, unless one with its id was added or removed before. Throws a `LookupLimitError`. */
  add(id: string, values: readonly (string | null)[]): void
  /** Leaves the record with an id out. */
  remove(id: string): void
  readonly table: ReadonlyMap<string, readonly FoundRecord[]>
  /** The records that were added or removed. */
  readonly ids: ReadonlySet<string>
}

export const createLookupBuilder = (
  { collection, fields, file, line }: LookupUse,
  { recordsMax, charactersMax } = lookupLimits,
): LookupBuilder => {
  const table = new Map<string, FoundRecord[]>()
  const ids = new Set<string>()
  let characters = 0
  return {
    table,
    ids,
    remove: (id) => void ids.add(id),
    add: (id, values) => {
      if (ids.has(id)) return
      ids.add(id)
      const text = lookupText(values)
      if (text === null) return
      characters += text.length
      if (ids.size > recordsMax || characters > charactersMax) {
        throw new LookupLimitError(
          `${file}:${line} ${collection} has more records than one can be looked up among by ${fields.join(' and ')} (${recordsMax.toLocaleString('en')}): refer to them by their key, with ref`,
        )
      }
      const folded = foldLookup(text)
      const records = table.get(folded)
      if (records) records.push([text, id])
      else table.set(folded, [[text, id]])
    },
  }
}
