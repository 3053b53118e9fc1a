import type { UploadProblem } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'

interface ProblemsProps {
  readonly problems: readonly UploadProblem[]
  /** All problems, also those that are not listed. */
  readonly total?: number
}

/** What is wrong with rows, in the words of their sender: file, line, key and column. */
export const Problems = ({ problems, total = 0 }: ProblemsProps) => {
  const words = adminTexts().upload
  if (problems.length === 0) return null
  const more = total - problems.reduce((sum, each) => sum + each.problems, 0)
  return (
    <ul className="upload-problems" aria-label={words.problems}>
      {problems.map((problem) => (
        <Problem key={JSON.stringify(problem)} {...problem} />
      ))}
      {more > 0 && <li className="quiet">{words.moreProblems(countText(more))}</li>}
    </ul>
  )
}

const Problem = (problem: UploadProblem) => {
  const words = adminTexts().upload
  const { severity, file, line, key, value, reason, problems, rows } = problem
  const place = [file, line > 0 && words.line(line), key].filter(Boolean).join(', ')
  const field = problem.column ? words.column(problem.column) : problem.field.replace(/^\//, '')
  return (
    <li>
      <span className={severity === 'error' ? 'chip chip-bad' : 'chip chip-warn'}>
        {words.severities[severity]}
      </span>
      <span>
        {field && <code>{field}</code>} {value && <q>{value}</q>} {reason}
        <span className="admin-note">
          {place}
          {problems > 1 && ` · ${words.suchProblems(problems, rows)}`}
          {problem.mappingLine ? ` · ${problem.mappingFile}:${problem.mappingLine}` : ''}
        </span>
      </span>
    </li>
  )
}
