import type { ScoredLine } from './score.ts'

/** What a proposal has to reach, over all schemas. */
export const targets = { rightPercent: 70, certainPercent: 40, wrongCertain: 0, wrongKeys: 0 }

export interface Figures {
  readonly fields: number
  readonly right: number
  readonly wrong: number
  readonly open: number
  readonly missing: number
  readonly rightPercent: number
  /** Fields that columns give: none of the right derivations is open, a constant or a time. */
  readonly columnFields: number
  readonly columnRightPercent: number
  readonly lines: number
  readonly certain: number
  readonly certainPercent: number
  readonly wrongCertain: number
  readonly keys: number
  readonly wrongKeys: number
}

export const figuresOf = (lines: readonly ScoredLine[]): Figures => {
  const fields = lines.filter(({ part }) => part === 'field' || part === 'where')
  const count = (outcome: ScoredLine['outcome']) =>
    fields.filter((line) => line.outcome === outcome).length
  const proposed = lines.filter(({ certainty }) => certainty !== null)
  const certain = proposed.filter(({ certainty }) => certainty === 'certain')
  const fromColumns = fields.filter(({ isFromColumns }) => isFromColumns)
  const keys = lines.filter(({ part }) => part === 'id')
  return {
    fields: fields.length,
    right: count('right'),
    wrong: count('wrong'),
    open: count('open'),
    missing: count('missing'),
    rightPercent: percent(count('right'), fields.length),
    columnFields: fromColumns.length,
    columnRightPercent: percent(
      fromColumns.filter(({ outcome }) => outcome === 'right').length,
      fromColumns.length,
    ),
    lines: proposed.length,
    certain: certain.length,
    certainPercent: percent(certain.length, proposed.length),
    wrongCertain: certain.filter(({ outcome }) => outcome === 'wrong').length,
    keys: keys.length,
    wrongKeys: keys.filter(({ outcome }) => outcome === 'wrong').length,
  }
}

const percent = (part: number, all: number): number =>
  all === 0 ? 0 : Math.round((part / all) * 1_000) / 10

export const meetsTargets = (figures: Figures): boolean =>
  figures.rightPercent >= targets.rightPercent &&
  figures.certainPercent >= targets.certainPercent &&
  figures.wrongCertain <= targets.wrongCertain &&
  figures.wrongKeys <= targets.wrongKeys
