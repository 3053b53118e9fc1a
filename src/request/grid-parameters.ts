import {
  type GridFormat,
  gridFormats,
  type LabelLanguage,
  labelLanguages,
  type Resource,
} from '#contract'
import { namedOfRecord } from './named-parameters.ts'
import { rejectProblems } from './query-string.ts'

export interface GridParameters {
  readonly format: GridFormat
  /** The language of a workbook's words. */
  readonly labels: LabelLanguage
}

const names = ['format', 'labels']

/** Parses the parameters of a record's grid, with the id in its path. */
export const gridParameters = (resource: Resource) => {
  const parse = namedOfRecord(resource, names)
  return (queryText: string, id: string): GridParameters => {
    const { values: sent, problems } = parse(queryText, id)
    const oneOf = <V extends string>(parameter: string, values: readonly [V, ...V[]]): V => {
      const value = sent.get(parameter)
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
