import { type Field, type Group, groupAt } from '../contract.ts'
import { hasTextTitle } from '../names.ts'
import { fieldLabel, groupSingular } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { isNumeric } from '../values.ts'
import { type CombinedColumn, defaultColumns } from './default-columns.ts'
import { type DerivedColumn, derivedColumnsOf } from './derived-column.ts'

/** A column of a list. */
export interface Column {
  /** The names of its fields, or the name of a derived column, as in the URL parameter `fields`. */
  readonly key: string
  readonly label: string
  readonly meaning: string
  /** The fields of the API that it shows or depends on. */
  readonly fields: readonly Field[]
  /** `name`: the name of the record as a link to it. `derived`: the value of a derived column. */
  readonly show: CombinedColumn['show'] | 'name' | 'derived'
  /** Set if it is derived. */
  readonly derived: DerivedColumn | null
  /** The value of `sort` for this column; null if the list cannot be sorted by it. */
  readonly sort: string | null
  readonly isRight: boolean
}

/** All possible columns of a list: combined and derived columns, and one for each field. */
export const columnsOf = (group: Group): readonly Column[] => {
  const combined = (defaultColumns[group.path] ?? []).flatMap((each) =>
    typeof each === 'string' ? [] : [combinedColumn(group, each)],
  )
  const replaced = new Set(
    combined.flatMap(({ fields, show }) => (show === 'first' || show === 'route' ? [] : fields)),
  )
  const own = group.fields.filter((field) => !replaced.has(field)).map((each) => plain(group, each))
  const derived = derivedColumnsOf(group).map((each) => derivedColumn(group, each))
  return [...combined, ...derived, ...own]
}

/** The default columns of a list. */
export const usualColumns = (group: Group): readonly Column[] => {
  const listed = defaultColumns[group.path]
  if (!listed) return usualFields(group).map((field) => plain(group, field))
  return listed.flatMap((each) => {
    if (typeof each !== 'string') return [combinedColumn(group, each)]
    const field = fieldOf(group, each)
    if (field) return [plain(group, field)]
    const derived = derivedColumnsOf(group).find(({ name }) => name === each)
    return derived ? [derivedColumn(group, derived)] : []
  })
}

/** The columns for names from a URL. Ignores unknown names. */
export const columnsFor = (group: Group, names: readonly string[]): readonly Column[] => {
  const possible = columnsOf(group).map((column) => ({ column, own: namesOf(column) }))
  const columns: Column[] = []
  let rest = names
  while (rest.length > 0) {
    const match = possible
      .filter(({ own }) => own.every((name, index) => rest[index] === name))
      .sort((a, b) => b.own.length - a.own.length)[0]
    if (match && !columns.includes(match.column)) columns.push(match.column)
    rest = rest.slice(match?.own.length ?? 1)
  }
  return columns
}

/** The names of a column in the URL parameter `fields`. */
const namesOf = ({ key }: Column): readonly string[] => key.split(',')

/** The names of columns for the URL parameter `fields` and for storage. */
export const columnNames = (columns: readonly Column[]): readonly string[] =>
  columns.flatMap(namesOf)

/** The fields of the API that columns show. */
export const fieldNames = (columns: readonly Column[]): readonly string[] => [
  ...new Set(columns.flatMap(({ fields }) => fields.map(({ name }) => name))),
]

const fieldOf = (group: Group, name: string): Field | undefined =>
  group.fields.find((each) => each.name === name)

const combinedColumn = (group: Group, { fields: names, show, label }: CombinedColumn): Column => {
  const fields = names.flatMap((name) => fieldOf(group, name) ?? [])
  const [first] = fields
  if (first === undefined) throw new RangeError(`${group.path} has no field ${names[0]}.`)
  return {
    key: names.join(','),
    label: label ? texts().explorer.columnLabels[label] : fieldLabel(first),
    meaning: fields.map(({ meaning }) => meaning).join(' '),
    fields,
    show,
    derived: null,
    sort: group.sortable.find((each) => each === first.name) ?? null,
    isRight: show === 'value' && isNumeric(first),
  }
}

const derivedColumn = (group: Group, derived: DerivedColumn): Column => ({
  key: derived.name,
  label: derived.label(),
  meaning: derived.meaning(),
  fields: derived.fields.flatMap((name) => fieldOf(group, name) ?? []),
  show: 'derived',
  derived,
  sort: derived.sort,
  isRight: derived.isRight,
})

const plain = (group: Group, field: Field): Column => {
  const isName = field.name === group.titleField
  const isNamed = isName && !hasTextTitle(group)
  return {
    key: field.name,
    // A number alone is not informative: such a column shows the names of the records.
    label: isNamed ? groupSingular(group) : fieldLabel(field),
    meaning: field.meaning,
    fields: [field],
    show: isName ? 'name' : 'value',
    derived: null,
    sort: group.sortable.find((each) => each === field.name) ?? null,
    isRight: isNumeric(field) && !isNamed,
  }
}

/** Name, status, main references, amounts, dates. */
const usualFields = (group: Group): readonly Field[] => {
  const shown = group.fields.filter(
    ({ name, kind }) => !quietNames.has(name) && kind in ranks && name !== group.titleField,
  )
  const title = group.fields.filter(({ name }) => name === group.titleField)
  const ahead = new Set(shown.filter(namesSomething).slice(0, refsAhead))
  const place = (field: Field) => (ahead.has(field) ? 2 : rankOf(field))
  return [...title, ...shown.sort((a, b) => place(a) - place(b))].slice(0, columnsMax)
}

/**
 * Whether a reference points to records with a descriptive name. `Revision 2` is not descriptive.
 */
const namesSomething = ({ kind, to }: Field): boolean => {
  const target = kind === 'ref' && to !== null ? groupAt(to) : undefined
  return target !== undefined && hasTextTitle(target)
}

const columnsMax = 8
/** References before figures and dates. Further references come after them. */
const refsAhead = 2
const quietNames = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt', 'notes', 'memo'])

/** Other kinds are too long for a table. */
const ranks: Partial<Record<Field['kind'], number>> = {
  ref: 5,
  amount: 3,
  integer: 3,
  date: 4,
  text: 6,
  timestamp: 7,
  flag: 8,
}

/** The amounts and counts that matter most. */
const leading = /^(total|balance|amount|qty|quantity|unitPrice|onHand|ordered|shipped|received)/

const rankOf = ({ name, kind, lifecycle, measure }: Field): number => {
  if (name === 'status') return 0
  if (lifecycle.length > 0) return 1
  if (measure === 'rate' || measure === 'percent') return 9
  if ((kind === 'amount' || kind === 'integer') && !leading.test(name)) return 5
  if (name === 'currency' || name === 'revisionNumber') return 9
  return ranks[kind] ?? 10
}
