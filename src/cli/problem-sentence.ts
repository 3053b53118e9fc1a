import { formatCount } from '#contract'
import { type ProblemGroup, plainText } from '#ingest'

/** One problem with its place; for several alike, the first place and how many there are. */
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

/** The field; of a mapped row, its column and the line of the mapping that says how it is made. */
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
