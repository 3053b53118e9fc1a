import { ApiError, limits } from '#contract'

/** A problem with a request parameter, as sent to the client. */
export interface ParameterProblem {
  readonly parameter: string
  readonly issue: string
}

/** The parameters of a query by name, and the problems with the rest. */
export interface Query {
  /** Each at most once; the values of a repeated list are joined by commas. */
  readonly values: ReadonlyMap<string, string>
  readonly problems: readonly ParameterProblem[]
}

/**
 * Parses a query string strictly: invalid UTF-8, repeated parameters and parameters without a name
 * are problems. `+` means a space, as forms and most clients write it. A parameter in `lists` may
 * be repeated: `include=a&include=b` means `include=a,b`.
 */
export const parseQuery = (text: string, lists: readonly string[] = []): Query => {
  if (text === '') return noQuery
  const values = new Map<string, string>()
  const problems: ParameterProblem[] = []
  const repeated: string[] = []
  let count = 0
  for (let start = 0, end = 0; start <= text.length; start = end + 1) {
    const ampersand = text.indexOf('&', start)
    end = ampersand === -1 ? text.length : ampersand
    if (end === start) continue
    count += 1
    if (count > limits.parameters) return tooManyParameters
    const pair = text.slice(start, end)
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    const name = decode(rawName)
    if (name === null) {
      problems.push({ parameter: cut(rawName), issue: 'is not valid percent-encoded UTF-8' })
      continue
    }
    if (name === '') {
      problems.push({ parameter: '', issue: 'a parameter has no name' })
      continue
    }
    const before = values.get(name)
    if (before !== undefined && !lists.includes(name)) {
      if (!repeated.includes(name)) repeated.push(name)
      continue
    }
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
    values.set(name, before === undefined ? (value ?? '') : `${before},${value ?? ''}`)
    const issue = encodingIssue(value)
    if (issue && !problems.some((each) => each.parameter === cut(name) && each.issue === issue)) {
      problems.push({ parameter: cut(name), issue })
    }
  }
  // Reported once, however often it was repeated.
  for (const name of repeated) {
    problems.push({ parameter: cut(name), issue: 'must be given once only' })
  }
  return { values, problems }
}

const noQuery: Query = { values: new Map(), problems: [] }
const tooManyParameters: Query = {
  values: new Map(),
  problems: [{ parameter: '', issue: `there are more than ${limits.parameters} parameters` }],
}

const encodingIssue = (value: string | null): string | undefined => {
  if (value === null) return 'is not valid percent-encoded UTF-8'
  return value.includes('\u0000') ? 'must not contain a NUL character' : undefined
}

/** Rejects a request that has problems, and reports all of them. */
export const rejectProblems = (
  problems: readonly ParameterProblem[],
  code: 'invalid_parameter' | 'unsupported_include' = 'invalid_parameter',
): void => {
  const [first] = problems
  if (!first) return
  const details = problems.slice(0, limits.problems).map((each) => ({ ...each }))
  const named = first.parameter === '' ? 'In the query' : `Parameter ${first.parameter}`
  const more = problems.length > 1 ? ` There are ${problems.length} problems; see details.` : ''
  throw new ApiError(
    code,
    `${named} ${first.issue}${first.issue.endsWith('?') ? '' : '.'}${more}`,
    { details },
  )
}

const decode = (text: string): string | null => {
  if (!/[%+\u0080-\uffff]/.test(text)) return text
  if (!isAscii(text)) return null
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Node decodes the request line as Latin-1: a raw byte beyond ASCII is not percent-encoded. */
const isAscii = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text)

/** Truncates client input for echoing, without splitting a character. */
export const cut = (text: string): string =>
  text.length > 100 ? `${text.slice(0, 100).replace(/[\ud800-\udbff]$/, '')}…` : text

/** Cursors, numbers and most values need no encoding. */
const plain = /^[\w.~-]*$/

/** Encodes a value for a query string. The result cannot end a header or an address. */
export const encodeValue = (value: string): string =>
  plain.test(value)
    ? value
    : encodeURIComponent(value).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
