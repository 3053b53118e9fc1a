import type { Catalog, Resource } from '#contract'
import { type Dialect, quote, type Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import type { BrandState } from '../read/brand-state.ts'
import { tableByIndex } from '../read/list.ts'
import { comparable } from '../schema/comparable.ts'
import { ownerOf } from '../schema/owners.ts'
import { indexFor, type Table, tableAt } from '../schema/tables.ts'

export interface ChangesSince {
  readonly brand: string
  readonly since: string
}

/** The number of records of a group that changed since a time. */
export interface ChangedGroup {
  readonly group: string
  /** The field that holds the time of the last change. */
  readonly field: string
  readonly items: number
}

export interface ChangedRecords {
  readonly since: string
  readonly items: number
  /** Omits groups without changed records. */
  readonly groups: readonly ChangedGroup[]
}

export interface ChangeCounts {
  /** Counts in the snapshot of `steps`. If they end early, finished groups stay cached. */
  read(steps: Steps, state: BrandState, request: ChangesSince): Promise<ChangedRecords>
}

export interface ChangeCountsParts {
  readonly catalog: Catalog
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
}

/** Cached counts per brand and group: all groups of a few hundred brands. */
const cachedMax = 20_000

/** Counting this many records takes about a millisecond. */
const fewMax = 10_000

interface Counting extends ChangesSince {
  readonly resource: Resource
  readonly field: string
}

/**
 * Counts a brand's changed records along the indexes on the change time. Recounts only groups that
 * have changed since the last count.
 */
export const createChangeCounts = (parts: ChangeCountsParts): ChangeCounts => {
  const { catalog, dialect, tables } = parts
  const cached = createBoundedCache<{ readonly version: string; readonly items: number }>(cachedMax)
  const counted = catalog.resources.flatMap((resource) => {
    const field = changeField(resource)
    const isOwn = resource.scope === 'brand' && resource.endpoints.includes('list')
    return field !== undefined && isOwn ? [{ resource, field }] : []
  })

  /** Counts the records changed before or since a time, up to `most` if it is set. */
  const countQuery = (
    { resource, field, brand, since }: Counting,
    is: '<' | '>=',
    most: number | null,
  ) => {
    const table = tableAt(tables, resource.path)
    const column = table.sorts.find(({ path }) => path.join('.') === field)
    if (!column) throw new RangeError(`${table.name} has no column for ${field}.`)
    const select = [
      `from ${tableByIndex(dialect, table.name, 't', indexFor(table, column.name))}`,
      `where t."owner" = ?1 and t.${quote(column.name)} ${is} ?2`,
    ]
    const lines =
      most === null
        ? ['select count(*)', ...select, ...dialect.inTime.map((each) => `and ${each}`)]
        : ['select count(*)', 'from (select 1 as "one"', ...select, `limit ${most}) as c`]
    return {
      text: lines.join('\n'),
      values: [ownerOf(resource, brand), comparable(column.kind, since)],
    }
  }

  /**
   * Usually few records have changed or, after a large import, all but a few: counts the smaller
   * side.
   */
  const count = async (steps: Steps, counting: Counting, total: number): Promise<number> => {
    const itemsOf = async (is: '<' | '>=', most: number | null) =>
      Number((await steps.all(countQuery(counting, is, most)))[0]?.[0] ?? 0)
    const changed = await itemsOf('>=', fewMax)
    if (changed < fewMax) return changed
    const unchanged = await itemsOf('<', fewMax)
    return unchanged < fewMax ? total - unchanged : itemsOf('>=', null)
  }

  return {
    read: async (steps, state, request) => {
      const { brand, since } = request
      const groups: ChangedGroup[] = []
      for (const { resource, field } of counted) {
        const { path } = resource
        const version = state.versionOf([path])
        if (version === '0') continue
        const name = JSON.stringify([brand, path, since])
        const earlier = cached.get(name)
        let items = earlier?.items ?? 0
        if (earlier?.version !== version) {
          items = await count(steps, { ...request, resource, field }, state.totalOf(path))
          cached.set(name, { version, items })
        }
        if (items > 0) groups.push({ group: path, field, items })
      }
      return { since, items: groups.reduce((total, { items }) => total + items, 0), groups }
    },
  }
}

const changeField = ({ fields }: Resource): string | undefined =>
  ['updatedAt', 'createdAt'].find((name) => Object.hasOwn(fields, name))
