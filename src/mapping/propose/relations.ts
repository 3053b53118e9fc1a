import { foldText } from '#contract'
import { textOf } from '../cell.ts'
import type { KeyChoice } from './keys.ts'
import type { Certainty } from './proposal.ts'
import type { Column, TableModel } from './table-model.ts'
import { isSame } from './words.ts'

/** Columns of a table that have the key of another table. */
export interface Link {
  readonly columns: readonly string[]
  readonly target: TableModel
  /** The columns of the other table, in the same order. */
  readonly to: readonly string[]
  readonly certainty: Exclude<Certainty, 'open'>
  readonly reason: string
}

/** A table that others can refer to. */
export interface LinkTarget {
  readonly model: TableModel
  readonly key: KeyChoice
  /** The words for its records: a table of products has styles and SKUs. */
  readonly subjects: readonly (readonly string[])[]
}

/** The links of a table: declared ones, and those that names and values show. */
export const linksOf = (model: TableModel, targets: readonly LinkTarget[]): readonly Link[] => {
  const declared = (model.table.foreignKeys ?? []).flatMap((foreign): readonly Link[] => {
    const target = targets.find((each) => each.model.table.name === foreign.table)
    return target
      ? [
          {
            ...{ columns: foreign.columns, target: target.model, to: foreign.to },
            ...{ certainty: 'certain', reason: `foreign key to ${foreign.table}` },
          },
        ]
      : []
  })
  const isDeclared = (names: readonly string[]) =>
    declared.some(({ columns }) => names.some((name) => columns.includes(name)))
  const shown = targets.flatMap((target) =>
    target.model === model || target.key.certainty === 'open'
      ? []
      : shownLinks(model, target).filter(({ columns }) => !isDeclared(columns)),
  )
  return [...declared, ...shown]
}

const shownLinks = (model: TableModel, target: LinkTarget): readonly Link[] => {
  const { columns: key } = target.key
  if (key.length > 1) {
    const names = key.map((name) => sameName(model, name)?.name)
    return names.every((name) => name !== undefined) ? provenLinks(model, target, names) : []
  }
  return model.columns
    .filter((column) => isNumberFor(column, target, key[0] ?? ''))
    .flatMap((column) => provenLinks(model, target, [column.name]))
}

const sameName = ({ columns }: TableModel, name: string): Column | undefined =>
  columns.find((each) => foldText(each.name) === foldText(name))

/** Whether a column is named after the key of a table: `VENDOR_NO`, `Ship-to warehouse`. */
const isNumberFor = (column: Column, { model, subjects }: LinkTarget, key: string): boolean => {
  const { words } = column
  if (column.isDate || words.length === 0) return false
  const isSpecific = !isSame(words, ['number'])
  if (isSpecific && foldText(column.name) === foldText(key)) return true
  const own = model.columns.find(({ name }) => name === key)
  if (isSpecific && own && isSame(words, own.words)) return true
  return subjects.some((subject) => {
    const rest = words.filter((word) => !subject.includes(word))
    return (
      subject.every((word) => words.includes(word)) &&
      (rest.length === 0 || rest.every((word) => word === 'number' || roleWords.includes(word)))
    )
  })
}

/** Words that say which of several records is meant. */
const roleWords = [
  ...['delivery', 'destination', 'origin', 'ship', 'to', 'from', 'default', 'main', 'primary'],
  ...['preferred', 'loading', 'arrival', 'departure', 'parent'],
]

/** A link whose values are keys of the other table, as far as the samples show. */
const provenLinks = (
  model: TableModel,
  target: LinkTarget,
  names: readonly string[],
): readonly Link[] => {
  const keys = tuplesOf(target.model, target.key.columns)
  const own = tuplesOf(model, names)
  const matches = [...own].filter((each) => keys.has(each)).length
  const link = { columns: names, target: target.model, to: target.key.columns }
  if (own.size > 0 && matches === own.size) {
    const reason = `all ${own.size} values are keys of ${target.model.table.name}`
    return [{ ...link, certainty: 'certain', reason }]
  }
  // The samples of a large table rarely have the rows that another one refers to.
  const isUnknown = own.size === 0 || keys.size === 0 || target.model.table.rows.length >= 500
  if (matches === 0 && !isUnknown) return []
  const reason =
    own.size === 0
      ? 'its name'
      : `its name; ${matches} of ${own.size} values are keys that were read`
  return [{ ...link, certainty: 'likely', reason }]
}

const tuplesOf = ({ table, columns }: TableModel, names: readonly string[]): Set<string> => {
  const at = names.map((name) => columns.find((each) => each.name === name)?.at ?? -1)
  const tuples = table.rows
    .map((row) => at.map((each) => textOf(row[each])))
    .filter((parts) => !parts.includes(null))
  return new Set(tuples.map((parts) => JSON.stringify(parts)))
}
