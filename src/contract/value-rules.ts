import type { Kind } from './fields.ts'
import { amountFormat, dateFormat, type Format, timestampFormat, uuidFormat } from './formats.ts'
import { limits } from './limits.ts'
import type { Resource } from './resource.ts'

/** The JSON type of a value. `string` has a format or is any text; `any` may also be null. */
export type ValueType = 'string' | 'integer' | 'boolean' | 'any' | 'strings' | 'object' | 'objects'

export interface ValueRule {
  readonly type: ValueType
  /** For a `string` with restricted content. */
  readonly format?: Format
}

/**
 * The rule for a field's value, by kind. `checkRecord` (over values), `compileCanonicalScanner`
 * (over bytes) and `canonicalRecord` all follow this one definition.
 */
export const valueRules: Record<Kind, ValueRule> = {
  id: { type: 'string', format: uuidFormat },
  ref: { type: 'string', format: uuidFormat },
  person: { type: 'string', format: uuidFormat },
  text: { type: 'string' },
  integer: { type: 'integer' },
  flag: { type: 'boolean' },
  amount: { type: 'string', format: amountFormat },
  date: { type: 'string', format: dateFormat },
  timestamp: { type: 'string', format: timestampFormat },
  any: { type: 'any' },
  texts: { type: 'strings' },
  object: { type: 'object' },
  objects: { type: 'objects' },
}

/** A resource, or only some fields, whose values then have the bounds of their kinds alone. */
export type CheckedResource = Pick<Resource, 'fields'> &
  Partial<Pick<Resource, 'key' | 'filters' | 'sortable'>>

/** The bound of a value that an engine looks up or sorts by. */
export interface Bound {
  /** Characters of a text. They are code points, as in `maxLength` of JSON Schema. */
  readonly characters: number
  /** Whether an integer must be in the range of its filter. */
  readonly hasFilter: boolean
  /** Whether the value is a part of the identity. */
  readonly isIdentity: boolean
}

export type Bounds = ReadonlyMap<string, Bound>

/** The bounds of a resource's fields by JSON pointer. Fields without one have that of their kind. */
export const boundsOf = (resource: CheckedResource): Bounds => {
  const cached = cachedBounds.get(resource)
  if (cached) return cached
  const { key = [], filters = [], sortable = [] } = resource
  const { identityCharacters, indexedCharacters } = limits.bounds
  const filtered = filters.flatMap(({ field }) => field ?? [])
  const bounds = new Map(
    [...filtered, ...sortable, ...key].map((path) => {
      const isIdentity = key.includes(path)
      const characters = isIdentity ? identityCharacters : indexedCharacters
      return [pointerAt(path), { characters, hasFilter: filtered.includes(path), isIdentity }]
    }),
  )
  cachedBounds.set(resource, bounds)
  return bounds
}

const cachedBounds = new WeakMap<object, Bounds>()

/** The JSON pointer of a dotted path. */
export const pointerAt = (path: string): string => `/${path.replaceAll('.', '/')}`
