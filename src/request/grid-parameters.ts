import {
  type GridFormat,
  gridFormats,
  type LabelLanguage,
  labelLanguages,
  type Resource,
} from '#contract'
import { cut, parseQuery, rejectProblems } from './query-string.ts'
import { pathIdParameter } from './record-id.ts'
import { unknownParameter } from './unknown-parameter.ts'

export interface GridParameters {
  readonly format: GridFormat
  /** The language of a workbook's words. */
  readonly labels: LabelLanguage
}

const names = ['format', 'labels']

/** Parses the parameters of a record's grid, with the id in its path. */
export const gridParameters = (resource: Resource) => {
  const checkId = pathIdParameter(resource)
  return (queryText: string, id: string): GridParameters => {
    const query = parseQuery(queryText)
    const idProblem = checkId(id)
    const problems = [...query.problems, ...(idProblem ? [idProblem] : [])]
    let unknownCount = 0
    for (const name of query.values.keys()) {
      if (names.includes(name)) continue
      const issue = unknownParameter(name, names, unknownCount++)
      problems.push({ parameter: cut(name), issue })
    }
    const oneOf = <V extends string>(parameter: string, values: readonly [V, ...V[]]): V => {
      const value = query.values.get(parameter)
      const match = values.find((each) => each === (value ?? values[0]))
      if (match === undefined) {
        problems.push({ parameter, issue: `must be one of ${values.join(', ')}` })
      }
      return match ?? values[0]
    }
    const format = oneOf('format', gridFormats)
    const labels = oneOf('labels', labelLanguages)
    rejectProblems(problems)
    return { format, labels }
  }
}
