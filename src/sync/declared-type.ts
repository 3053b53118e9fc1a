import type { DeclaredType } from '#mapping'
import type { SchemaColumn } from './source-schema.ts'

/** The type of a column, by how PostgreSQL, MySQL and MariaDB write it. */
export const declaredType = ({ type, isNullable }: SchemaColumn): DeclaredType => {
  const [, digits] = /\(\d+, *(\d+)\)/.exec(type) ?? []
  const isNumeric = /^(numeric|decimal)/.test(type)
  // Without digits after the decimal sign, MySQL has none, and PostgreSQL as many as are written.
  const scale = isNumeric && digits !== undefined ? Number(digits) : null
  const kind = kinds.find(([pattern]) => pattern.test(type))?.[1] ?? 'text'
  return { kind: kind === 'decimal' && scale === 0 ? 'whole' : kind, scale, isNullable }
}

const kinds: readonly (readonly [RegExp, DeclaredType['kind']])[] = [
  [/\[\]$/, 'json'],
  [/^(bool|tinyint\(1\)|bit\(1\)$)/, 'flag'],
  [/^((small|big|medium|tiny)?int\d?\b|integer|(small|big)?serial|oid|year)/, 'whole'],
  [/^(numeric|decimal|float|double|real)/, 'decimal'],
  [/^money/, 'money'],
  [/^(timestamp|datetime)/, 'time'],
  [/^date/, 'date'],
  [/^uuid/, 'uuid'],
  [/^json/, 'json'],
]
