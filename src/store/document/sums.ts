import {
  addDecimals,
  type Decimal,
  type FigureSum,
  formatDecimal,
  negateDecimal,
  parseDecimal,
  type RowFigures,
} from '#contract'
import { type DocumentWalk, startFields, type WalkedRow, walk } from './walk.ts'

const zero: Decimal = { units: 0n, scale: 0 }

/** Pieces by figure name. */
export interface Pieces {
  readonly [figure: string]: number
}

/** Sums by figure name, exact. */
export interface Sums {
  readonly [figure: string]: Decimal
}

/** The fields of rows that their figures start from. */
export const figureFields = (figures: RowFigures): readonly string[] => [
  ...new Set(Object.values(figures).flatMap(sumFields)),
]

const sumFields = ({ path, field, less }: FigureSum): readonly string[] => [
  ...(path.length === 0 ? [field] : startFields(path)),
  ...(less ? sumFields(less) : []),
]

/** The figures of each row, by the first part of its identity. */
export const sumRows = async (
  read: DocumentWalk,
  rows: readonly WalkedRow[],
  figures: RowFigures,
): Promise<ReadonlyMap<string, Sums>> => {
  const own = rows.map((row) => ({ ...row, origin: row.key[0] ?? '' }))
  const sums = new Map(own.map(({ origin }) => [origin, new Map<string, Decimal>()]))
  // Figures over the same records share one walk.
  const walks = Map.groupBy(termsOf(figures), ({ path }) => JSON.stringify(path))
  for (const terms of walks.values()) {
    const fields = [...new Set(terms.map(({ field }) => field))]
    for await (const batch of walk(read, own, terms[0]?.path ?? [], fields)) {
      for (const { origin, values } of batch) {
        for (const { name, field, isLess } of terms) {
          const value = values[field] ?? null
          if (value === null) continue
          const term = parseDecimal(value)
          const each = sums.get(origin)
          if (each) add(each, name, isLess ? negateDecimal(term) : term)
        }
      }
    }
  }
  return new Map(
    [...sums].map(([origin, each]) => [
      origin,
      Object.fromEntries(Object.keys(figures).map((name) => [name, each.get(name) ?? zero])),
    ]),
  )
}

/** A field that a figure adds or subtracts. */
interface Term {
  readonly name: string
  readonly path: FigureSum['path']
  readonly field: string
  readonly isLess: boolean
}

const termsOf = (figures: RowFigures): readonly Term[] =>
  Object.entries(figures).flatMap(([name, { path, field, less }]): readonly Term[] => [
    { name, path, field, isLess: false },
    ...(less ? [{ name, path: less.path, field: less.field, isLess: true }] : []),
  ])

/** The sums of rows, by figure. */
export const addSums = (rows: Iterable<Sums>, figures: readonly string[]): Sums => {
  const sums = new Map(figures.map((name) => [name, zero]))
  for (const row of rows) for (const name of figures) add(sums, name, row[name] ?? zero)
  return Object.fromEntries(sums)
}

export const toPieces = (sums: Sums): Pieces =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(formatDecimal(sum))]))

export const add = (sums: Map<string, Decimal>, name: string, value: Decimal): void => {
  sums.set(name, addDecimals(sums.get(name) ?? zero, value))
}
