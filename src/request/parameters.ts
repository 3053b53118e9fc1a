import {
  type Catalog,
  type Filter,
  type FilterKind,
  feedPageSize,
  feedPageSizePattern,
  limits,
  patterns,
  type Relation,
  type Resource,
  relationsOf,
} from '#contract'
import {
  cut,
  nearest,
  type ParameterProblem,
  parseQuery,
  type Query,
  rejectProblems,
} from './query-string.ts'

/** The parameters of a list, read and checked. The cursor is opened later. */
export interface ListParameters {
  readonly filters: ReadonlyMap<string, string | number>
  readonly limit: number
  readonly include: readonly Relation[]
  readonly cursor: string | null
}

/** The parameters whose value is a list, which clients write with commas or by repeating them. */
const listNames = ['include']

/** What a list of this resource accepts, worked out once. */
export const listParameters = (resource: Resource) => {
  const relations = relationsOf(resource)
  const readers = new Map<string, Reader>([
    ['limit', limitReader(limits.pageSize, patterns.pageSize)],
    ['cursor', readCursor],
    ...resource.filters.map((filter) => [filter.name, filterReader(filter)] as const),
  ])
  const names = [...readers.keys(), ...(relations.length > 0 ? ['include'] : [])]
  return (queryText: string): ListParameters => {
    const query = parseQuery(queryText, listNames)
    const problems = [...query.problems]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    const draft: Draft = { filters: new Map(), limit: limits.pageSize.default, cursor: null }
    for (const [name, text] of query.values) {
      if (name === 'include' || broken.has(cut(name))) continue
      const read = readers.get(name)
      const issue = read ? read(text, draft) : unknownParameter(name, names)
      if (issue) problems.push({ parameter: cut(name), issue })
    }
    return { ...draft, include: readInclude(resource, relations, query, problems) }
  }
}

/** The parameters of the feed, read and checked. The cursor is opened later. */
export interface FeedParameters {
  readonly collection: string | null
  readonly limit: number
  readonly cursor: string | null
}

/** What the feed accepts. */
export const feedParameters = ({ byPath }: Catalog) => {
  const collections = [...byPath.keys()]
  const readLimit = limitReader(feedPageSize, feedPageSizePattern)
  return (queryText: string): FeedParameters => {
    const query = parseQuery(queryText)
    const problems = [...query.problems]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    const draft: Draft = { filters: new Map(), limit: feedPageSize.default, cursor: null }
    let collection: string | null = null
    const readers = new Map<string, Reader>([
      ['limit', readLimit],
      ['cursor', readCursor],
      [
        'collection',
        (text) => {
          collection = text
          return byPath.has(text) ? undefined : unknownCollection(text, collections)
        },
      ],
    ])
    for (const [name, text] of query.values) {
      if (broken.has(cut(name))) continue
      const read = readers.get(name)
      const issue = read ? read(text, draft) : unknownParameter(name, [...readers.keys()])
      if (issue) problems.push({ parameter: cut(name), issue })
    }
    rejectProblems(problems)
    return { collection, limit: draft.limit, cursor: draft.cursor }
  }
}

const unknownCollection = (text: string, collections: readonly string[]): string => {
  const meant = nearest(text, collections)
  return `names ${JSON.stringify(cut(text))}, which is not a collection${meant ? `; did you mean ${meant}?` : ''}`
}

interface Draft {
  readonly filters: Map<string, string | number>
  limit: number
  cursor: string | null
}

/** Reads one parameter's text into the draft, or says what is wrong with it. */
type Reader = (text: string, draft: Draft) => string | undefined

/** What a get of this resource accepts: `include`, and nothing else. */
export const getParameters = (resource: Resource) => {
  const relations = relationsOf(resource)
  return (queryText: string, id: ParameterProblem | undefined): readonly Relation[] => {
    const query = parseQuery(queryText, listNames)
    const problems = [...(id ? [id] : []), ...query.problems]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    for (const name of query.values.keys()) {
      if (name === 'include' || broken.has(cut(name))) continue
      problems.push({
        parameter: cut(name),
        issue: unknownParameter(name, relations.length > 0 ? ['include'] : []),
      })
    }
    return readInclude(resource, relations, query, problems)
  }
}

/** What is wrong with the `{id}` of a path, if anything. */
export const idParameter = (resource: Resource) => {
  const pattern = new RegExp(resource.idPattern ?? patterns.id)
  const issue =
    resource.idPattern === patterns.country
      ? 'must be two upper-case letters'
      : 'must be a lower-case UUID'
  return (id: string): ParameterProblem | undefined =>
    pattern.test(id) ? undefined : { parameter: 'id', issue }
}

/** The same for a path that somebody typed: people know a record by its number or name. */
export const pathIdParameter = (resource: Resource) => {
  const check = idParameter(resource)
  const { path, title, filters } = resource
  const filter = filters.find(({ name }) => name === title)
  const hint = filter ? `; to find a record by its ${title}, use ${path}?${title}=…` : ''
  return (id: string): ParameterProblem | undefined => {
    if (id === '') {
      const issue = `is missing; to list ${path}, leave out the slash at the end`
      return { parameter: 'id', issue }
    }
    const problem = check(id)
    return problem && { ...problem, issue: problem.issue + hint }
  }
}

/** Refuses what was collected, then reads `include`, which has a code of its own. */
const readInclude = (
  resource: Resource,
  relations: readonly Relation[],
  query: Query,
  problems: readonly ParameterProblem[],
): readonly Relation[] => {
  const text = query.values.get('include')
  const include: Relation[] = []
  const wrong: ParameterProblem[] = []
  const report = (issue: string) => wrong.push({ parameter: 'include', issue })
  const isReported = problems.some(({ parameter }) => parameter === 'include')
  if (text !== undefined && !isReported) {
    if (relations.length === 0) report(`is not supported: ${resource.path} has no relations`)
    else {
      const names = relations.map(({ name }) => name)
      for (const name of text.split(',')) {
        const relation = relations.find((each) => each.name === name)
        if (!relation) {
          const quoted = JSON.stringify(cut(name))
          report(`names ${quoted}, which is none of ${names.join(', ')}`)
        } else if (include.includes(relation)) report(`names ${name} more than once`)
        else include.push(relation)
      }
    }
  }
  if (problems.length === 0) rejectProblems(wrong, 'unsupported_include')
  rejectProblems([...problems, ...wrong])
  return include
}

/** Reads a page's size that is written as the pattern says. */
const limitReader = (
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
  pattern: string,
): Reader => {
  const pageSize = new RegExp(pattern)
  return (text, draft) => {
    if (!pageSize.test(text)) return `must be a whole number from ${minimum} to ${maximum}`
    draft.limit = Number(text)
    return undefined
  }
}

const readCursor: Reader = (text, draft) => {
  if (text === '') return 'must not be empty'
  draft.cursor = text
  return undefined
}

const identifier = new RegExp(patterns.id)
const integer = new RegExp(patterns.integerFilter)

/** Reads a filter's text into a value, or says what is wrong with it. */
const readersByKind: Record<FilterKind, (text: string) => { value: string | number } | string> = {
  identifier: (text) => (identifier.test(text) ? { value: text } : 'must be a lower-case UUID'),
  string: (text) => {
    const { minLength, maxLength } = limits.stringFilter
    const issue = `must have ${minLength} to ${maxLength} characters`
    // Characters are counted as people and JSON Schema count them, not as UTF-16 does.
    return text.length >= minLength && text.length <= maxLength * 2 && [...text].length <= maxLength
      ? { value: text }
      : issue
  },
  integer: (text) => {
    const { minimum, maximum, maxLength } = limits.integerFilter
    return text.length <= maxLength && integer.test(text) && Number(text) <= maximum
      ? { value: Number(text) }
      : `must be a whole number from ${minimum} to ${maximum} without leading zeros`
  },
}

const filterReader =
  ({ name, kind }: Filter): Reader =>
  (text, draft) => {
    const result = readersByKind[kind](text)
    if (typeof result === 'string') return result
    draft.filters.set(name, result.value)
    return undefined
  }

/** What is said of a parameter that is not there, with the one that was meant if that is plain. */
const unknownIssue = (name: string, names: readonly string[]): string => {
  if (names.length === 0) return 'is not a parameter here: this path takes none'
  const meant = nearest(name, names)
  return `is not a parameter here${meant ? `; did you mean ${meant}?` : ''}`
}

/** The same, with all that there are where none was meant. */
const unknownParameter = (name: string, names: readonly string[]): string => {
  const issue = unknownIssue(name, names)
  return names.length === 0 || issue.endsWith('?')
    ? issue
    : `${issue}; this path takes ${names.join(', ')}`
}
