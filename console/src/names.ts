import { facts, subjectGroups } from '../../src/contract/index.ts'
import type { Row } from './api.ts'
import { type Field, type Group, groupAt, shortId } from './contract.ts'
import { amountText, countText } from './figures.ts'
import { fieldLabel, groupSingular } from './texts/contract.ts'
import { texts } from './texts/index.ts'

/** Finds the record that a field refers to, if it is loaded. */
export type FindRecord = (row: Row, field: Field) => { group: Group; row: Row } | null

/** Finds the included record of a reference. */
export const recordBehind: FindRecord = (row, field) => {
  const group = field.to === null ? undefined : groupAt(field.to)
  const included = field.include === null ? undefined : row[field.include]
  return group && typeof included === 'object' && included !== null
    ? { group, row: included as Row }
    : null
}

interface NameOptions {
  readonly find?: FindRecord
  /** For a record shown next to its parent, with its quantity shown separately. */
  readonly short?: boolean
}

/**
 * The name of a record in the whole console: its title or its subject. A number alone is not
 * informative, so quantities and numbers follow their subject: `AM-1042-IND-M × 48`, `Q-2031 rev
 * 2`.
 */
export const nameOf = (group: Group, row: Row, options: NameOptions = {}): string =>
  nameAt(group, row, options, 0)

/** The maximum depth of names within names. */
const depthMax = 3

const nameAt = (group: Group, row: Row, options: NameOptions, depth: number): string => {
  const { find = recordBehind, short = false } = options
  const template = facts[group.path]?.title
  if (short && template) return filled(template, row)
  const own = textTitle(group, row)
  if (own !== null && !(short && template === '')) return own

  const targetName = (field: Field): string | null => {
    const target = depth < depthMax ? find(row, field) : null
    return target && nameAt(target.group, target.row, options, depth + 1)
  }
  if (short && template === '') {
    return firstOf(aboutFields(group), targetName) ?? own ?? groupSingular(group)
  }
  const subject = firstOf(subjectFields(group), targetName)
  const title = group.fields.find(({ name }) => name === group.titleField)
  const value = title && row[title.name]
  if (title === undefined) return joined(group, targetName) ?? withIdentity(group, row)
  if (isOrdinal(title) && value !== null && value !== undefined) {
    const kind = ordinalKind(group, title)
    const { names } = texts()
    if (subject === null) return `${kind} ${value}`
    return title.name === 'revisionNumber'
      ? names.revision(subject, String(value))
      : names.numbered(subject, kind, String(value))
  }
  if (title.kind === 'integer' && typeof value === 'number') {
    return `${subject ?? groupSingular(group)} × ${countText(value)}`
  }
  if (title.kind === 'amount' && typeof value === 'string') {
    return `${subject ?? groupSingular(group)} · ${amountText(value)}`
  }
  return subject ?? withIdentity(group, row)
}

/** The references to include for naming records of a group. */
export const includesForNames = (group: Group): string[] =>
  needed(group).flatMap(({ include }) => include ?? [])

/** Whether the title of a record is text, not a number. */
export const hasTextTitle = (group: Group): boolean =>
  group.fields.some(({ name, kind }) => name === group.titleField && kind === 'text')

const needed = (group: Group): readonly Field[] => {
  const title = group.fields.find(({ name }) => name === group.titleField)
  if (title === undefined) return keyReferences(group)
  return title.kind === 'text' && !title.nullable ? [] : subjectFields(group)
}

const subjectFields = (group: Group): readonly Field[] => {
  const parent = group.fields.filter(({ name }) => name === group.parent)
  const title = group.fields.find(({ name }) => name === group.titleField)
  if (title && isOrdinal(title)) return parent
  return [...new Set([...aboutFields(group), ...parent])]
}

const aboutFields = (group: Group): readonly Field[] =>
  subjectGroups.flatMap((path) => group.fields.filter(({ to }) => to === path))

const keyReferences = (group: Group): readonly Field[] =>
  group.fields.filter(({ name, to }) => to !== null && group.key.includes(name))

const isOrdinal = ({ name, kind }: Field): boolean =>
  kind === 'integer' && /Number$|^sequence$/.test(name)

const ordinalKind = (group: Group, field: Field): string =>
  field.name === 'sequence' ? groupSingular(group) : texts().names.kindOf(fieldLabel(field))

/** Prefixes a title of digits with the kind of record: `Carton 12`. */
const textTitle = (group: Group, row: Row): string | null => {
  const title = group.titleField === null ? null : row[group.titleField]
  if (!hasTextTitle(group) || typeof title !== 'string' || title === '') return null
  return /^[\d.]+$/.test(title) ? `${groupSingular(group)} ${title}` : title
}

const filled = (template: string, row: Row): string =>
  template.replace(/\{(\w+)\}/g, (_, field: string) => String(row[field] ?? '–'))

const firstOf = (
  fields: readonly Field[],
  targetName: (field: Field) => string | null,
): string | null => {
  for (const field of fields) {
    const name = targetName(field)
    if (name !== null) return name
  }
  return null
}

/** Names a record that connects others after them. */
const joined = (group: Group, targetName: (field: Field) => string | null): string | null => {
  const names = keyReferences(group).map(targetName)
  return names.length > 0 && names.every((name) => name !== null) ? names.join(' · ') : null
}

const withIdentity = (group: Group, row: Row): string =>
  `${groupSingular(group)} ${group.key.map((name) => shortId(String(row[name] ?? ''))).join(' · ')}`
