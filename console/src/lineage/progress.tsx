import { walkBounds } from '../../../src/contract/index.ts'
import { texts } from '../texts/index.ts'
import { hiddenCount, type Lineage, missingCount } from './lineage.ts'
import type { LineageActions, LineageState } from './use-lineage.ts'

interface ProgressProps {
  readonly state: LineageState
  readonly actions: LineageActions
}

/** The progress of the walk and the number of remaining reads. */
export const Progress = ({ state, actions }: ProgressProps) => {
  const { lineage, reads, ended, busy, announcement } = state
  const words = texts().lineage
  const records = lineage?.nodes.size ?? 0
  if (ended === null) {
    return (
      <div className="progress">
        {lineage && <p>{words.progress(records, reads, walkBounds.records, walkBounds.reads)}</p>}
        <button type="button" onClick={actions.stop}>
          {words.stop}
        </button>
      </div>
    )
  }
  const sentences = [
    busy === null ? announcement : words.loadingMore,
    words.records(records),
    endingText(ended),
    ...(lineage ? leftOut(lineage) : []),
  ]
  return (
    <div className="progress">
      <p role="status">{sentences.filter((each) => each !== '').join(' ')}</p>
      {ended.reason !== 'complete' && !state.error && (
        <button type="button" onClick={actions.resume}>
          {words.resume}
        </button>
      )}
    </div>
  )
}

const endingText = (ended: NonNullable<LineageState['ended']>): string => {
  const words = texts().lineage
  if (ended.reason === 'complete') return words.complete
  if (ended.reason === 'cancelled') return words.incomplete
  const limit = ended.limit ?? 0
  return ended.reason === 'records'
    ? words.recordLimit(limit, ended.left)
    : words.readLimit(limit, ended.left)
}

const leftOut = (lineage: Lineage): readonly string[] => {
  const words = texts().lineage
  const [hidden, missing] = [hiddenCount(lineage), missingCount(lineage)]
  return [
    hidden === 0 ? '' : words.hidden(hidden, lineage.truncated.size),
    missing === 0 ? '' : words.missingRecords(missing),
  ]
}
