import { foldText } from '#contract'
import { type Cell, textOf } from '../cell.ts'
import { type ColumnProfile, profileTable } from './column-profile.ts'
import { recordTimesOf } from './record-times.ts'
import type { SampleTable } from './sample-table.ts'
import { type Trade, tradeOf } from './trade.ts'
import { isKnownWord } from './vocabulary.ts'
import { wordsOf } from './words.ts'

/** A column with the words of its name. */
export interface Column extends ColumnProfile {
  readonly words: readonly string[]
  /** Its place in the rows. */
  readonly at: number
  /** All texts of the sample rows, and how often each occurs. */
  readonly texts: ReadonlyMap<string, number>
  /** Whether it is part of a foreign key: a number of another record, not a quantity. */
  readonly isForeign: boolean
}

/** A table with what its names, keys and sample rows tell. */
export interface TableModel {
  readonly table: SampleTable
  readonly columns: readonly Column[]
  /** The words of its name, without its schema and without words that say nothing. */
  readonly words: readonly string[]
  readonly trade: Trade
  /** Whether its name is a few letters without a meaning, such as `ap`. */
  readonly isAbbreviated: boolean
}

/** Words in the names of tables that say nothing about their rows. */
const emptyWords = ['header', 'table', 'tables', 'file', 'erp', 'new', 'current', 'full']

export const modelTables = (tables: readonly SampleTable[]): readonly TableModel[] => {
  const prefix = sharedPrefix(tables)
  const modules = modulesOf(tables)
  const times = recordTimesOf(tables)
  const bare = tables.map((table) => {
    const stem = stemOf(table, prefix)
    const [module = ''] = stem.toLowerCase().split('_')
    return {
      table,
      words: wordsOf(modules.has(module) ? stem.slice(module.length + 1) : stem).filter(
        (word) => word.length > 1 && !emptyWords.includes(word) && !/^\d+$/.test(word),
      ),
      isAbbreviated: /^[a-z]{1,4}$/i.test(stem) && !isKnownWord(stem.toLowerCase()),
      columns: columnsOf(table).map((column) => {
        const words = times.get(column.name)
        return words ? { ...column, words } : column
      }),
    }
  })
  const byName = new Map(bare.map((each) => [each.table.name, each]))
  const namesNear = ({ table, columns }: Omit<TableModel, 'trade'>) => [
    ...columns.map(({ name }) => name),
    ...(table.foreignKeys ?? []).map((foreign) => foreign.table),
  ]
  return bare.map((each) => ({
    ...each,
    trade: tradeOf({
      name: each.table.name,
      near: namesNear(each),
      beyond: headersOf(each, bare, byName).flatMap(namesNear),
    }),
  }))
}

/** The columns of a table, or of some of its rows. */
export const columnsOf = (table: SampleTable): readonly Column[] => {
  const foreign = new Set((table.foreignKeys ?? []).flatMap(({ columns }) => columns))
  return profileTable(table).map((profile): Column => {
    const at = table.columns.indexOf(profile.name)
    const texts = textsOf(table.rows.map((row) => row[at] ?? null))
    const { name } = profile
    return { ...profile, words: columnWords(name, table), at, isForeign: foreign.has(name), texts }
  })
}

/** The words of a column's name, without letters that stand for the table. */
const columnWords = (name: string, { title, columns }: SampleTable): readonly string[] => {
  const pieces = title.split(/[^A-Za-z]+/).filter((each) => each !== '')
  const initials = pieces.map((each) => each.charAt(0)).join('')
  // donumber in delivery_orders
  if (pieces.length > 1 && new RegExp(`^${initials}_?(no|nr|num|number|nummer)$`, 'i').test(name))
    return ['number']
  // cp_name, cp_email, cp_phone
  const [, first = '', rest = ''] = /^([a-z]{1,4})_(.+)$/i.exec(name) ?? []
  const shared = columns.filter((each) => each.startsWith(`${first}_`)).length
  const isPrefix = first !== '' && shared > 3 && shared * 2 > columns.length
  return wordsOf(isPrefix && !isKnownWord(first.toLowerCase()) ? rest : name)
}

const textsOf = (cells: readonly Cell[]): ReadonlyMap<string, number> => {
  const texts = new Map<string, number>()
  for (const cell of cells) {
    const text = textOf(cell)
    if (text !== null) texts.set(text, (texts.get(text) ?? 0) + 1)
  }
  return texts
}

type Bare = Omit<TableModel, 'trade'>

/** The tables that a table refers to; without foreign keys, those that its columns have a key of. */
const headersOf = (
  { table, columns }: Bare,
  all: readonly Bare[],
  byName: ReadonlyMap<string, Bare>,
): readonly Bare[] => {
  const declared = (table.foreignKeys ?? []).flatMap((foreign) => {
    const header = byName.get(foreign.table)
    // Items that are sold also have a supplier: only a header tells the side of its lines.
    return header?.words.some((word) => headerWords.includes(word)) ? [header] : []
  })
  if (declared.length > 0) return declared
  const names = new Set(columns.map(({ name }) => foldText(name)))
  return all.filter(
    (other) =>
      other.table !== table &&
      other.words.length > 0 &&
      other.columns.some(
        ({ name, isUnique, words }) =>
          isUnique &&
          names.has(foldText(name)) &&
          words.includes('number') &&
          words.some((word) => headerWords.includes(word)),
      ),
  )
}

const headerWords = ['order', 'invoice', 'shipment', 'receipt', 'quote', 'payment', 'delivery']

/** Short beginnings of several names without a meaning: modules such as `res_`. */
const modulesOf = (tables: readonly SampleTable[]): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const { title } of tables) {
    const [, first = ''] = /^([a-z]{1,3})_/i.exec(title) ?? []
    const module = first.toLowerCase()
    if (module !== '' && !isKnownWord(module)) counts.set(module, (counts.get(module) ?? 0) + 1)
  }
  return new Set([...counts].filter(([, count]) => count > 1).map(([module]) => module))
}

/** The beginning of most names, such as `erp_`, if it is not a word with a meaning. */
const sharedPrefix = (tables: readonly SampleTable[]): string | null => {
  const first = tables.map((table) => /^([a-z0-9]+)_/i.exec(table.title)?.[1] ?? '')
  const [common, count] = [...Map.groupBy(first, (each) => each.toLowerCase())].reduce<
    readonly [string, number]
  >((best, [each, { length }]) => (length > best[1] ? [each, length] : best), ['', 0])
  const isMost = tables.length > 3 && count > tables.length / 2
  return common !== '' && isMost && wordsOf(common)[0] === common ? common : null
}

const stemOf = (table: SampleTable, prefix: string | null): string => {
  const { title: name } = table
  return prefix && name.toLowerCase().startsWith(`${prefix}_`)
    ? name.slice(prefix.length + 1)
    : name
}
