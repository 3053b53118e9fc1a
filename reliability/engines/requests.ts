/** Requests that use every operation and every filter in turn, with existing values. */
import { basePath, catalog, operationsOf, relationsOf } from '#contract'
import { type Draw, pick } from '../fuzz/ingredients.ts'

type Held = { readonly [path: string]: readonly { readonly [name: string]: unknown }[] }

export interface Rounds {
  next(): string
  /** Stores the cursor of a list's next page. */
  learn(target: string, cursor: string): void
  /** The filters used so far. */
  readonly filtersUsed: ReadonlySet<string>
}

export const openRounds = (draw: Draw, records: Held, brands: readonly string[]): Rounds => {
  const operations = operationsOf(catalog)
  const cursors = new Map<string, string>()
  const filtersUsed = new Set<string>()
  let index = -1
  const valueFor = (path: string, field: string): string => {
    const record = pick(draw, records[path] ?? [{}])
    const value = field.split('.').reduce<unknown>((at, name) => (at as never)?.[name], record)
    return value === null || value === undefined
      ? pick(draw, ['0', 'x', 'é🧵', "a'b"])
      : String(value)
  }
  return {
    filtersUsed,
    learn: (target, cursor) => cursors.set(bare(target), cursor),
    next: () => {
      index += 1
      const operation = operations[index % operations.length]
      if (!operation) throw new RangeError('There is no operation.')
      const { resource, endpoint, path } = operation
      const id = valueFor(resource.path, resource.key[0] ?? 'id')
      const target =
        basePath +
        path.replace('{brand}', pick(draw, brands)).replace('{id}', encodeURIComponent(id))
      const pairs: string[] = []
      const round = Math.floor(index / operations.length)
      if (endpoint === 'list') {
        // Sometimes no filter.
        for (const filter of draw(5) === 0 ? [] : resource.filters) {
          // Each filter in turn, with others at random.
          const isDue = resource.filters[round % resource.filters.length] === filter
          if (!isDue && draw(resource.filters.length * 2) > 0) continue
          const from = filter.through
            ? valueFor(filter.through.collection, filter.through.where)
            : valueFor(resource.path, filter.field ?? '')
          filtersUsed.add(`${resource.path}?${filter.name}`)
          pairs.push(`${filter.name}=${encodeURIComponent(from)}`)
        }
        if (draw(5) < 3) pairs.push(`limit=${pick(draw, ['1', '2', '7', '25', '100', '0', '101'])}`)
      }
      const relations = relationsOf(resource)
      if (endpoint !== 'content' && relations.length > 0 && draw(5) === 0) {
        pairs.push(`include=${pick(draw, relations).name}`)
      }
      const sent = `${target}?${pairs.join('&')}`
      const cursor = cursors.get(bare(sent))
      if (cursor && endpoint === 'list') pairs.push(`cursor=${cursor}`)
      return pairs.length > 0 ? `${target}?${pairs.join('&')}` : target
    },
  }
}

/** The list and filters that a cursor is bound to. */
const bare = (target: string): string => {
  const [path = '', query = ''] = target.split('?')
  const filters = query.split('&').filter((pair) => !/^(limit|include|cursor)=|^$/.test(pair))
  return `${path}?${filters.join('&')}`
}
