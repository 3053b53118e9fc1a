import { formatCount } from '#contract'
import type { Session } from '#database'
import { firstProblem } from '#ingest'
import type { BatchResult, UnitResult } from './batch.ts'
import { errorText } from './unit.ts'
import { keptProblems } from './unit-result.ts'
import { finishUnit } from './unit-table.ts'

/** A batch that is finished already stays as it is. */
export const finishBatch = (session: Session, id: string, result: BatchResult): Promise<boolean> =>
  finishUnit(session, id, {
    state: result.state === 'refused' ? 'refused' : 'done',
    at: String(result.finishedAt),
    lastError: refusalOf(result),
    result: JSON.stringify(result),
    summary: JSON.stringify(summaryOf(result)),
  })

const summaryOf = ({ collections, problems, problemCount }: BatchResult): UnitResult => ({
  ...{ collections, problemCount, problems: problems.slice(0, keptProblems) },
})

/** The first problem of a refused batch, as operators see it. */
const refusalOf = ({ state, problems, problemCount }: BatchResult): string | null => {
  if (state !== 'refused') return null
  const sentence = firstProblem({ errors: problemCount, first: problems })
  return errorText(sentence ?? formatCount(problemCount, 'problem'))
}
