import type { Group } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import type { Column } from './column.ts'

interface SkeletonProps {
  readonly group: Group
  readonly columns: readonly Column[]
  readonly rows: number
}

/** The table while its rows are loading, at its final height. */
export const Skeleton = ({ group, columns, rows }: SkeletonProps) => (
  <>
    <div
      className="grid-scroll"
      role="status"
      aria-label={texts().explorer.loading(groupTitle(group))}
    >
      <table className="grid skeleton" aria-hidden="true">
        <thead>
          <tr>
            {columns.map(({ key, label }) => (
              <th key={key}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows are all alike
            <tr key={index}>
              {columns.map(({ key }) => (
                <td key={key}>
                  <span className="bone" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <div className="grid-foot" />
  </>
)
