import {
  type AmountSource,
  compareDecimals,
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
  signOf,
  type Today,
} from '#contract'
import { add, type Pieces } from './sums.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** The record of a document, and the day that it is read on. */
export interface DocumentSubject {
  readonly row: WalkedRow
  readonly status: string | null
  readonly isDeleted: boolean
  readonly today: Today
}

export interface CurrencyTotal {
  readonly currency: string | null
  readonly amount: string
}

/** A stage of a document. */
export interface DocumentStage {
  readonly name: string
  readonly state: 'open' | 'partly' | 'done'
  /** Null where the stage does not count pieces. */
  readonly pieces: number | null
  readonly amounts: readonly CurrencyTotal[]
  /** Days in the time zone of the brand. */
  readonly planned: string | null
  readonly actual: string | null
  /** Later than planned; negative for earlier. Until today where it has not happened; null if unknown. */
  readonly days: number | null
}

/** A date that was planned, and when it happened. */
export interface DocumentDeadline {
  readonly name: string
  readonly planned: string
  readonly actual: string | null
  /** Later than planned; negative for earlier. Until today where it has not happened. */
  readonly days: number
  readonly isOpen: boolean
  readonly isLate: boolean
  /** The view that the record is in because it is late. */
  readonly view: string | null
}

/** The stages of a document, each compared with the one before. */
export const readProgress = async (
  sources: Sources,
  subject: DocumentSubject,
  definitions: { readonly [name: string]: StageDefinition },
  pieces: Pieces | null,
): Promise<readonly DocumentStage[]> => {
  const stages: DocumentStage[] = []
  const wholeOf = Object.values(definitions).find((each) => each.pieces !== undefined)?.pieces
  const whole = wholeOf === undefined ? 0 : (pieces?.[wholeOf] ?? 0)
  let before: readonly CurrencyTotal[] = []
  /** The pieces that are expected: all, or those that the stage before has ended with. */
  let expected = whole
  for (const [name, stage] of Object.entries(definitions)) {
    const counted = stage.pieces === undefined ? null : (pieces?.[stage.pieces] ?? 0)
    const amounts = stage.amounts ? await sources.amounts(stage.amounts) : []
    const planned = stage.planned ? await sources.day(stage.planned) : null
    const actual = stage.actual ? await sources.day(stage.actual) : null
    const isReached = counted === null && hasReached(stage, amounts, before, actual)
    const isWhole = stage.pieces !== undefined && stage.pieces === wholeOf
    const hasEnough =
      counted === null
        ? isReached && (stages.at(-1)?.state ?? 'done') === 'done'
        : isWhole
          ? stage.doneWhen.length === 0 && counted > 0
          : whole > 0 && counted >= expected
    const isDone = stage.doneWhen.includes(subject.status ?? '') || hasEnough
    const isBegun = (counted ?? 0) > 0 || amounts.some(isNotZero)
    if (stage.isOptional && !amounts.some(isNotZero)) continue
    const state = isDone ? 'done' : isBegun ? 'partly' : 'open'
    stages.push({
      name,
      state,
      pieces: counted,
      amounts,
      planned,
      actual,
      // What is paid of the invoices so far is not late, although others will follow.
      days: isReached && !isDone ? null : daysOf(planned, actual, isDone, subject.today),
    })
    if (amounts.length > 0) before = amounts
    if (counted !== null && isDone) expected = Math.min(whole, counted)
  }
  return stages
}

/** Whether a stage without pieces is complete: its amounts are those of the stage before. */
const hasReached = (
  { amounts: source }: StageDefinition,
  amounts: readonly CurrencyTotal[],
  before: readonly CurrencyTotal[],
  actual: string | null,
): boolean => {
  if (!source) return actual !== null
  if (before.length === 0) return amounts.some(isNotZero)
  return (
    before.some(isNotZero) &&
    before.every(({ currency, amount }) => {
      const own = amounts.find((each) => each.currency === currency)?.amount ?? '0'
      return compareDecimals(parseDecimal(own), parseDecimal(amount)) >= 0
    })
  )
}

const isNotZero = ({ amount }: CurrencyTotal): boolean => signOf(parseDecimal(amount)) !== 0

const daysOf = (
  planned: string | null,
  actual: string | null,
  isDone: boolean,
  today: Today,
): number | null => {
  if (planned === null) return null
  if (isDone) return actual === null ? null : daysBetween(planned, actual)
  return planned < today.day ? daysBetween(planned, today.day) : null
}

/** The dates of a document that people wait for. */
export const readDeadlines = async (
  sources: Sources,
  subject: DocumentSubject,
  definitions: { readonly [name: string]: DeadlineDefinition },
  isInView: (view: string) => Promise<boolean>,
): Promise<readonly DocumentDeadline[]> => {
  const deadlines: DocumentDeadline[] = []
  const { status, isDeleted, today } = subject
  for (const [name, deadline] of Object.entries(definitions)) {
    const { openWhen, voidWhen, view } = deadline
    const planned = await sources.day({ fields: deadline.planned })
    if (planned === null || isDeleted || voidWhen.includes(status ?? '')) continue
    const happened = await sources.day(deadline.actual)
    // A part may have happened already: the last date is known when nothing more is expected.
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

/** Dates and amounts of a document's record and of the records that its sources lead to. */
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

/** Sums by currency, in the order of their codes. */
export const currencyTotals = (sums: ReadonlyMap<string, Decimal>): readonly CurrencyTotal[] =>
  [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, { units, scale }]) => ({
      currency: currency || null,
      amount: formatUnits(units, scale),
    }))
