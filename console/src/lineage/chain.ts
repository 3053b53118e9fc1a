import { chain, facts, stages } from '../../../src/contract/lineage.ts'
import { type Group, groupAt, groups } from '../contract.ts'

export { chain, facts, stages }

const columns = new Map(
  stages.flatMap(({ groups }, column) => groups.map((path) => [path, column] as const)),
)

/** The column a group of the chain stands in; undefined for the groups beside it. */
export const columnOf = (path: string): number | undefined => columns.get(path)

/** Where a record's neighbours are found: by following a reference, or by listing. */
export type Relation =
  | { kind: 'get'; field: string; include: string | null; group: Group }
  | { kind: 'list'; filter: string; by: string; group: Group }

/** Every way on from a record of a group: what it points to, then what points at it. */
export const relationsOf = (group: Group): readonly Relation[] => [
  ...group.fields.flatMap(({ kind, name, to, include }): Relation[] => {
    const target = kind === 'ref' && to !== null ? groupAt(to) : undefined
    return target?.hasRecord ? [{ kind: 'get', field: name, include, group: target }] : []
  }),
  ...incomingLists(group),
]

/** The way from a record of one group to those of another, along a step of the chain. */
export const relationTo = (from: Group, to: string, by?: string): Relation | undefined => {
  const target = groupAt(to)
  if (by !== undefined && target) return { kind: 'list', filter: by, by, group: target }
  return relationsOf(from).find(({ group }) => group.path === to && group.path !== from.path)
}

/** The same relation has the same name. */
export const relationName = (relation: Relation): string =>
  relation.kind === 'get' ? relation.field : `${relation.group.path}?${relation.filter}`

const listsByPath = new Map<string, readonly Relation[]>()

const incomingLists = (group: Group): readonly Relation[] => {
  const known = listsByPath.get(group.path)
  if (known) return known
  const lists = groups.flatMap((each) =>
    each.filters
      .filter(({ kind, to }) => kind === 'identifier' && to === group.path)
      .map(({ name }): Relation => ({ kind: 'list', filter: name, by: idOf(group), group: each })),
  )
  listsByPath.set(group.path, lists)
  return lists
}

const idOf = ({ idField, key }: Group): string => idField ?? key[0] ?? 'id'
