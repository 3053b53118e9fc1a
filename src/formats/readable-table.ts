import {
  type Catalog,
  currencyDigits,
  currencyOf,
  type Field,
  type JsonValue,
  type Kind,
  type Labels,
  leafFields,
  type Resource,
  resourceAt,
  type ValuePath,
  valueAt,
  zoneOffsetAt,
} from '#contract'
import type { CellLook, Column, ShownReference, ValuesOf } from './column.ts'
import { namePlanOf, referencedName, referenceTo } from './record-names.ts'

/** What a table of records has. */
export interface ShownTable {
  readonly name: string
  readonly columns: readonly Column[]
  readonly references: readonly ShownReference[]
  /** The fields of records that it reads; null for all. */
  readonly fields: readonly string[] | null
}

export interface ReadableOptions {
  readonly labels: Labels
  /** The fields that it shows; null for all. */
  readonly fields: readonly string[] | null
  readonly timezone: string
  readonly baseCurrency: string
}

/** A column, and the references that its values come from. */
interface Part {
  readonly column: Column
  readonly references: readonly ShownReference[]
}

interface Leaf {
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
}

/** The currency of amounts. */
interface Currency {
  /** Different for different sources. */
  readonly source: string
  readonly label: string
  readonly read: Column['read']
  readonly references: readonly ShownReference[]
}

/** A table for people: names instead of identifiers, in their language. */
export const readableTable = (
  catalog: Catalog,
  resource: Resource,
  options: ReadableOptions,
): ShownTable => {
  const { labels, fields } = options
  const leaves = leafFields(resource.fields)
  const shown = leaves.filter(({ path }) => !fields || fields.includes(path[0] ?? ''))
  const readable = shown.filter(({ field }) => !identities.has(field.kind))
  // A file needs a column.
  const parts = partsOf(catalog, resource, readable.length > 0 ? readable : shown, options)
  const own = parts.flatMap(({ column }) => column.field)
  return {
    name: labels.groupTitle(resource),
    columns: parts.map(({ column }) => column),
    references: parts.flatMap(({ references }) => references),
    fields: fields && [...new Set([...fields, ...own])],
  }
}

/** Identifiers that no record names: its own, and those of users. */
const identities: ReadonlySet<Kind> = new Set(['id', 'person'])

const partsOf = (
  catalog: Catalog,
  resource: Resource,
  leaves: readonly Leaf[],
  options: ReadableOptions,
): readonly Part[] => {
  const currencies = new Map(
    leaves.flatMap(({ name, field }) => {
      const currency =
        field.kind === 'amount' ? currencyBeside(catalog, resource, name, options) : null
      return currency ? [[name, currency] as const] : []
    }),
  )
  const sources = new Map([...currencies.values()].map((each) => [each.source, each]))
  const isAmbiguous = new Set([...sources.values()].map(({ label }) => label)).size < sources.size
  const begun = new Set<string>()
  return leaves.flatMap((leaf): readonly Part[] => {
    // Its own currency is beside the first amount.
    if (sources.has(leaf.name)) return []
    const currency = currencies.get(leaf.name)
    const part = partOf(catalog, leaf, currency, options)
    if (!currency || begun.has(currency.source)) return [part]
    begun.add(currency.source)
    const { label, read, references, source } = currency
    const name = isAmbiguous ? `${label} (${part.column.name})` : label
    const field = resource.fields[source] ? source : part.column.field
    return [part, { column: { name, field, kind: 'text', read }, references }]
  })
}

const currencyBeside = (
  catalog: Catalog,
  resource: Resource,
  name: string,
  { labels, baseCurrency }: ReadableOptions,
): Currency | null => {
  const rule = currencyOf(catalog, resource, name)
  if (!rule) return null
  const { currency } = rule
  if (currency === null) {
    const label = labels.field('baseCurrencyCode')
    return { source: 'brand.', label, read: () => baseCurrency, references: [] }
  }
  return {
    source: [...currency.references.map(({ field }) => field), currency.field].join('.'),
    label: labels.field(currency.field),
    read: (record, valuesOf) => valueThrough(currency, record, valuesOf),
    references: referencesThrough(currency),
  }
}

const referencesThrough = ({ references, field }: ValuePath): readonly ShownReference[] => {
  const [first, ...rest] = references
  if (!first) return []
  const further = referencesThrough({ references: rest, field })
  const fields = rest.length === 0 ? [field] : []
  return [{ path: [first.field], to: first.collection, fields, further }]
}

const valueThrough = (
  { references, field }: ValuePath,
  record: JsonValue,
  valuesOf: ValuesOf,
): JsonValue => {
  let value: unknown = record
  for (const step of references) {
    const id = valueAt(value, step.field)
    value = typeof id === 'string' ? valuesOf(step.collection, id) : null
  }
  return valueAt(value, field)
}

const partOf = (
  catalog: Catalog,
  { path, field }: Leaf,
  currency: Currency | undefined,
  options: ReadableOptions,
): Part => {
  const { labels } = options
  const [top = ''] = path
  const name = path.map(labels.field).join(': ')
  if (field.kind === 'ref' && field.to !== undefined) {
    const { to } = field
    const plan = namePlanOf(catalog, resourceAt(catalog, to))
    const read: Column['read'] = (record, valuesOf) =>
      referencedName(record, path, to, plan, valuesOf)
    const references = [referenceTo(path, to, plan)]
    return { column: { name, field: top, kind: 'text', read }, references }
  }
  const show = showsByKind[field.kind](field, options)
  const column: Column = {
    name,
    field: top,
    kind: show.kind ?? field.kind,
    read: (record) => {
      const value = valueAt(record, path)
      return value === null ? null : show.read(value)
    },
    look: lookOf(field, currency),
  }
  return { column, references: currency?.references ?? [] }
}

/** How a value is written, and as what kind if not its own. */
interface Show {
  readonly kind?: Kind
  readonly read: (value: JsonValue) => JsonValue
}

const asItIs = (): Show => ({ read: (value) => value })
const inWords = (_: Field, { labels }: ReadableOptions): Show => ({
  kind: 'text',
  read: (value) => wordsOf(value, labels),
})

const showsByKind: Record<Kind, (field: Field, options: ReadableOptions) => Show> = {
  id: asItIs,
  ref: asItIs,
  person: asItIs,
  text: ({ values = [] }, { labels }) => ({
    read: (value) => (values.includes(String(value)) ? labels.value(String(value)) : value),
  }),
  integer: asItIs,
  flag: asItIs,
  amount: asItIs,
  date: asItIs,
  timestamp: (_, { timezone }) => {
    const offsetAt = createOffsets(timezone)
    return { read: (value) => localTime(String(value), offsetAt) }
  },
  any: inWords,
  texts: inWords,
  object: inWords,
  objects: inWords,
}

/** A value of any shape as one text: `Size: M, Waist: 80; Size: L, Waist: 84`. */
const wordsOf = (value: JsonValue, labels: Labels): string => {
  if (value === null) return '–'
  if (Array.isArray(value)) {
    const isFlat = value.every((each) => typeof each !== 'object')
    return value.map((each) => wordsOf(each, labels)).join(isFlat ? ', ' : '; ')
  }
  if (typeof value !== 'object') return String(value)
  return Object.entries(value)
    .map(([name, each]) => `${labels.field(name)}: ${wordsOf(each, labels)}`)
    .join(', ')
}

/** A time of the brand's zone without the name of the zone, as spreadsheets have it. */
const localTime = (text: string, offsetAt: (instant: number) => number): string => {
  const instant = Date.parse(text)
  if (Number.isNaN(instant)) return text
  const local = new Date(instant + offsetAt(instant) * 1_000)
  return Number.isNaN(local.getTime()) ? text : local.toISOString().slice(0, 19).replace('T', ' ')
}

const quarterMs = 900_000
const offsetsMax = 10_000

/** Offsets of a zone, which change only between quarters of an hour. */
const createOffsets = (timezone: string) => {
  const offsets = new Map<number, number>()
  return (instant: number): number => {
    const quarter = Math.floor(instant / quarterMs)
    const cached = offsets.get(quarter)
    if (cached !== undefined) return cached
    if (offsets.size >= offsetsMax) offsets.clear()
    const offset = zoneOffsetAt(timezone, instant)
    offsets.set(quarter, offset)
    return offset
  }
}

const plain: CellLook = {}
const local: CellLook = { isLocal: true }
const grouped: CellLook = { isGrouped: true }
const percent: CellLook = { isPercent: true }

const lookOf = (
  { kind, measure }: Field,
  currency: Currency | undefined,
): NonNullable<Column['look']> => {
  if (kind === 'date' || kind === 'timestamp') return () => local
  if (measure === 'percent') return () => percent
  if (measure === 'quantity') return () => grouped
  if (measure !== 'money' && measure !== 'unitPrice') return () => plain
  return (record, valuesOf) => {
    const code = currency?.read(record, valuesOf)
    return typeof code === 'string' ? { isGrouped: true, decimals: currencyDigits(code) } : grouped
  }
}
