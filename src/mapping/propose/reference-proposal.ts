import type { LeafField } from '#contract'
import { isSame } from './column-match.ts'
import type { ColumnProfile } from './column-profile.ts'
import { type MadeField, made } from './made-field.ts'
import type { Certainty, Formats } from './proposal.ts'
import { subjects, wordsOf } from './words.ts'
import { quoted } from './yaml-text.ts'

/** The inputs for proposing the fields of a collection. */
export interface FieldParts {
  readonly columns: readonly ColumnProfile[]
  /** The words of the collection. */
  readonly subject: readonly string[]
  readonly key: readonly string[]
  readonly formats: Formats
  readonly references: References
}

/** Facts about the collections that a table refers to. */
export interface References {
  /** Whether a collection is proposed. */
  readonly isProposed: (collection: string) => boolean
  /** Whether a collection is proposed from another table. */
  readonly isElsewhere: (collection: string) => boolean
  /** The foreign keys to a collection's table: their columns, in the order of its key. */
  readonly foreignKeys: (collection: string) => readonly (readonly string[])[]
  /** The number of key columns of a proposed collection. */
  readonly keyLength: (collection: string) => number
  /** The number of fields that refer to a collection. */
  readonly fieldsTo: (collection: string) => number
}

/** A reference by a foreign key, or by a column with the target's number. */
export const referenceProposal = (leaf: LeafField, parts: FieldParts): MadeField | null => {
  const { field, name } = leaf
  const { columns, key, subject: own, references } = parts
  const to = field.to ?? ''
  if (field.nullable && !references.isProposed(to)) return null
  const subject = subjects[to]
  const role = wordsOf(name.replace(/Id$/, ''))
  const target = subject ?? role
  // A plain column does not mean a specific role, such as the default location.
  const isPlain = isSame(role, target)
  const reference = (names: readonly string[], certainty: Certainty, note = ''): MadeField => {
    const [only = ''] = names
    const isIdentifier =
      names.length === 1 && columns.some((each) => each.name === only && each.isUuid)
    return isIdentifier
      ? made(quoted(only), certainty, names, note)
      : made(
          `{ ref: { collection: ${to}, key: [${names.map(quoted).join(', ')}] } }`,
          certainty,
          names,
          note,
        )
  }
  const foreign = foreignKeyOf(references, to, role, target)
  const isOnly = !field.nullable && references.fieldsTo(to) === 1
  if (foreign) return reference(foreign, isPlain || isOnly ? 'certain' : 'likely')
  const column = columns.find(
    ({ name: each }) => isNumberOf(each, role) || isNumberOf(each, target),
  )
  if (column && (isPlain || !field.nullable))
    return reference([column.name], isPlain ? 'certain' : 'likely')
  if (field.nullable) return null
  const joined = joinedKey(columns, target)
  if (joined) return reference(joined, 'likely', `the key of ${to}, as its words say`)
  if (references.isElsewhere(to)) {
    const [first = ''] = key
    const names = Array.from({ length: references.keyLength(to) }, (_, at) => key[at] ?? first)
    return reference(names, 'open', `no column has the key of ${to}: join the rows that have it`)
  }
  const parentKey =
    subject && key.length > 1 && own.length > 1 && subject.every((word) => own.includes(word))
      ? key.slice(0, -1)
      : key
  return reference(parentKey, subject ? 'likely' : 'open', `no column has the key of ${to}`)
}

/** The foreign key for a field: the one whose columns have similar names, or the only one. */
const foreignKeyOf = (
  references: References,
  to: string,
  role: readonly string[],
  target: readonly string[],
): readonly string[] | undefined => {
  const keys = references.foreignKeys(to)
  const named = keys.find((names) => names.some((each) => isNumberOf(each, role)))
  if (named) return named
  const own = role.filter((word) => !target.includes(word))
  if (own.length > 0) {
    const meant = keys.find((names) =>
      names.some((each) => own.some((word) => wordsOf(each).includes(word))),
    )
    if (meant) return meant
    return keys.length === 1 && references.fieldsTo(to) === 1 ? keys[0] : undefined
  }
  return keys.find((names) => names.some((each) => isNumberOf(each, target))) ?? keys[0]
}

const isNumberOf = (column: string, words: readonly string[]): boolean => {
  const written = wordsOf(column)
  return isSame(written, [...words, 'number']) || isSame(written, words)
}

/** A key of several words with a column for each: a style and a colour. */
const joinedKey = (
  columns: readonly ColumnProfile[],
  words: readonly string[],
): readonly string[] | null => {
  if (words.length < 2 || words.includes('line')) return null
  const names = words.map((word) => columns.find(({ name }) => isNumberOf(name, [word]))?.name)
  return names.every((name) => name !== undefined) ? names : null
}
