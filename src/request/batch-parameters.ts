import { mapNamePattern } from '#contract'
import { cut, parseQuery, rejectProblems } from './query-string.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** The parameters of a request that sends a batch. */
export interface BatchParameters {
  /** The name of a mapping; null for records in the form of the API. */
  readonly map: string | null
  readonly dryRun: boolean
  /** Whether records that refer to a missing record wait for it. */
  readonly park: boolean
  /** Whether records that cannot be stored wait in quarantine, instead of refusing the batch. */
  readonly quarantine: boolean
  /** The share of bad records that refuses the batch nevertheless, in percent; null for the default. */
  readonly maxBadRows: number | null
  /** Whether the batch has a result for each item. */
  readonly results: boolean
  /** The id of the key that signed the message. */
  readonly key: string | null
}

const mapName = new RegExp(mapNamePattern)
const names = ['map', 'dry-run', 'park', 'on-error', 'max-bad-rows', 'results', 'key']

const flagIssue = (value: string): string | undefined =>
  value === 'true' || value === 'false' ? undefined : 'must be true or false'

/** Returns the problem with each parameter's value, if any. */
const issues: { readonly [name: string]: (value: string) => string | undefined } = {
  map: (value) =>
    mapName.test(value)
      ? undefined
      : 'must be the name of a mapping: letters, digits, hyphens and underscores',
  'dry-run': flagIssue,
  park: flagIssue,
  'on-error': (value) =>
    value === 'refuse' || value === 'quarantine' ? undefined : 'must be refuse or quarantine',
  'max-bad-rows': (value) =>
    /^\d{1,3}(\.\d{1,3})?$/.test(value) && Number(value) <= 100
      ? undefined
      : 'must be a number from 0 to 100',
  results: (value) => (value === 'items' ? undefined : 'must be items'),
  key: (value) =>
    /^key_[\w-]{12}$/.test(value) ? undefined : 'must be the id of a key, such as key_2f9Kd0aLx3Qz',
}

export const batchParameters = (queryText: string): BatchParameters => {
  const { values, problems: undecoded } = parseQuery(queryText)
  const problems = [...undecoded]
  let unknownCount = 0
  for (const [name, value] of values) {
    const issueOf = Object.hasOwn(issues, name) ? issues[name] : undefined
    const issue = issueOf ? issueOf(value) : unknownParameter(name, names, unknownCount++)
    if (issue) problems.push({ parameter: cut(name), issue })
  }
  rejectProblems(problems)
  return {
    map: values.get('map') ?? null,
    dryRun: values.get('dry-run') === 'true',
    park: values.get('park') === 'true',
    quarantine: values.get('on-error') === 'quarantine',
    maxBadRows: values.has('max-bad-rows') ? Number(values.get('max-bad-rows')) : null,
    results: values.has('results'),
    key: values.get('key') ?? null,
  }
}
