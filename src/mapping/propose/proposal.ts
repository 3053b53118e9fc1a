import {
  type Catalog,
  importOrder,
  type LeafField,
  leafFields,
  type Resource,
  resourceAt,
} from '#contract'
import { type Cell, textOf } from '../cell.ts'
import { bestColumn, isSame } from './column-match.ts'
import { type ColumnProfile, type NumberStyle, profileColumn } from './column-profile.ts'
import { fieldProposal } from './field-proposal.ts'
import type { References } from './reference-proposal.ts'
import { subjects, wordsOf } from './words.ts'

/** A table of a file or a database, with sample rows. */
export interface SampleTable {
  /** The name of the file or the table. */
  readonly name: string
  /** The value of `from`, as YAML. */
  readonly from: string
  /** The uncertainty about it, if any. */
  readonly fromNote?: { readonly certainty: Certainty; readonly note: string }
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The primary key, if a database declares one. */
  readonly primaryKey?: readonly string[]
  readonly foreignKeys?: readonly ForeignKey[]
}

export interface ForeignKey {
  readonly columns: readonly string[]
  /** The referenced table. */
  readonly table: string
  /** Its columns, in the same order. */
  readonly to: readonly string[]
}

/** The certainty of a line of the proposal. */
export type Certainty = 'certain' | 'likely' | 'open'

export interface ProposedField {
  readonly name: string
  /** As YAML. */
  readonly expression: string
  readonly certainty: Certainty
  readonly note: string
}

export interface ProposedCollection {
  readonly collection: string
  readonly table: SampleTable
  readonly certainty: Certainty
  readonly distinct: boolean
  readonly key: readonly string[] | null
  /** Whether the key is already an identifier. */
  readonly isIdentifier: boolean
  readonly keyCertainty: Certainty
  readonly fields: readonly ProposedField[]
  readonly unusedColumns: readonly string[]
}

export interface Proposal {
  readonly date: string | null
  /** Another pattern that also matches all dates: 03/04/2026 can be in March or April. */
  readonly otherDate: string | null
  readonly number: NumberStyle
  readonly collections: readonly ProposedCollection[]
  /** Tables that match no collection. */
  readonly unknownTables: readonly string[]
}

interface Profiled {
  readonly table: SampleTable
  readonly columns: readonly ColumnProfile[]
}

/** Proposes collections, keys, fields and formats for tables. */
export const proposeMapping = (catalog: Catalog, tables: readonly SampleTable[]): Proposal => {
  const profiled = tables.map(
    (table): Profiled => ({
      table,
      columns: table.columns.flatMap((name, index) =>
        name.trim() === ''
          ? []
          : [
              profileColumn(
                name,
                table.rows.map((row) => row[index] ?? null),
              ),
            ],
      ),
    }),
  )
  const formats = formatsOf(profiled)
  const chosen = new Map<string, Chosen>()
  const choices = profiled.map((from) => ({ from, choice: collectionOf(catalog, from) }))
  // A table named after a collection comes before one that only shares some of its columns.
  for (const certainty of ['certain', 'likely'] as const) {
    for (const { from, choice } of choices) {
      if (choice?.certainty !== certainty || chosen.has(choice.collection)) continue
      const key = keyOf(subjects[choice.collection] ?? [], from.columns, from.table)
      chosen.set(choice.collection, { from, certainty, key, isDerived: false })
    }
  }
  const used = new Set([...chosen.values()].map(({ from }) => from))
  const unknownTables = profiled.filter((each) => !used.has(each)).map(({ table }) => table.name)
  const collections: ProposedCollection[] = []
  const propose = (path: string, own: Chosen) => {
    const proposed = collectionProposal(resourceAt(catalog, path), own, formats, chosen)
    // A referenced record without a table is derived from the same row.
    for (const { to, columns } of proposed.needed) {
      if (chosen.has(to)) continue
      const key = { columns, certainty: 'likely' } as const
      const needed: Chosen = { from: own.from, certainty: 'likely', key, isDerived: true }
      chosen.set(to, needed)
      propose(to, needed)
    }
    collections.push(proposed.collection)
  }
  // Referenced collections come first: a record is derived from another row only if it has no
  // table.
  const order = importOrder(catalog).flat()
  const own = [...chosen].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other))
  for (const [path, each] of own) propose(path, each)
  return { ...formats, collections, unknownTables }
}

/** The table of a collection, and its key. */
interface Chosen {
  readonly from: Profiled
  readonly certainty: Certainty
  readonly key: KeyChoice
  /** Whether the rows are about something else, so that several may give the same record. */
  readonly isDerived: boolean
}

interface KeyChoice {
  readonly columns: readonly string[]
  readonly certainty: Certainty
}

export type Formats = Pick<Proposal, 'date' | 'otherDate' | 'number'>

/** The formats of most columns. */
const formatsOf = (tables: readonly Profiled[]): Formats => {
  const columns = tables.flatMap((each) => each.columns)
  const dates = columns
    .map(({ datePatterns }) => datePatterns.filter((each) => !/[Hh]/.test(each)))
    .filter((each) => each.length > 0)
  const common = mostCommon(dates.flat())
  const isShared = (pattern: string) =>
    dates.every((each) => !each.includes(common ?? '') || each.includes(pattern))
  const other = (dates.find((each) => each.includes(common ?? '')) ?? []).find(
    (each) => each !== common && isShared(each),
  )
  const numbers = columns.filter(
    ({ numberFormats, datePatterns }) => numberFormats.length > 0 && datePatterns.length === 0,
  )
  // A numeric cell does not show how numbers are written.
  const needed = numbers
    .filter(({ isNumber, values }) => !isNumber && values.some((value) => /[.,]/.test(value)))
    .sort((one, other) => one.numberFormats.length - other.numberFormats.length)
  const keyOf = ({ decimal, group }: NumberStyle) => `${decimal}${group ?? ''}`
  const style = mostCommon(needed.flatMap(({ numberFormats }) => numberFormats.map(keyOf))) ?? '.'
  return {
    date: common === 'yyyy-MM-dd' ? null : (common ?? null),
    otherDate: other ?? null,
    number: { decimal: style.charAt(0), group: style.charAt(1) || null },
  }
}

const mostCommon = (values: readonly string[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  let best: string | undefined
  for (const [value, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = value
  return best
}

const collectionOf = (
  catalog: Catalog,
  { table, columns }: Profiled,
): { readonly collection: string; readonly certainty: Certainty } | null => {
  const stem = table.name.replace(/\.[a-z.]+$/i, '')
  const named = wordsOf(stem).filter((word) => word !== 'header' && !/^\d+$/.test(word))
  // The items of an order are its lines; items alone are articles.
  const items = named.length === 2 ? named.map((word) => (word === 'sku' ? 'line' : word)) : named
  const lines = isSame(items, ['line']) ? linesOf(columns) : items
  const exact = Object.entries(subjects).find(
    ([, subject]) => isSame(subject, named) || isSame(subject, lines),
  )
  // A single company is the owner of the system.
  if (exact?.[0] === 'partners' && table.rows.length < 2) return null
  if (exact) return { collection: exact[0], certainty: 'certain' }
  let best: { collection: string; score: number } | null = null
  for (const [collection, subject] of Object.entries(subjects)) {
    const leaves = leafFields(resourceAt(catalog, collection).fields)
    const matched = leaves.filter(
      (leaf) => bestColumn(leaf, columns, subject)?.certainty === 'certain',
    )
    const score = matched.length + (subject.every((word) => named.includes(word)) ? 3 : 0)
    if (score > (best?.score ?? 2)) best = { collection, score }
  }
  return best && { collection: best.collection, certainty: 'likely' }
}

/** The parent of lines whose table does not name it: they have its number. */
const linesOf = (columns: readonly ColumnProfile[]): readonly string[] =>
  Object.values(subjects).find(
    ([head = '', line]) =>
      line === 'line' &&
      columns.some(({ name }) => {
        const words = wordsOf(name)
        return words.includes(head) && words.every((word) => word === head || word === 'number')
      }),
  ) ?? ['line']

interface NeededRecord {
  readonly to: string
  readonly columns: readonly string[]
}

const collectionProposal = (
  resource: Resource,
  own: Chosen,
  formats: Formats,
  chosen: ReadonlyMap<string, Chosen>,
): { readonly collection: ProposedCollection; readonly needed: readonly NeededRecord[] } => {
  const { key, certainty } = own
  const { table } = own.from
  const isShared = own.isDerived && !isSame(key.columns, table.primaryKey ?? [])
  const columns = isShared ? dependentColumns(own.from, key.columns) : own.from.columns
  const subject = subjects[resource.path] ?? []
  const isSingle = resource.key.length === 1 && resource.key[0] === 'id'
  const needed: NeededRecord[] = []
  const used = new Set<string>(isSingle ? key.columns : [])
  const leaves = leafFields(resource.fields)
  // A column that certainly belongs to one field is not used for another.
  const usedNames = new Set(
    leaves.flatMap((leaf) => {
      const match = bestColumn(leaf, columns, subject)
      return match?.certainty === 'certain' ? [match.column.name] : []
    }),
  )
  const free = columns.filter(({ name }) => !usedNames.has(name))
  const parts = {
    subject,
    key: key.columns,
    formats,
    references: referencesOf(own, leaves, chosen),
  }
  const fields = leaves.flatMap((leaf): readonly ProposedField[] => {
    if (leaf.name === 'id' && isSingle) return []
    const isCertain = bestColumn(leaf, columns, subject)?.certainty === 'certain'
    const isReference = leaf.field.kind === 'ref'
    const proposed = fieldProposal(leaf, {
      ...parts,
      columns: isCertain || isReference ? columns : free,
    })
    if (!proposed) return []
    for (const column of proposed.columns) used.add(column)
    const { to, nullable } = leaf.field
    if (isReference && !nullable && to && subjects[to])
      needed.push({ to, columns: proposed.columns })
    return [{ name: leaf.name, ...proposed.field }]
  })
  return {
    collection: {
      collection: resource.path,
      table,
      certainty,
      distinct: isShared,
      key: isSingle ? key.columns : null,
      isIdentifier:
        key.columns.length === 1 &&
        own.from.columns.some(({ name, isUuid }) => name === key.columns[0] && isUuid),
      keyCertainty: key.certainty,
      fields,
      unusedColumns: own.from.columns.map(({ name }) => name).filter((name) => !used.has(name)),
    },
    needed: needed.filter(({ columns: names }) => names.length > 0),
  }
}

/** The references of a table to other collections. */
const referencesOf = (
  { from }: Chosen,
  leaves: readonly LeafField[],
  chosen: ReadonlyMap<string, Chosen>,
): References => ({
  isProposed: (to) => chosen.has(to),
  isElsewhere: (to) => chosen.has(to) && chosen.get(to)?.from !== from,
  foreignKeys: (to) => {
    const target = chosen.get(to)
    return (from.table.foreignKeys ?? []).flatMap((foreign) => {
      if (!target || foreign.table !== target.from.table.name) return []
      const { columns } = target.key
      if (!isSame(columns, foreign.to)) return []
      return [columns.map((column) => foreign.columns[foreign.to.indexOf(column)] ?? '')]
    })
  },
  keyLength: (to) => chosen.get(to)?.key.columns.length ?? 1,
  fieldsTo: (to) => leaves.filter(({ field }) => field.kind === 'ref' && field.to === to).length,
})

/**
 * The columns that are equal in all sample rows with the same key. Excludes creation and change
 * times of rows: they do not belong to a record made of several rows.
 */
const dependentColumns = (
  { table, columns }: Profiled,
  key: readonly string[],
): readonly ColumnProfile[] => {
  const keyAt = key.map((name) => table.columns.indexOf(name))
  const groups = Map.groupBy(table.rows, (row) => keyAt.map((at) => textOf(row[at])).join('\n'))
  return columns.filter(({ name, isDate }) => {
    if (isDate && wordsOf(name).some((word) => word === 'updated' || word === 'created'))
      return false
    const at = table.columns.indexOf(name)
    return [...groups.values()].every(
      (rows) => new Set(rows.map((row) => textOf(row[at]))).size === 1,
    )
  })
}

/** The columns that identify a row: its number, and for a line also its parent's number. */
const keyOf = (
  subject: readonly string[],
  columns: readonly ColumnProfile[],
  { rows, primaryKey = [] }: SampleTable,
): KeyChoice => {
  if (primaryKey.length > 0) return { columns: primaryKey, certainty: 'certain' }
  const numbered = (words: readonly string[]) =>
    columns.find(
      ({ name }) => isSame(wordsOf(name), words) || isSame(wordsOf(name), [...words, 'number']),
    )
  const [parent, line] = subject
  if (line === 'line' && parent) {
    const [head, own] = [numbered([parent]), numbered(['line']) ?? numbered([parent, 'line'])]
    if (head && own) return { columns: [head.name, own.name], certainty: 'certain' }
  }
  const own = numbered(subject) ?? numbered(['number'])
  if (own?.isUnique) return { columns: [own.name], certainty: 'certain' }
  const unique = columns.find(({ isUnique, isDate }) => isUnique && !isDate)
  if (unique) return { columns: [unique.name], certainty: rows.length > 20 ? 'likely' : 'open' }
  const [first] = columns
  return { columns: own ? [own.name] : first ? [first.name] : [], certainty: 'open' }
}
