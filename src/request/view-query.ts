import {
  ApiError,
  type Catalog,
  type GroupScope,
  layoutParameters,
  type PublishedView,
  placeParameters,
  type Resource,
  resolveDays,
  wholeScope,
} from '#contract'
import { closeGroups } from './close-groups.ts'
import { queryParameters } from './query-parameters.ts'
import { cut, rejectProblems } from './query-string.ts'

type ParseQuery = ReturnType<typeof queryParameters>

/** Checks views as requests for their lists would. */
export interface ViewChecks {
  /** Throws an `ApiError` if the list of a view cannot be read with a scope. */
  check(view: Pick<PublishedView, 'group' | 'query'>, scope?: GroupScope): void
  /** Whether it can. */
  canRead(view: PublishedView, scope: GroupScope): boolean
}

export const createViewChecks = (served: Catalog): ViewChecks => {
  const parsers = new Map<Resource, ParseQuery>()
  const parserOf = (resource: Resource): ParseQuery => {
    const parse = parsers.get(resource) ?? queryParameters(resource)
    parsers.set(resource, parse)
    return parse
  }
  const check: ViewChecks['check'] = ({ group, query }, scope = wholeScope) => {
    const resource = served.byPath.get(group)
    if (!resource?.endpoints.includes('list')) {
      throw noList(served, group)
    }
    parserOf(resource)(listParameters(query), scope)
  }
  return {
    check,
    canRead: (view, scope) => {
      try {
        check(view, scope)
        return true
      } catch (error) {
        if (error instanceof ApiError) return false
        throw error
      }
    },
  }
}

const noList = (served: Catalog, group: string): ApiError => {
  const meant = closeGroups(served, group)
  const advice = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : ''
  return new ApiError('not_found', `There is no list of ${cut(group)}.${advice}`)
}

/** Any day: whether parameters are valid does not depend on it. */
const someDay = '2026-01-01'

/** The parameters that the console sends to the API. */
const listParameters = (query: string): string => {
  const sent: [string, string][] = []
  for (const [name, value] of new URLSearchParams(query)) {
    const form = layoutParameters.get(name)
    if (form && !form.test(value)) {
      const issue = 'must have names of fields or columns'
      rejectProblems([{ parameter: name, issue }])
    }
    if (!form && !placeParameters.has(name)) sent.push(...resolved(name, value))
  }
  return new URLSearchParams(sent).toString()
}

const resolved = (name: string, value: string): [string, string][] =>
  Object.entries(resolveDays({ [name]: value }, someDay))
