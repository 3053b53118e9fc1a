import type { Catalog, Resource } from '#contract'
import { type Database, type IsCancelled, QueryTimeoutError, quote } from '#database'
import { createCountCache } from '../read/count-cache.ts'
import { tableAt, tableByIndex } from '../read/list.ts'
import { compileStates, parseState } from '../read/state.ts'
import { comparable } from '../schema/comparable.ts'
import { ownerNumber, ownerOf } from '../schema/owners.ts'
import { indexFor, type Table } from '../schema/tables.ts'

export interface ChangesSince {
  readonly brand: string
  /** A timestamp. */
  readonly since: string
  readonly isCancelled?: IsCancelled | undefined
}

/** How many records of a group have changed since a time. */
export interface ChangedGroup {
  readonly group: string
  /** The field with the time of the last change. */
  readonly field: string
  readonly items: number
}

export interface ChangedRecords {
  readonly since: string
  readonly items: number
  /** Groups without a changed record are left out. */
  readonly groups: readonly ChangedGroup[]
}

export interface ChangeCounts {
  read(request: ChangesSince): Promise<ChangedRecords>
}

export interface ChangeCountsParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Counts by brand and group: all groups of some hundred brands. */
const cachedMax = 20_000
/** Reads of the longest time, one after the other. */
const readsMax = 8

/** Counts a brand's own changed records along the indexes of their last changes, only in groups that have changed. */
export const createChangeCounts = (parts: ChangeCountsParts): ChangeCounts => {
  const { catalog, database, tables } = parts
  const { dialect } = database
  const cached = createCountCache<{ readonly version: string; readonly items: number }>(cachedMax)
  const counted = catalog.resources.flatMap((resource) => {
    const field = changeField(resource)
    const isOwn = resource.scope === 'brand' && resource.endpoints.includes('list')
    return field !== undefined && isOwn ? [{ resource, field }] : []
  })
  const dependencies = counted.map(({ resource }) => ({
    path: resource.path,
    owner: ({ brand }: { readonly brand: string }) => ownerOf(resource, brand),
  }))

  const countQuery = (resource: Resource, field: string, { brand, since }: ChangesSince) => {
    const table = tableAt(tables, resource.path)
    const column = table.sorts.find(({ path }) => path.join('.') === field)
    if (!column) throw new RangeError(`${table.name} has no column for ${field}.`)
    return {
      text: [
        'select count(*)',
        `from ${tableByIndex(dialect, table.name, 't', indexFor(table, column.name))}`,
        `where t."owner" = ?1 and t.${quote(column.name)} >= ?2`,
        ...dialect.inTime.map((each) => `and ${each}`),
      ].join('\n'),
      values: [ownerOf(resource, brand), comparable(column.kind, since)],
    }
  }

  const countMissing = async (
    request: ChangesSince,
    missing: readonly { readonly resource: Resource; readonly field: string }[],
    store: (path: string, items: number) => void,
  ): Promise<void> => {
    let next = 0
    for (let reads = 1; next < missing.length; reads += 1) {
      try {
        await database.readInSteps(
          ownerNumber(request.brand),
          request.isCancelled,
          async (steps) => {
            for (; next < missing.length; next += 1) {
              const { resource, field } = missing[next] as (typeof missing)[number]
              const [row] = await steps.all(countQuery(resource, field, request))
              store(resource.path, Number(row?.[0] ?? 0))
            }
          },
        )
      } catch (error) {
        // What was counted is kept: the next read continues.
        if (!(error instanceof QueryTimeoutError) || reads === readsMax) throw error
      }
    }
  }

  return {
    read: async (request) => {
      const { brand, since } = request
      const results = await database.read(compileStates(dependencies, request), ownerNumber(brand))
      const versions = parseState(dependencies, brand, results).version.split('.')
      const nameOf = (path: string) => JSON.stringify([brand, path, since])
      const versionOf = new Map(
        counted.map(({ resource }, at) => [resource.path, versions[at] ?? '']),
      )
      const itemsOf = new Map<string, number>()
      const missing = counted.filter(({ resource: { path } }) => {
        const entry = cached.get(nameOf(path))
        if (entry?.version !== versionOf.get(path)) return versionOf.get(path) !== '0'
        itemsOf.set(path, entry?.items ?? 0)
        return false
      })
      await countMissing(request, missing, (path, items) => {
        itemsOf.set(path, items)
        cached.set(nameOf(path), { version: versionOf.get(path) ?? '', items })
      })
      const groups = counted.flatMap(({ resource: { path }, field }) => {
        const items = itemsOf.get(path) ?? 0
        return items > 0 ? [{ group: path, field, items }] : []
      })
      return { since, items: groups.reduce((total, { items }) => total + items, 0), groups }
    },
  }
}

const changeField = ({ fields }: Resource): string | undefined =>
  ['updatedAt', 'createdAt'].find((name) => Object.hasOwn(fields, name))
