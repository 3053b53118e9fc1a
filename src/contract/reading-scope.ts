import { type Condition, conditionCollections } from './condition.ts'
import { ApiError } from './errors.ts'
import { type Relation, relationsOf } from './graph.ts'
import type { GroupScope } from './group-scope.ts'
import type { Resource } from './resource.ts'
import type { View } from './view.ts'

/**
 * The scope of a key holds wherever a record can come out, by two rules. A group that a request
 * names must be in the scope: in the path, as an included record, in a filter through another
 * collection, or in the condition of a view. A group that is only passed on the way to other records
 * reads as if it had none, so that no answer shows what was left out.
 */

/** The groups besides its own that the parameters of a request name. */
export interface NamedGroups {
  readonly filters?: { has(name: string): boolean }
  readonly include?: readonly Relation[]
  readonly view?: View | null
  /** The conditions of the view, where they have been resolved. */
  readonly where?: readonly Condition[]
}

/** Throws if a request for records of a resource names a group outside the scope. */
export const requireNamed = (scope: GroupScope, resource: Resource, named: NamedGroups): void => {
  if (!scope.isWhole) requireGroups(scope, namedGroups(resource, named))
}

/** Whether a request names only groups of the scope. */
export const isNamedWithin = (scope: GroupScope, resource: Resource, named: NamedGroups): boolean =>
  scope.isWhole || namedGroups(resource, named).every((group) => scope.has(group))

/** The names for `include` that lead to groups of the scope. */
export const includesWithin = (
  scope: GroupScope,
  resource: Resource,
  names: readonly string[],
): readonly string[] => {
  if (scope.isWhole) return names
  const outside = relationsOf(resource).filter(({ to }) => !scope.has(to))
  return names.filter((name) => !outside.some((each) => each.name === name))
}

/** The group of a request, and those that its parameters name. */
export const namedGroups = (
  { path, filters: defined }: Resource,
  { filters, include = [], view, where = [] }: NamedGroups,
): readonly string[] => [
  path,
  ...include.map(({ to }) => to),
  ...defined.flatMap(({ name, through }) =>
    through && filters?.has(name) ? through.collection : [],
  ),
  ...(view ? conditionCollections(view.where) : []),
  ...where.flatMap(conditionCollections),
]

/** Throws if a group is outside the scope. */
export const requireGroups = (scope: GroupScope, groups: readonly string[]): void => {
  const outside = groups.filter((group) => !scope.has(group))
  if (outside.length === 0) return
  const named = [...new Set(outside)].join(', ')
  throw new ApiError('out_of_scope', `The API key may not read ${named}.`)
}

/** The condition, with no records in the groups outside the scope. */
export const conditionWithin = <Value>(
  scope: GroupScope,
  condition: Condition<Value>,
): Condition<Value> => {
  if (scope.isWhole) return condition
  switch (condition.kind) {
    case 'all':
    case 'any':
      return { ...condition, of: condition.of.map((each) => conditionWithin(scope, each)) }
    case 'not':
      return { ...condition, of: conditionWithin(scope, condition.of) }
    case 'some':
      return scope.has(condition.collection)
        ? { ...condition, where: conditionWithin(scope, condition.where) }
        : never
    default:
      return condition
  }
}

/** True of no record. */
export const never = { kind: 'any', of: [] } as const satisfies Condition<never>
