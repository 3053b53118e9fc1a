import { catalog, resourceAt } from './catalog.ts'
import { incomingLists, relationsOf } from './graph.ts'
import { type GroupScope, wholeScope } from './group-scope.ts'
import { type Step, stageIndexOf, stepsOf } from './lineage.ts'
import type { Resource } from './resource.ts'

/** The way to read a record's neighbours: through one of its references, or as a filtered list. */
export type LineageRelation = GetRelation | ListRelation

export interface GetRelation {
  readonly kind: 'get'
  /** The field with the identifier. */
  readonly field: string
  /** The name for `include`. */
  readonly include: string
  readonly to: Resource
}

export interface ListRelation {
  readonly kind: 'list'
  readonly filter: string
  /** The field of the record with the filter's value. */
  readonly by: string
  readonly to: Resource
  /** Narrows the list to the value of a field of a record that the record refers to. */
  readonly within?: { readonly relation: GetRelation; readonly field: string } | undefined
}

/** Every relation of a group's records: outgoing references first, then incoming ones. */
export const lineageRelations = (resource: Resource): readonly LineageRelation[] => {
  const cached = relationsByPath.get(resource.path)
  if (cached) return cached
  const relations = [...getRelations(resource), ...listRelations(resource)]
  relationsByPath.set(resource.path, relations)
  return relations
}

const relationsByPath = new Map<string, readonly LineageRelation[]>()

const getRelations = (resource: Resource): readonly GetRelation[] =>
  relationsOf(resource).flatMap(({ field, name, to: path }): GetRelation[] => {
    const to = resourceAt(catalog, path)
    return to.endpoints.includes('get') ? [{ kind: 'get', field, include: name, to }] : []
  })

const listRelations = (resource: Resource): readonly ListRelation[] =>
  incomingLists(catalog, resource.path).map(({ resource: to, filter }) => ({
    kind: 'list',
    filter: filter.name,
    by: resource.key[0] ?? 'id',
    to,
  }))

/** A name that is unique among the relations of one group. */
export const relationName = (relation: LineageRelation): string =>
  relation.kind === 'get'
    ? relation.field
    : `${relation.to.path}?${[relation.filter, relation.within?.field ?? []].flat().join('&')}`

/** The relation of a group with a name, including those that only steps of the chain have. */
export const relationNamed = (resource: Resource, name: string): LineageRelation | undefined => {
  const isNamed = (relation: LineageRelation) => relationName(relation) === name
  return (
    lineageRelations(resource).find(isNamed) ??
    stepsFrom(resource)
      .flatMap((step) => relationOfStep(resource, step) ?? [])
      .find(isNamed)
  )
}

/** The relation that a step of the chain follows. */
export const relationOfStep = (
  resource: Resource,
  { to, by, within }: Pick<Step, 'to' | 'by' | 'within'>,
): LineageRelation | undefined => {
  if (by === undefined) {
    return lineageRelations(resource).find((each) => each.to.path === to && to !== resource.path)
  }
  const relation = getRelations(resource).find(({ field }) => field === within?.reference)
  const narrowed = within && relation ? { relation, field: within.field } : undefined
  return { kind: 'list', filter: by, by, to: resourceAt(catalog, to), within: narrowed }
}

/** The steps from a group: along the chain, or into the chain from a group outside it. */
export const stepsFrom = (resource: Resource): readonly Step[] =>
  isInChain(resource.path) ? stepsOf(resource.path) : stepsIntoChain(resource)

const stepsIntoChain = (resource: Resource): readonly Step[] =>
  lineageRelations(resource)
    .filter(
      (relation) =>
        isInChain(relation.to.path) ||
        (relation.kind === 'get' && relation.field === resource.parent),
    )
    .map(({ to }) => ({ to: to.path, direction: 'down', line: true }))

const isInChain = (path: string): boolean => stageIndexOf(path) !== undefined

/** The references along the chain, which are read together with a record. */
export const includedRelations = (resource: Resource): readonly GetRelation[] => {
  const steps = stepsFrom(resource)
  return getRelations(resource).filter(
    ({ to }) => isInChain(to.path) && steps.some((step) => step.to === to.path),
  )
}

/** The names for `include` when reading a record of a lineage. */
export const lineageIncludes = (
  resource: Resource,
  scope: GroupScope = wholeScope,
): readonly string[] =>
  includedRelations(resource)
    .filter((relation) => isWithin(scope, relation))
    .map(({ include }) => include)

/** Whether every group that a relation reads is in the scope. */
export const isWithin = (scope: GroupScope, relation: LineageRelation): boolean => {
  if (scope.isWhole) return true
  if (relation.kind === 'get') return scope.has(relation.to.path)
  const { to, filter, within } = relation
  const through = to.filters.find(({ name }) => name === filter)?.through?.collection
  return (
    scope.has(to.path) &&
    (through === undefined || scope.has(through)) &&
    (within === undefined || scope.has(within.relation.to.path))
  )
}
