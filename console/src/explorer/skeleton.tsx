import type { Group } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { type Density, rowHeights } from './density.ts'

/** The height of a table head in `explorer.css`, in rem. */
const headHeight = 2

interface SkeletonProps {
  readonly group: Group
  readonly rows: number
  readonly density: Density
}

/**
 * The table while its rows load, at its final height. It is one element with a pattern: most rows
 * arrive so soon that rendering a placeholder table would delay them.
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
