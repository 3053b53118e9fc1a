import type { Kind } from './fields.ts'
import { amountFormat, dateFormat, type Format, timestampFormat, uuidFormat } from './formats.ts'

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
