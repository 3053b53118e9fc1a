import {
  compareDecimals,
  daysBetween,
  parseDecimal,
  type StageDefinition,
  signOf,
  type Today,
} from '#contract'
import type { DocumentSubject } from './progress.ts'

export interface CurrencyTotal {
  readonly currency: string | null
  readonly amount: string
}

/** A stage of a document. */
export interface DocumentStage {
  readonly name: string
  readonly state: 'open' | 'partly' | 'done'
  /** Null if the stage does not count pieces. */
  readonly pieces: number | null
  readonly amounts: readonly CurrencyTotal[]
  /** Days in the brand's time zone. */
  readonly planned: string | null
  readonly actual: string | null
  /**
   * Days later than planned; negative if earlier. Counts until today if it has not happened; null
   * if unknown.
   */
  readonly days: number | null
}

/** The data read for a stage. */
export interface StageFacts
  extends Pick<DocumentStage, 'name' | 'pieces' | 'amounts' | 'planned' | 'actual'> {
  readonly definition: StageDefinition
}

type StageSubject = Pick<DocumentSubject, 'status' | 'today'>

/** The result of the stages before. */
interface Before {
  readonly isDone: boolean
  /** The figure that counts all pieces, and their number. */
  readonly figure: string | undefined
  readonly whole: number
  /** The expected pieces: all, or those of the last completed stage. */
  readonly expected: number
  readonly amounts: readonly CurrencyTotal[]
}

/** The stages of a document in order, each compared with those before. */
export const compareStages = (
  stages: readonly StageFacts[],
  subject: StageSubject,
): readonly DocumentStage[] => {
  const first = stages.find(({ pieces }) => pieces !== null)
  const whole = first?.pieces ?? 0
  const figure = first?.definition.pieces
  let before: Before = { isDone: true, figure, whole, expected: whole, amounts: [] }
  const compared: DocumentStage[] = []
  for (const facts of stages) {
    if (facts.definition.isOptional && !facts.amounts.some(isNotZero)) continue
    const stage = compareStage(facts, before, subject)
    compared.push(stage)
    before = after(before, stage)
  }
  return compared
}

const compareStage = (
  facts: StageFacts,
  before: Before,
  { status, today }: StageSubject,
): DocumentStage => {
  const { name, definition, pieces, amounts, planned, actual } = facts
  const isComplete = completions[measureOf(definition, before)](facts, before)
  const hasEnough = isComplete && (pieces !== null || before.isDone)
  const isDone = definition.doneWhen.includes(status ?? '') || hasEnough
  const isBegun = (pieces ?? 0) > 0 || amounts.some(isNotZero)
  return {
    name,
    state: isDone ? 'done' : isBegun ? 'partly' : 'open',
    pieces,
    amounts,
    planned,
    actual,
    // Invoices so far are fully paid, so the stage is not late although more will follow.
    days: isComplete && !isDone ? null : daysOf(planned, actual, isDone, today),
  }
}

const after = (before: Before, { state, pieces, amounts }: DocumentStage): Before => ({
  ...before,
  isDone: state === 'done',
  expected: pieces !== null && state === 'done' ? Math.min(before.whole, pieces) : before.expected,
  amounts: amounts.length > 0 ? amounts : before.amounts,
})

/** The measure of a stage: all pieces, part of them, amounts, or only a date. */
type Measure = 'whole' | 'pieces' | 'amounts' | 'date'

const measureOf = ({ pieces, amounts }: StageDefinition, { figure }: Before): Measure => {
  if (pieces !== undefined) return pieces === figure ? 'whole' : 'pieces'
  return amounts ? 'amounts' : 'date'
}

/** Whether a stage is complete. A stage without pieces also requires that the one before is done. */
const completions: {
  readonly [Key in Measure]: (stage: StageFacts, before: Before) => boolean
} = {
  whole: ({ definition, pieces }) => definition.doneWhen.length === 0 && (pieces ?? 0) > 0,
  pieces: ({ pieces }, { whole, expected }) => whole > 0 && (pieces ?? 0) >= expected,
  amounts: ({ amounts }, before) =>
    before.amounts.length === 0 ? amounts.some(isNotZero) : reaches(amounts, before.amounts),
  date: ({ actual }) => actual !== null,
}

/** Whether amounts reach the other amounts in every currency. */
const reaches = (amounts: readonly CurrencyTotal[], others: readonly CurrencyTotal[]): boolean =>
  others.some(isNotZero) &&
  others.every(({ currency, amount }) => {
    const own = amounts.find((each) => each.currency === currency)?.amount ?? '0'
    return compareDecimals(parseDecimal(own), parseDecimal(amount)) >= 0
  })

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
