import {
  type Catalog,
  catalog,
  type Filter,
  type FilterKind,
  feedNumberPattern,
  feedPageSize,
  feedPageSizePattern,
  filteredField,
  type GroupScope,
  limits,
  patterns,
  type Relation,
  type Resource,
  relationsOf,
  requireGroups,
  requireNamed,
} from '#contract'
import { closeGroups } from './close-groups.ts'
import {
  cut,
  type ParameterProblem,
  parseQuery,
  type Query,
  rejectProblems,
} from './query-string.ts'
import { invalidIdentifier } from './record-id.ts'
import { nearest } from './suggestion.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** The parsed parameters of a list. The cursor is opened later. */
export interface ListParameters {
  readonly filters: ReadonlyMap<string, string | number>
  readonly limit: number
  readonly include: readonly Relation[]
  readonly cursor: string | null
}

/** List-valued parameters, which clients write with commas or by repetition. */
const listNames = ['include']

/** Parses the parameters of a resource's list, for a key with a scope; prepared once. */
export const listParameters = (resource: Resource) => {
  const relations = relationsOf(resource)
  const readers = new Map<string, Reader>([
    ['limit', limitReader(limits.pageSize, patterns.pageSize)],
    ['cursor', readCursor],
    ...resource.filters.map((filter) => [filter.name, filterReader(resource, filter)] as const),
  ])
  const names = [...readers.keys(), ...(relations.length > 0 ? ['include'] : [])]
  return (queryText: string, scope: GroupScope): ListParameters => {
    const query = parseQuery(queryText, listNames)
    const problems = [...query.problems]
    const broken = brokenIn(query)
    const draft: Draft = { filters: new Map(), limit: limits.pageSize.default, cursor: null }
    let unknownCount = 0
    for (const [name, text] of query.values) {
      if (name === 'include' || broken?.has(cut(name))) continue
      const read = readers.get(name)
      const issue = read
        ? read(text, draft)
        : unknownParameter(name, names, unknownCount++, resource)
      if (issue) problems.push({ parameter: cut(name), issue })
    }
    const { filters, limit, cursor } = draft
    const include = readInclude(resource, relations, query, problems)
    requireNamed(scope, resource, { filters, include })
    return { filters, limit, cursor, include }
  }
}

/** The parameters that could not be decoded; null if there are none, as nearly always. */
const brokenIn = ({ problems }: Query): ReadonlySet<string> | null =>
  problems.length === 0 ? null : new Set(problems.map(({ parameter }) => parameter))

/** The parsed parameters of the feed. The cursor is opened later. */
export interface FeedParameters {
  readonly collection: string | null
  readonly limit: number
  readonly cursor: string | null
  /** Without a cursor: returns changes with a greater number. */
  readonly after: number | null
}

/** Parses the parameters of the feed. */
export const feedParameters = (served: Catalog) => {
  const readLimit = limitReader(feedPageSize, feedPageSizePattern)
  return (queryText: string, scope: GroupScope): FeedParameters => {
    const query = parseQuery(queryText)
    const problems = [...query.problems]
    const broken = brokenIn(query)
    const draft: Draft = { filters: new Map(), limit: feedPageSize.default, cursor: null }
    let collection: string | null = null
    let after: number | null = null
    const readers = new Map<string, Reader>([
      ['limit', readLimit],
      ['cursor', readCursor],
      [
        'after',
        (text) => {
          after = Number(text)
          return feedNumber.test(text) ? undefined : 'must be the number of a change, or 0'
        },
      ],
      [
        'collection',
        (text) => {
          collection = text
          return served.byPath.has(text) ? undefined : unknownCollection(served, text)
        },
      ],
    ])
    let unknownCount = 0
    for (const [name, text] of query.values) {
      if (broken?.has(cut(name))) continue
      const read = readers.get(name)
      const issue = read
        ? read(text, draft)
        : unknownParameter(name, [...readers.keys()], unknownCount++)
      if (issue) problems.push({ parameter: cut(name), issue })
    }
    rejectProblems(problems)
    if (collection !== null) requireGroups(scope, [collection])
    return { collection, limit: draft.limit, cursor: draft.cursor, after }
  }
}

const feedNumber = new RegExp(feedNumberPattern)

const unknownCollection = (served: Catalog, text: string): string => {
  const meant = closeGroups(served, text)
  const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : ''
  return `names ${JSON.stringify(cut(text))}, which is not a collection${advice}`
}

interface Draft {
  readonly filters: Map<string, string | number>
  limit: number
  cursor: string | null
}

/** Reads one parameter's text into the draft, or returns its problem. */
type Reader = (text: string, draft: Draft) => string | undefined

/** Parses the parameters of a get: only `include`. */
export const getParameters = (resource: Resource) => {
  const relations = relationsOf(resource)
  return (
    queryText: string,
    id: ParameterProblem | undefined,
    scope: GroupScope,
  ): readonly Relation[] => {
    if (queryText === '' && !id) return noRelations
    const query = parseQuery(queryText, listNames)
    const problems = [...(id ? [id] : []), ...query.problems]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    let unknownCount = 0
    for (const name of query.values.keys()) {
      if (name === 'include' || broken.has(cut(name))) continue
      const names = relations.length > 0 ? ['include'] : []
      problems.push({
        parameter: cut(name),
        issue: unknownParameter(name, names, unknownCount++, resource),
      })
    }
    const include = readInclude(resource, relations, query, problems)
    requireNamed(scope, resource, { include })
    return include
  }
}

const noRelations: readonly Relation[] = []

/** Rejects the collected problems, then reads `include`, which has a separate error code. */
export const readInclude = (
  resource: Resource,
  relations: readonly Relation[],
  query: Query,
  problems: readonly ParameterProblem[],
): readonly Relation[] => {
  const text = query.values.get('include')
  if (text === undefined && problems.length === 0) return noRelations
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
          const meant = meantRelation(relations, name)
          const advice = meant ? `; did you mean ${meant}?` : ''
          report(`names ${quoted}, which is none of ${names.join(', ')}${advice}`)
        } else if (include.includes(relation)) report(`names ${name} more than once`)
        else include.push(relation)
      }
    }
  }
  if (problems.length === 0) rejectProblems(wrong, 'unsupported_include')
  rejectProblems([...problems, ...wrong])
  return include
}

/** The relation meant by its field, by the group it leads to, or by a similar name. */
const meantRelation = (relations: readonly Relation[], text: string): string | undefined =>
  relations.find(({ field, to }) => field === text || to === text)?.name ??
  nearest(
    text,
    relations.map(({ name }) => name),
  )

/** Reads a page size that matches the pattern. */
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

/** Reads a filter's text into a value, or returns its problem. */
const readersByKind: Record<
  FilterKind,
  (text: string, target: Resource | undefined) => { value: string | number } | string
> = {
  identifier: (text, target) =>
    identifier.test(text) ? { value: text } : invalidIdentifier(text, target),
  string: (text) => {
    const { minLength, maxLength } = limits.stringFilter
    const issue = `must have ${minLength} to ${maxLength} characters`
    // Counts characters as people and JSON Schema do, not UTF-16 units.
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

export const filterReader = (resource: Resource, filter: Filter): Reader => {
  const { name, kind } = filter
  const to = kind === 'identifier' ? filteredField(catalog, resource, filter)?.to : undefined
  const target = to === undefined ? undefined : catalog.byPath.get(to)
  return (text, draft) => {
    const result = readersByKind[kind](text, target)
    if (typeof result === 'string') return result
    draft.filters.set(name, result.value)
    return undefined
  }
}
