import { type Condition, conditionCollections, type Relation, type Resource } from '#contract'

/** The parameters that read other groups. */
interface ReadParameters {
  readonly include?: readonly Relation[]
  readonly filters?: ReadonlyMap<string, unknown>
  readonly where?: readonly Condition[]
}

/** The groups besides its own that a request reads; null for none, as of most requests. */
export const furtherGroups = (
  resource: Resource,
  { include = [], filters, where = [] }: ReadParameters,
): readonly string[] | null => {
  if (include.length === 0 && !filters?.size && where.length === 0) return null
  const groups = new Set([
    ...include.map(({ to }) => to),
    ...resource.filters.flatMap(({ name, through }) =>
      through && filters?.has(name) ? [through.collection] : [],
    ),
    ...where.flatMap(conditionCollections),
  ])
  groups.delete(resource.path)
  return groups.size === 0 ? null : [...groups]
}
