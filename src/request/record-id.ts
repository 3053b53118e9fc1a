import { type Filter, patterns, queryBasePath, type Resource, searchPath } from '#contract'
import { encodeValue, type ParameterProblem } from './query-string.ts'

const identifier = new RegExp(patterns.id)
const isCountry = ({ idPattern }: Resource): boolean => idPattern === patterns.country

/** Checks the `{id}` of a path; returns its problem, if any. */
export const idParameter = (resource: Resource) => {
  const pattern = new RegExp(resource.idPattern ?? patterns.id)
  const rule = isCountry(resource) ? 'must be two upper-case letters' : 'must be a lower-case UUID'
  return (id: string): ParameterProblem | undefined =>
    pattern.test(id)
      ? undefined
      : { parameter: 'id', issue: rule + inOtherNotation(id, (text) => pattern.test(text)) }
}

/** Like `idParameter`, for paths that people type: they know a record by its number or name. */
export const pathIdParameter = (resource: Resource) => {
  const check = idParameter(resource)
  const { path } = resource
  return (id: string): ParameterProblem | undefined => {
    if (id === '') {
      const issue = `is missing; to list ${path}, leave out the slash at the end`
      return { parameter: 'id', issue }
    }
    const problem = check(id)
    if (!problem || problem.issue.endsWith('?')) return problem
    const list = listByTitle(resource, id)
    const search = `${queryBasePath}${searchPath}?q=${repeatable(id)}`
    const hint = list
      ? `to find a record by its ${list.filter.name}, use ${list.target} instead; to find it by any number, code or name, use ${search}`
      : `to find a record by its number, code or name, use ${search} instead`
    return { ...problem, issue: `${problem.issue}; ${hint}` }
  }
}

/** The problem with a filter that is not an id, and how to find the id of the record it names. */
export const invalidIdentifier = (text: string, target: Resource | undefined): string => {
  const rule = 'must be a lower-case UUID'
  const otherNotation = inOtherNotation(text, (each) => identifier.test(each))
  const list = target && otherNotation === '' ? listByTitle(target, text) : undefined
  return list ? `${rule}; use the id that ${list.target} finds` : rule + otherNotation
}

/** Suggests the country or UUID meant in another notation: `{0A1B…}`, `urn:uuid:0a1b…`. */
const inOtherNotation = (text: string, isValid: (text: string) => boolean): string => {
  const digits = text.toLowerCase().replaceAll(/^urn:uuid:|[{}\s-]/g, '')
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const meant = [uuid, text.toUpperCase()].find(isValid)
  return meant ? `; did you mean ${meant}?` : ''
}

/** Longer texts are not echoed. */
const titleMax = 100
/** Control characters, and possible API keys pasted into the wrong place. */
const unrepeatable = /\p{Cc}|sl[vwl]_/iu

/** The list that finds a record by the number or name that people know it by. */
export interface ListByTitle {
  readonly filter: Filter
  readonly value: string
  /** The list's request target, from the group on: `orders?orderNumber=PO-5512`. */
  readonly target: string
}

/** Undefined if lists have no filter for the title. Does not echo a text that cannot be a title. */
export const listByTitle = (
  { path, title, filters }: Resource,
  text: string,
): ListByTitle | undefined => {
  const filter = filters.find(({ name }) => name === title)
  if (filter?.kind !== 'string') return undefined
  const value = isTitle(text) ? text : omitted
  return { filter, value, target: `${path}?${filter.name}=${repeatable(text)}` }
}

const omitted = '…'

const isTitle = (text: string): boolean =>
  text.length <= titleMax && text.isWellFormed() && !unrepeatable.test(text)

/** A text as a parameter value, if it can be echoed. */
const repeatable = (text: string): string => (isTitle(text) ? encodeValue(text) : omitted)
