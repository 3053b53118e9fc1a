import type { Group } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { type Density, rowHeights } from './density.ts'

/** Of the head of a table in `explorer.css`, in rem. */
const headHeight = 2

interface SkeletonProps {
  readonly group: Group
  readonly rows: number
  readonly density: Density
}

/**
 * The table while its rows are loading, at its final height. One element with a pattern: most rows come
 * so soon that building a table for the meantime would make them late.
 */
export const Skeleton = ({ group, rows, density }: SkeletonProps) => (
  <>
    <div
      className={`grid-scroll skeleton skeleton-${density}`}
      role="status"
      aria-label={texts().explorer.loading(groupTitle(group))}
      style={{ height: `${headHeight + rows * rowHeights[density]}rem` }}
    />
    <div className="grid-foot" />
  </>
)
