import { type NamedGroups, namedGroups, type Resource } from '#contract'

/** The groups besides its own that a request reads; null for none, as of most requests. */
export const furtherGroups = (
  resource: Resource,
  named: NamedGroups & { readonly filters?: ReadonlyMap<string, unknown> },
): readonly string[] | null => {
  if (!named.include?.length && !named.filters?.size && !named.where?.length) return null
  const groups = new Set(namedGroups(resource, named))
  groups.delete(resource.path)
  return groups.size === 0 ? null : [...groups]
}
