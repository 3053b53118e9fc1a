import type { Field, Fields, FieldsRecord } from './fields.ts'
import { patterns } from './limits.ts'
import { type View, type ViewDefinition, viewOf } from './view.ts'

export type Endpoint = 'list' | 'get' | 'content'
export type Scope = 'brand' | 'shared'
export type Origin = 'specified' | 'designed'
export type FilterKind = 'identifier' | 'string' | 'integer'

/** The business areas of groups, in the order of the supply chain; what all of them use comes last. */
export const domains = [
  'orders',
  'catalog',
  'sourcing',
  'logistics',
  'finance',
  'network',
  'documents',
  'reference',
] as const

export type Domain = (typeof domains)[number]

/** The way a filter selects records: by a field, or through the rows of another collection. */
export interface Filter {
  readonly name: string
  readonly kind: FilterKind
  /** Path of the compared field: `status`, or `relationship.status` for a nested field. */
  readonly field?: string
  readonly through?: Through
}

/**
 * Selects the records whose `local` field is among the `match` values of the rows of `collection` whose
 * `where` field equals the value of the filter.
 */
export interface Through {
  readonly collection: string
  readonly match: string
  readonly where: string
  readonly local: string
}

/** A resource group, with defaults and derived properties. */
export interface Resource<P extends string = string, F extends Fields = Fields> {
  /** Name of the group in the specification. */
  readonly group: string
  /** Path segment of the collection. */
  readonly path: P
  /** Type name of the record. */
  readonly name: string
  readonly domain: Domain
  readonly scope: Scope
  readonly origin: Origin
  readonly summary: string
  readonly fields: F
  /** Named conditions. */
  readonly views: readonly View[]
  /** The conversion of its amounts to the brand's base currency. */
  readonly base?: BaseConversion
  /** The key fields, in order. Lists are ordered by them. */
  readonly key: readonly string[]
  /** Pattern of `{id}`; absent if the key has several fields. */
  readonly idPattern?: string
  /** Natural keys within a brand. */
  readonly unique: readonly (readonly string[])[]
  /** The field that is displayed as the title of a record. */
  readonly title?: string
  /** The reference to the parent record. */
  readonly parent?: string
  readonly filters: readonly Filter[]
  /** The fields that can sort its list and limit it to a range. */
  readonly sortable: readonly string[]
  /** The sortable date by which people want its list, latest first. Absent if none suits. */
  readonly newestFirst?: string
  /** The text fields that search covers: numbers, codes, names and references. */
  readonly searchable: readonly string[]
  readonly endpoints: readonly Endpoint[]
  /** The endpoints that the specification defines. The others are extensions of this project. */
  readonly specifiedEndpoints: readonly Endpoint[]
  /** The response of the `content` endpoint. */
  readonly content?: Content
  /** The field that `{brand}` in the path refers to. Set only for the brand itself. */
  readonly lookup?: string
}

/**
 * The fields with the value of a record's amounts in the brand's base currency. The rate applies to
 * the record's `currency`, and also to records whose amounts are in that currency.
 */
export interface BaseConversion {
  /** The field with the exchange rate: base currency per unit of the record's currency. */
  readonly rate?: string
  /** The reference to the document whose rate applies if the record has none. */
  readonly document?: string
  /** Amounts with a separate field for their base-currency value, which overrides the rate. */
  readonly amounts?: { readonly [amount: string]: string }
}

/** A response that is not a record: the temporary URL of an image. */
export interface Content {
  readonly name: string
  readonly summary: string
  readonly fields: Fields
}

type Name<F extends Fields> = keyof F & string

/** Names of the fields that a filter can compare. */
type FilterableName<F extends Fields> = {
  [N in Name<F>]: F[N]['kind'] extends FilterableKind ? N : never
}[Name<F>]

/** Names of the fields with a useful sort order. */
type SortableName<F extends Fields> = {
  [N in Name<F>]: F[N]['kind'] extends SortableKind ? N : never
}[Name<F>]

/** Names of the text fields. */
type TextName<F extends Fields> = {
  [N in Name<F>]: F[N]['kind'] extends 'text' ? N : never
}[Name<F>]

/** Paths of the fields inside the record's objects: `relationship.status`. */
type NestedName<F extends Fields> = {
  [N in Name<F>]: F[N] extends { readonly kind: 'object'; readonly fields: infer I extends Fields }
    ? `${N}.${FilterableName<I>}`
    : never
}[Name<F>]

/** Names of the fields that refer to a record. */
type ReferenceName<F extends Fields> = {
  [N in Name<F>]: F[N]['kind'] extends 'ref' ? N : never
}[Name<F>]

interface ThroughSource<F extends Fields> {
  readonly collection: string
  /** The field of that collection that refers to the record. */
  readonly match: string
  /** The field of the record to compare with `match`. Default: `id`. */
  readonly local?: Name<F>
}

type FilterEntry<F extends Fields> =
  | FilterableName<F>
  | readonly [name: string, source: NestedName<F> | ThroughSource<F>]

/** The filter for an entry of a definition. */
type FilterFrom<E> = Filter &
  (E extends readonly [infer N, infer S]
    ? S extends { readonly collection: infer C; readonly match: infer M }
      ? { readonly name: N; readonly through: Through & { collection: C; match: M; where: N } }
      : { readonly name: N; readonly field: S }
    : { readonly name: E; readonly field: E })

type FiltersFrom<X extends readonly unknown[]> = { readonly [I in keyof X]: FilterFrom<X[I]> }

interface Definition<P extends string, F extends Fields, K, X> {
  /** Default: the words of the path, as a title. */
  readonly group?: string
  readonly path: P
  readonly name: string
  readonly domain: Domain
  /** Default: `brand`. */
  readonly scope?: Scope
  /** Default: `designed`. */
  readonly origin?: Origin
  readonly summary: string
  readonly fields: F
  readonly views?: { readonly [name: string]: ViewDefinition }
  readonly base?: {
    readonly rate?: NoInfer<Name<F>>
    readonly document?: NoInfer<ReferenceName<F>>
    readonly amounts?: { readonly [amount: string]: NoInfer<Name<F>> }
  }
  /** Default: `['id']`. */
  readonly key?: K
  /** Default: the pattern of a UUID. */
  readonly idPattern?: string
  readonly unique?: readonly (readonly NoInfer<Name<F>>[])[]
  readonly title?: NoInfer<Name<F>>
  readonly parent?: NoInfer<ReferenceName<F>>
  /**
   * In the order of the documentation: the name of a field, `[name, path]` for a nested field, or
   * `[name, source]` for a filter through the rows of another collection whose field has that name.
   */
  readonly filters?: X
  /**
   * Each costs a column and an index. Two times are implicit: `deletedAt`, which views test on
   * every record, and the time of the last change: `updatedAt`, or `createdAt` for records that
   * never change.
   */
  readonly sortable?: readonly NoInfer<SortableName<F>>[]
  readonly newestFirst?: NoInfer<SortableName<F>>
  readonly searchable?: readonly NoInfer<TextName<F>>[]
  /** Default: `list`, and `get` if the key is a single field. */
  readonly endpoints?: readonly Endpoint[]
  readonly specifiedEndpoints?: readonly Endpoint[]
  readonly content?: Content
  readonly lookup?: NoInfer<Name<F>>
}

export const resource = <
  const P extends string,
  const F extends Fields,
  const K extends readonly NoInfer<Name<F>>[] = readonly ['id'],
  const X extends readonly NoInfer<FilterEntry<F>>[] = readonly [],
>(
  definition: Definition<P, F, K, X>,
) => {
  const key = definition.key ?? (['id'] as const)
  const { endpoints = key.length === 1 ? ['list', 'get'] : ['list'] } = definition
  return {
    group: titleOf(definition.path),
    scope: 'brand' as Scope,
    origin: 'designed' as Origin,
    unique: [],
    specifiedEndpoints: [],
    searchable: [],
    ...(key.length === 1 && { idPattern: patterns.id }),
    ...definition,
    endpoints,
    sortable: endpoints.includes('list') ? sortableOf(definition) : [],
    views: viewsOf(definition.views),
    key: key as K,
    filters: (definition.filters ?? []).map((entry) =>
      filterOf(definition.fields, entry),
    ) as unknown as FiltersFrom<X>,
  } satisfies Resource
}

/** `packing-lists` becomes `Packing Lists`. */
const titleOf = (path: string): string =>
  path.replaceAll(/(^|-)(.)/g, (_, hyphen, letter) => (hyphen && ' ') + letter.toUpperCase())

const viewsOf = (views: { readonly [name: string]: ViewDefinition } = {}): readonly View[] =>
  Object.entries(views).map(([name, view]) => viewOf(name, view))

/** The TypeScript type of a resource's record. */
export type RecordOf<R extends { readonly fields: Fields }> = FieldsRecord<R['fields']>

type FilterableKind = 'id' | 'ref' | 'person' | 'text' | 'date' | 'integer'

const filterKinds: Record<FilterableKind, FilterKind> = {
  id: 'identifier',
  ref: 'identifier',
  person: 'identifier',
  text: 'string',
  date: 'string',
  integer: 'integer',
}

/** The kinds of fields with a useful sort order. */
export type SortableKind = 'text' | 'integer' | 'amount' | 'date' | 'timestamp'

/** The declared fields, the deletion time and the time of the last change. */
const sortableOf = ({
  fields,
  sortable = [],
}: {
  readonly fields: Fields
  readonly sortable?: readonly string[]
}): readonly string[] => {
  const changed = ['updatedAt', 'createdAt'].find((name) => Object.hasOwn(fields, name))
  const times = ['deletedAt', changed].filter(
    (name) => name !== undefined && Object.hasOwn(fields, name) && !sortable.includes(name),
  ) as readonly string[]
  return [...sortable, ...times]
}

type AnyEntry =
  | string
  | readonly [string, string | (Omit<Through, 'where' | 'local'> & { local?: string })]

const filterOf = (fields: Fields, entry: AnyEntry): Filter => {
  if (typeof entry === 'string') return { name: entry, kind: kindAt(fields, entry), field: entry }
  const [name, source] = entry
  if (typeof source === 'string') return { name, kind: kindAt(fields, source), field: source }
  const { collection, match, local = 'id' } = source
  return { name, kind: 'identifier', through: { collection, match, where: name, local } }
}

const kindAt = (fields: Fields, path: string): FilterKind => {
  const kind = fieldAt(fields, path)?.kind
  return filterKinds[kind as FilterableKind]
}

/** The field at a path of names: `status`, `relationship.status`. */
export const fieldAt = (fields: Fields, path: string): Field | undefined => {
  const [first = '', ...rest] = path.split('.')
  const field = Object.hasOwn(fields, first) ? fields[first] : undefined
  return rest.length === 0 ? field : fieldAt(field?.fields ?? {}, rest.join('.'))
}
