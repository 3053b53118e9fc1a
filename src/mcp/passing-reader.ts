import {
  type GroupScope,
  type IncomingList,
  includesWithin,
  isNamedWithin,
  type Resource,
  requireGroups,
} from '#contract'
import { notFound } from '#request'
import type { ListPage, Reader } from './reader.ts'
import type { Caller } from './tool.ts'

/** Opens a brand for a question about records of a group, which the key must be able to read. */
export const openFor = async (
  caller: Caller,
  brand: string | undefined,
  { path }: Resource,
): Promise<Reader> => {
  const reader = await caller.open(brand)
  requireGroups(reader.scope, [path])
  return passing(reader)
}

/**
 * Reads groups outside the scope as if they had no records, for tools that only pass them: what they
 * show beside the records that were asked for.
 */
export const passing = (reader: Reader): Reader => {
  const { scope, list, get, query, summary, search } = reader
  if (scope.isWhole) return reader
  return {
    ...reader,
    list: async (resource, request) =>
      isNamedWithin(scope, resource, { filters: new Set(Object.keys(request.filters ?? {})) })
        ? list(resource, {
            ...request,
            include: includesWithin(scope, resource, request.include ?? []),
          })
        : noPage,
    get: async (resource, id, include) => {
      if (!scope.has(resource.path)) throw notFound()
      return get(resource, id, includesWithin(scope, resource, include))
    },
    query: async (resource, { include, ...parameters }) => {
      if (!scope.has(resource.path)) return noPage
      const names = includesWithin(
        scope,
        resource,
        include === undefined ? [] : String(include).split(','),
      )
      return query(resource, {
        ...parameters,
        ...(names.length > 0 && { include: names.join(',') }),
      })
    },
    summary: async (resource, parameters) =>
      scope.has(resource.path) ? summary(resource, parameters) : { totalItems: 0, total: {} },
    search: async ({ groups, ...parameters }) => {
      if (groups === undefined) return search(parameters)
      const within = String(groups)
        .split(',')
        .filter((group) => scope.has(group))
      return within.length > 0
        ? search({ ...parameters, groups: within.join(',') })
        : { items: [], isComplete: true }
    },
  }
}

const noPage: ListPage = { items: [], nextCursor: null, totalItems: 0 }

/** Whether a list of records that refer to another can be read. */
export const isReadable = (scope: GroupScope, { resource, filter }: IncomingList): boolean =>
  isNamedWithin(scope, resource, { filters: new Set([filter.name]) })
