import {
  type AmountSource,
  type DateSource,
  type DeadlineDefinition,
  type Decimal,
  type DocumentDefinition,
  type DocumentPath,
  dayIn,
  daysBetween,
  formatUnits,
  parseDecimal,
  type StageDefinition,
  type Today,
} from '#contract'
import { type CurrencyTotal, compareStages, type DocumentStage, type StageFacts } from './stages.ts'
import { add, type Pieces } from './sums.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** The record of a document, and the day on which it is read. */
export interface DocumentSubject {
  readonly row: WalkedRow
  readonly status: string | null
  readonly isEnded: boolean
  readonly today: Today
}

/** A planned date, and when it happened. */
export interface DocumentDeadline {
  readonly name: string
  readonly planned: string
  readonly actual: string | null
  /** Days later than planned; negative if earlier. Counts until today if it has not happened. */
  readonly days: number
  readonly isOpen: boolean
  readonly isLate: boolean
  /** The view that lists the record because it is late. */
  readonly view: string | null
}

/** The stages of a document, each compared with the one before. */
export const readProgress = async (
  sources: Sources,
  subject: DocumentSubject,
  definitions: { readonly [name: string]: StageDefinition },
  pieces: Pieces | null,
): Promise<readonly DocumentStage[]> => {
  const stages: StageFacts[] = []
  for (const [name, definition] of Object.entries(definitions)) {
    const { amounts, planned, actual } = definition
    stages.push({
      name,
      definition,
      pieces: definition.pieces === undefined ? null : (pieces?.[definition.pieces] ?? 0),
      amounts: amounts ? await sources.amounts(amounts) : [],
      planned: planned ? await sources.day(planned) : null,
      actual: actual ? await sources.day(actual) : null,
    })
  }
  return compareStages(stages, subject)
}

/** The deadlines of a document. */
export const readDeadlines = async (
  sources: Sources,
  subject: DocumentSubject,
  definitions: { readonly [name: string]: DeadlineDefinition },
  isInView: (view: string) => Promise<boolean>,
): Promise<readonly DocumentDeadline[]> => {
  const deadlines: DocumentDeadline[] = []
  const { status, isEnded, today } = subject
  for (const [name, deadline] of Object.entries(definitions)) {
    const { openWhen, voidWhen, view } = deadline
    const planned = await sources.day({ fields: deadline.planned })
    if (planned === null || isEnded || voidWhen.includes(status ?? '')) continue
    const happened = await sources.day(deadline.actual)
    // Parts may have happened already: the last date is known only once nothing more is expected.
    const isOpen =
      openWhen.includes(status ?? '') && !('fields' in deadline.actual && happened !== null)
    const actual = isOpen ? null : happened
    if (!isOpen && actual === null) continue
    const days = daysBetween(planned, actual ?? today.day)
    const isLate = days > 0 && (isOpen && view !== undefined ? await isInView(view) : true)
    deadlines.push({
      name,
      planned,
      actual,
      days,
      isOpen,
      isLate,
      view: isOpen && isLate ? (view ?? null) : null,
    })
  }
  return deadlines
}

/** The last date and the sums of amounts of the records of a path, by field. */
interface PathTotals {
  readonly last: ReadonlyMap<string, string>
  readonly sums: ReadonlyMap<string, ReadonlyMap<string, Decimal>>
}

/** Dates and amounts of a document's record and of the records on its paths. */
export interface Sources {
  day(source: DateSource): Promise<string | null>
  amounts(source: AmountSource): Promise<readonly CurrencyTotal[]>
}

/** Follows each path once for all sources that begin with it. */
export const createSources = (
  read: DocumentWalk,
  { row, today }: DocumentSubject,
  { progress, deadlines }: Pick<DocumentDefinition, 'progress' | 'deadlines'>,
): Sources => {
  const stages = Object.values(progress)
  const dates = [
    ...stages.flatMap(({ planned, actual }) => [planned, actual]),
    ...Object.values(deadlines).map(({ actual }) => actual),
  ].filter((source) => source !== undefined && 'path' in source)
  const amounts = stages.flatMap((stage) => stage.amounts ?? [])
  const totals = new Map<string, Promise<PathTotals>>()

  const readTotals = async (path: DocumentPath): Promise<PathTotals> => {
    const name = JSON.stringify(path)
    const isOwn = (source: { readonly path: DocumentPath }) => JSON.stringify(source.path) === name
    const days = dates.filter(isOwn).map(({ field }) => field)
    const sums = new Map<string, Map<string, Decimal>>()
    const last = new Map<string, string>()
    const added = amounts.filter(isOwn)
    const currencies = added.flatMap(({ currency }) =>
      typeof currency === 'string' ? currency : [],
    )
    const fields = new Set([...days, ...added.map(({ field }) => field), ...currencies])
    for await (const batch of walk(read, [row], path, [...fields])) {
      for (const { values } of batch) {
        for (const field of days) {
          const value = values[field] ?? null
          if (value !== null && value > (last.get(field) ?? '')) last.set(field, value)
        }
        for (const { field, currency } of added) {
          const amount = values[field] ?? null
          const own = typeof currency === 'string' ? values[currency] : row.values[currency.record]
          const byCurrency = sums.get(field) ?? new Map<string, Decimal>()
          sums.set(field, byCurrency)
          if (amount !== null) add(byCurrency, own ?? '', parseDecimal(amount))
        }
      }
    }
    return { last, sums }
  }
  const totalsOf = (path: DocumentPath): Promise<PathTotals> => {
    const name = JSON.stringify(path)
    const reading = totals.get(name) ?? readTotals(path)
    totals.set(name, reading)
    return reading
  }
  const dayOf = (value: string | null): string | null =>
    value?.includes('T') ? dayIn(today.timezone, Date.parse(value)) : value

  return {
    day: async (source) => {
      if ('path' in source)
        return dayOf((await totalsOf(source.path)).last.get(source.field) ?? null)
      const field = source.fields.find((each) => row.values[each])
      return field === undefined ? null : dayOf(row.values[field] ?? null)
    },
    amounts: async ({ path, field }) =>
      currencyTotals((await totalsOf(path)).sums.get(field) ?? new Map()),
  }
}

/** Sums by currency, ordered by currency code. */
const currencyTotals = (sums: ReadonlyMap<string, Decimal>): readonly CurrencyTotal[] =>
  [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { units, scale }]) => ({
      currency: currency || null,
      amount: formatUnits(units, scale),
    }))
