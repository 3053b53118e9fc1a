import type { Field, Group } from '../contract.ts'

/** The table while its rows are loading, at its final height. */
export const Skeleton = ({
  group,
  fields,
  rows,
}: {
  group: Group
  fields: readonly Field[]
  rows: number
}) => (
  <>
    <div className="grid-scroll" role="status" aria-label={`Loading ${group.title}`}>
      <table className="grid skeleton" aria-hidden="true">
        <thead>
          <tr>
            {fields.map(({ name, label }) => (
              <th key={name}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows are all alike
            <tr key={index}>
              {fields.map(({ name }) => (
                <td key={name}>
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
