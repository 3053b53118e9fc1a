import type { GroupScope, Resource } from '#contract'
import { type GridParameters, gridParameters, notFound, todayOf } from '#request'
import type { GridRequest, RecordGrids } from '#store'
import type { SelectorParts } from './selector.ts'

/** A request for the grids of a record, and how to send them. */
export type GridQuery = GridRequest & GridParameters

/** Parses requests for the grids of a group from an id and the parameters' text. */
export const createGridQueries = ({ store, now }: SelectorParts, resource: Resource) => {
  const parse = gridParameters(resource)
  return async (
    brand: string,
    id: string,
    queryText: string,
    scope: GroupScope,
  ): Promise<GridQuery> => {
    const parameters = parse(queryText, id)
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    return { ...parameters, resource, brand, id, today: todayOf(profile, null, now()), scope }
  }
}

/** Grids as JSON. */
export const gridJson = (
  { resource, id }: Pick<GridRequest, 'resource' | 'id'>,
  { definition, title, isTooLarge, total, grids, lines }: RecordGrids,
): Buffer =>
  Buffer.from(
    JSON.stringify({
      group: resource.path,
      id,
      title,
      figures: Object.keys(definition.figures).map((name) => ({
        name,
        against: definition.against[name] ?? null,
      })),
      isTooLarge,
      total,
      grids,
      lines,
    }),
  )
