import {
  compareDecimals,
  fieldAt,
  type Kind,
  parseDecimal,
  relationsOf,
  type SectionDefinition,
} from '#contract'
import { type Body, concatBodies } from '../read/body.ts'
import { readRecords } from '../read/records.ts'
import { type Key, tableAt } from '../schema/tables.ts'
import { type Goods, type GoodsReader, goodsField } from './goods.ts'
import { figureFields, type Pieces, sumRows, toPieces } from './sums.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** A row of a section: the record's JSON text with included records, its goods and its figures. */
export interface SectionRow {
  readonly record: Body
  readonly goods: Goods | null
  readonly figures: Pieces | null
}

export interface DocumentSection {
  readonly name: string
  readonly definition: SectionDefinition
  /** The exact number of records. */
  readonly total: number
  /** The first records. */
  readonly rows: readonly SectionRow[]
}

export interface SectionParts {
  readonly read: DocumentWalk
  readonly goods: GoodsReader
  /** The record of the document. */
  readonly record: WalkedRow
  /** Rows per section. */
  readonly limit: number
  /** Remaining bytes for all sections. */
  readonly room: { bytes: number }
  /** Figures of lines that were read already. */
  readonly lineFigures: {
    readonly figures: unknown
    readonly byLine: ReadonlyMap<string, Pieces>
  } | null
}

/** Records whose texts are read at once: few, because each may be long. */
const batchRecords = 16

export const readSection = async (
  parts: SectionParts,
  name: string,
  definition: SectionDefinition,
): Promise<DocumentSection> => {
  const { read, goods: goodsReader, lineFigures } = parts
  const { goods: source, figures } = definition
  const { total, rows: first } = await firstRows(parts, definition)
  const named = source
    ? await goodsReader.read(source, valuesOf(first, goodsField(source)))
    : new Map<string, Goods>()
  const goodsOf = ({ values, key }: WalkedRow): Goods | null => {
    if (!source) return null
    const field = goodsField(source)
    return named.get((field === 'id' ? key[0] : values[field]) ?? '') ?? null
  }
  const isWhole = total === first.length
  const rows =
    isWhole && source && !definition.sort ? sortByGoods(first, goodsOf, goodsReader) : first
  const areKept =
    figures !== undefined &&
    figures === lineFigures?.figures &&
    rows.every(({ key }) => lineFigures.byLine.has(key[0] ?? ''))
  const sums = figures && !areKept ? await sumRows(read, rows, figures) : null
  const figuresOf = ([id = '']: Key): Pieces | null => {
    const own = sums?.get(id)
    return own ? toPieces(own) : areKept ? (lineFigures.byLine.get(id) ?? null) : null
  }
  const bodies = await readBodies(parts, definition, rows)
  return {
    name,
    definition,
    total,
    rows: bodies.map((record, index) => {
      const row = rows[index] as WalkedRow
      return { record, goods: goodsOf(row), figures: figuresOf(row.key) }
    }),
  }
}

const valuesOf = (rows: readonly WalkedRow[], field: string): readonly string[] =>
  rows.flatMap(({ key, values }) => (field === 'id' ? key[0] : values[field]) ?? [])

/** Counts the records of a section and keeps the first ones in its order. */
const firstRows = async (
  { read, record, limit }: SectionParts,
  { group, path, view, sort, goods, figures }: SectionDefinition,
): Promise<{ readonly total: number; readonly rows: readonly WalkedRow[] }> => {
  const { resource } = tableAt(read.tables, group)
  const field = sort?.replace(/^-/, '')
  const wanted = [
    ...(field === undefined ? [] : [field]),
    ...(goods ? [goodsField(goods)] : []),
    ...figureFields(figures ?? {}),
  ]
  const compare = comparisonOf(
    field ?? null,
    field === undefined ? undefined : fieldAt(resource.fields, field)?.kind,
    sort?.startsWith('-') ?? false,
  )
  const last = path.at(-1)
  const condition = resource.views.find(({ name }) => name === view)?.where
  const steps =
    last && condition
      ? [
          ...path.slice(0, -1),
          { ...last, where: last.where ? allOf(condition, last.where) : condition },
        ]
      : path
  // Only a step along a reference (`of`) can reach the same record twice.
  const seen = path.some((step) => 'of' in step) ? new Set<string>() : null
  let total = 0
  let rows: WalkedRow[] = []
  for await (const batch of walk(read, [record], steps, [...new Set(wanted)])) {
    for (const row of batch) {
      const name = JSON.stringify(row.key)
      if (seen?.has(name)) continue
      seen?.add(name)
      total += 1
      rows.push(row)
    }
    if (rows.length > limit * 20) rows = rows.sort(compare).slice(0, limit)
  }
  return { total, rows: rows.sort(compare).slice(0, limit) }
}

const allOf = <T>(one: T, other: T) => ({ kind: 'all', of: [one, other] }) as const

type Compare = (one: WalkedRow, other: WalkedRow) => number

/** Compares by a field, then by identity. Records without a value come last. */
const comparisonOf = (
  field: string | null,
  kind: Kind | undefined,
  isDescending: boolean,
): Compare => {
  const direction = isDescending ? -1 : 1
  return (one, other) => {
    const [a, b] = field === null ? [null, null] : [one.values[field], other.values[field]]
    const order = compareTexts(a ?? null, b ?? null, kind, direction)
    if (order !== 0) return order
    return one.key.join() < other.key.join() ? -1 : 1
  }
}

const byNumbers = new Intl.Collator('en', { numeric: true })

const compareTexts = (
  one: string | null,
  other: string | null,
  kind: Kind | undefined,
  direction: number,
): number => {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  if (kind === 'integer' || kind === 'amount') {
    return compareDecimals(parseDecimal(one), parseDecimal(other)) * direction
  }
  // Carton 2 comes before carton 10.
  const order = kind === 'text' ? byNumbers.compare(one, other) : 0
  return (order || (one < other ? -1 : 1)) * direction
}

/** Sorts by style, option and size. */
const sortByGoods = (
  rows: readonly WalkedRow[],
  goodsOf: (row: WalkedRow) => Goods | null,
  { sizeOrder }: GoodsReader,
): readonly WalkedRow[] => {
  const nameOf = (row: WalkedRow) => {
    const goods = goodsOf(row)
    // Rows without goods come last.
    return goods
      ? [
          goods.style?.code,
          goods.option?.code,
          sizeOrder(goods.sku?.id ?? ''),
          goods.sku?.code,
        ].join('\n')
      : '\uffff'
  }
  const names = new Map(rows.map((row) => [row, nameOf(row)]))
  return [...rows].sort((one, other) => {
    const [a = '', b = ''] = [names.get(one), names.get(other)]
    return a < b ? -1 : a > b ? 1 : 0
  })
}

/** The texts of the rows, until the remaining bytes are used up. */
const readBodies = async (
  { read, room }: SectionParts,
  { group, include = [] }: SectionDefinition,
  rows: readonly WalkedRow[],
): Promise<readonly Body[]> => {
  const { steps, brand, tables, scope } = read
  const table = tableAt(tables, group)
  const relations = relationsOf(table.resource).filter(({ name }) => include.includes(name))
  const bodies: Body[] = []
  for (let from = 0; from < rows.length && room.bytes > 0; from += batchRecords) {
    const keys = rows.slice(from, from + batchRecords).map(({ key }) => key)
    const wanted = { table, brand, keys, include: relations, scope, reserve: undefined }
    for (const pieces of await readRecords(read, steps, wanted)) {
      const body = concatBodies(pieces)
      room.bytes -= body.length
      if (room.bytes < 0) break
      bodies.push(body)
    }
  }
  return bodies
}
