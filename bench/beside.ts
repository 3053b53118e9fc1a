/** One checkout beside two copies of an earlier one. The second copy shows what differs at random. */
import { type Spread, spreadOf } from './statistics.ts'
import { tableOf } from './table.ts'

export const checkoutNames = ['before', 'again', 'after'] as const
export type CheckoutName = (typeof checkoutNames)[number]

/** The order of a round: each checkout is first, second and last in turn. */
export const orderOf = (round: number): readonly CheckoutName[] =>
  checkoutNames.map((_, at) => checkoutNames[(at + round) % checkoutNames.length] as CheckoutName)

/** What was measured in a round, by checkout and part. */
export type Round<Part extends string> = Readonly<
  Record<CheckoutName, Readonly<Record<Part, number>>>
>

export interface Figures {
  readonly part: string
  readonly before: Spread
  readonly after: Spread
  /** The checkout in times the earlier one. */
  readonly ratio: Spread
  /** The second copy of the earlier one in times the first. */
  readonly copies: Spread
}

export const figuresOf = <Part extends string>(
  part: Part,
  rounds: readonly Round<Part>[],
): Figures => {
  const of = (read: (round: Round<Part>) => number) => spreadOf(rounds.map(read)) as Spread
  const earlier = ({ before, again }: Round<Part>) => (before[part] + again[part]) / 2
  return {
    part,
    before: of(earlier),
    after: of(({ after }) => after[part]),
    ratio: of((round) => round.after[part] / earlier(round)),
    copies: of(({ before, again }) => again[part] / before[part]),
  }
}

export const besideTable = (unit: string, figures: readonly Figures[]): string =>
  tableOf(
    [unit, 'before', 'after', 'times', 'spread', 'between copies'],
    figures.map(({ part, before, after, ratio, copies }) => [
      part,
      before.median.toFixed(1),
      after.median.toFixed(1),
      ratio.median.toFixed(3),
      `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
      `${copies.least.toFixed(2)}–${copies.most.toFixed(2)}`,
    ]),
  )
