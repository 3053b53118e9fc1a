import type { Kind } from './fields.ts'
import { amountFormat, dateFormat, type Format, timestampFormat, uuidFormat } from './formats.ts'

/** What a value is in JSON. `string` has a format or is any text; `any` may also be null. */
export type ValueType = 'string' | 'integer' | 'boolean' | 'any' | 'strings' | 'object' | 'objects'

export interface ValueRule {
  readonly type: ValueType
  /** For a `string` that cannot be any text. */
  readonly format?: Format
}

/**
 * What the value of a field must be, by its kind: the one definition that `checkRecord` (over
 * values), `compileCanonicalScanner` (over bytes) and `canonicalRecord` follow. A rule that is added
 * here holds for all of them.
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
