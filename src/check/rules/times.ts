import {
  catalog,
  describeZone,
  probableShift,
  type Resource,
  type ResourcePath,
  shiftHours,
} from '#contract'
import { type Finding, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { changedColumn, row, valueFrom } from '../source.ts'
import { lastImport, latestExplained, now, type Sql, sql } from '../sql.ts'

/** The records whose last change is in the future. The index on that time finds them. */
const changedInFuture = ({ path }: Resource): Finding => {
  const record = row(path as ResourcePath, 'record')
  const other = row(path as ResourcePath, 'other')
  const [changed, otherChanged] = [changedColumn(record), changedColumn(other)]
  const explained = sql`${otherChanged} > ${now} and ${otherChanged} <= ${latestExplained}`
  const newest: Sql = valueFrom(sql`max(${otherChanged})`, {
    from: other,
    where: { ...explained, finds: [otherChanged.column].flatMap((each) => each ?? []) },
  })
  return scan({
    from: record,
    where: {
      ...sql`${changed} > ${now}`,
      finds: [changed.column].flatMap((each) => each ?? []),
    },
    read: { changed, newest, lastImport },
    judge: ({ changed, newest, lastImport }) => {
      const time = `updatedAt is ${new Date(Number(changed)).toISOString()}`
      const shift =
        newest !== null && Number(changed) <= Number(newest)
          ? probableShift(Number(newest) - Number(lastImport))
          : null
      if (shift === null) return time
      const at = Number(lastImport)
      const [later, earlier] = [shift, -shift].map((offset) => describeZone(offset, at))
      return `${time}, probably ${shiftHours(shift)} hours too late: times of ${later} taken for UTC, or times of UTC taken for ${earlier}`
    },
  })
}

/** The collections with an indexed time of the last change. */
const dated = catalog.resources.filter(({ sortable }) => sortable.includes('updatedAt'))

/** TIM-01: times of changes. */
export const timeRules: readonly Rule[] = [
  rule(
    'TIM-01',
    'warning',
    dated.map(({ path }) => path as ResourcePath),
    'No record was changed in the future.',
    'Correct the time zone of the times in the source or in the mapping, and import the records again.',
    ...dated.map(changedInFuture),
  ),
]
