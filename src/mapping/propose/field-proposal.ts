import type { Field, LeafField } from '#contract'
import { bestColumn, isSame, type Match } from './column-match.ts'
import type { ColumnProfile } from './column-profile.ts'
import { type MadeField, made } from './made-field.ts'
import type { Certainty, Formats } from './proposal.ts'
import { type FieldParts, referenceProposal } from './reference-proposal.ts'
import { fieldWords, wordsOf } from './words.ts'
import { quoted } from './yaml-text.ts'

/** Proposes an expression for a field; null if the field stays null. */
export const fieldProposal = (leaf: LeafField, parts: FieldParts): MadeField | null => {
  const { columns, subject, key, formats } = parts
  const { name, field } = leaf
  if (field.kind === 'id') return made(`{ key: [${key.map(quoted).join(', ')}] }`, 'likely', key)
  if (field.kind === 'ref') return referenceProposal(leaf, parts)
  const match = bestColumn(leaf, columns, subject)
  if (match) return columnProposal(field, match, formats)
  if (name === 'createdAt') return made('first-seen', 'certain')
  if (name === 'updatedAt') return made('last-changed', 'certain')
  if (field.nullable || field.kind === 'any') return null
  if (name === 'slug') {
    const own = columns.find((each) =>
      isSame(
        wordsOf(each.name).filter((word) => !subject.includes(word)),
        ['name'],
      ),
    )
    const from = own ? [own.name] : key
    return made(`{ join: [${from.map(quoted).join(', ')}], apply: [slug] }`, 'likely', from)
  }
  if ((fieldWords[name] ?? []).join() === 'number' && key.length > 0) {
    const [only = ''] = key
    const joined = `{ join: [${key.map(quoted).join(', ')}], with: '-' }`
    return made(key.length === 1 ? quoted(only) : joined, 'likely', key)
  }
  if (['name', 'label'].includes(name) && key.length > 0) {
    return made(`{ join: [${key.map(quoted).join(', ')}] }`, 'open', key, 'no column has a name')
  }
  return made(
    `{ value: ${placeholder(field)} }`,
    'open',
    [],
    'no column has this; the same value for every row',
  )
}

const placeholder = (field: Field): string => {
  if (field.values) return field.values[0] ?? "''"
  if (field.code === 'currency') return 'EUR'
  if (field.code === 'country') return 'DE'
  return placeholders[field.kind] ?? 'unknown'
}

const placeholders: { readonly [kind: string]: string } = {
  integer: '0',
  amount: '0',
  flag: 'false',
  date: '2026-01-01',
  timestamp: '2026-01-01T00:00:00.000Z',
  texts: '[]',
  objects: '[]',
  person: '00000000-0000-4000-8000-000000000000',
}

const columnProposal = (
  field: Field,
  { column, certainty, unit }: Match,
  formats: Formats,
): MadeField => {
  const name = quoted(column.name)
  const used = [column.name]
  if (unit) return made(`{ column: ${name}, unit: ${unit} }`, certainty, used)
  if (field.values) return valuesProposal(field.values, column, certainty)
  if (field.kind === 'date' || field.kind === 'timestamp') {
    const { datePatterns } = column
    const [first] = datePatterns
    const isCommon =
      column.isDate ||
      first === undefined ||
      first === 'yyyy-MM-dd' ||
      datePatterns.includes(formats.date ?? '')
    if (isCommon) return made(name, certainty, used)
    return made(`{ column: ${name}, ${field.kind}: ${quoted(first)} }`, certainty, used)
  }
  if (field.code === 'country' || field.code === 'currency') {
    const isUpper = column.values.every((value) => value === value.toUpperCase())
    return made(isUpper ? name : `{ column: ${name}, apply: [upper] }`, certainty, used)
  }
  const isRight = field.kind !== 'integer' && field.kind !== 'amount'
  const style = column.numberFormats[0]
  const { decimal, group } = formats.number
  const isOfFile =
    isRight || column.numberFormats.some((each) => each.decimal === decimal && each.group === group)
  if (isOfFile || !style || !column.values.some((value) => /[.,]/.test(value)))
    return made(name, certainty, used)
  const grouped = style.group ? `, group: ${quoted(style.group)}` : ''
  return made(`{ column: ${name}, decimal: ${quoted(style.decimal)}${grouped} }`, certainty, used)
}

/** A table of the sample values, each with the most similar allowed value. */
const valuesProposal = (
  allowed: readonly string[],
  { name, values }: ColumnProfile,
  certainty: Certainty,
): MadeField => {
  const nameOf = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '_')
  if (values.every((value) => allowed.includes(nameOf(value))))
    return made(quoted(name), certainty, [name])
  const [first = ''] = allowed
  const guesses = values.map((value) => {
    const letters = nameOf(value)
    const similar =
      allowed.find((each) => each === letters) ??
      allowed.find((each) => letters.length > 0 && each.startsWith(letters))
    return [value, similar ?? first] as const
  })
  const table = guesses.map(([value, meaning]) => `${quoted(value)}: ${meaning}`).join(', ')
  return made(
    `{ column: ${quoted(name)}, values: { ${table} } }`,
    'open',
    [name],
    `say what each means: ${allowed.join(', ')}`,
  )
}
