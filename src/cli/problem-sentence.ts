import { formatCount } from '#contract'
import { type ProblemGroup, plainText } from '#ingest'

/** A problem with its place; for a group, the first place and the number of problems. */
export const problemSentence = (group: ProblemGroup): string => {
  const { file, line, value, reason, severity, problems, rows } = group
  const shownValue = value && `(${value})`
  const place = line > 0 ? `${file}:${line}` : file
  const [field, origin] = originOf(group)
  const parts =
    problems === 1
      ? [place, field, shownValue, origin, reason]
      : rows === 0
        ? [file, field, shownValue, `${reason}; ${formatCount(problems, 'such problem')} in all`]
        : [
            ...[file, field, origin],
            `${reason}: ${formatCount(rows, 'row')}, first at line ${line}`,
            shownValue,
          ]
  return plainText(`${severity}: ${parts.filter(Boolean).join(' ')}`)
}

/** The field; for a mapped row, its column and its line in the mapping. */
const originOf = ({
  field,
  column,
  mappingFile,
  mappingLine,
}: ProblemGroup): readonly [field: string, origin: string] => {
  if (mappingFile === undefined || !mappingLine) return [field, '']
  const place = `${mappingFile}:${mappingLine}`
  return column ? [`column ${column}`, `${place} ${field}`] : [field, place]
}
