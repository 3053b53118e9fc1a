import { formatCount } from '#contract'
import { type ProblemGroup, plainText } from '#ingest'

/** A problem with its place; for a group, the first place and the number of problems. */
export const problemSentence = (group: ProblemGroup): string => {
  const { file, line, key, value, reason, severity, problems, rows } = group
  const shownValue = value && `(${value})`
  const place = line > 0 ? `${file}:${line}` : file
  const [field, origin] = originOf(group)
  const parts =
    problems === 1
      ? [place, key && `${key}:`, field, shownValue, origin, reason]
      : rows === 0
        ? [file, field, shownValue, `${reason}; ${formatCount(problems, 'such problem')} in all`]
        : [
            ...[file, field, origin],
            `${reason}: ${formatCount(rows, 'row')}, first ${firstPlace(group)}`,
            shownValue,
          ]
  return plainText(`${severity}: ${parts.filter(Boolean).join(' ')}`)
}

/** `at line 5, vendor_no "70012"`; rows of a query have no line. */
const firstPlace = ({ line, key }: ProblemGroup): string =>
  [line > 0 ? `at line ${line}` : 'is', key].filter(Boolean).join(line > 0 ? ', ' : ' ')

/** The field; for a mapped row, its column and its line in the mapping. */
const originOf = ({
  field,
  column,
  mappingFile,
  mappingLine,
}: ProblemGroup): readonly [field: string, origin: string] => {
  if (mappingFile === undefined || !mappingLine) return [field, '']
  const place = `${mappingFile}:${mappingLine}`
  return column ? [`column ${column}`, `${place} ${field}`.trimEnd()] : [field, place]
}
