import { isJsonObject, valueAt } from './fields.ts'
import { referencesOf } from './graph.ts'
import type { Resource } from './resource.ts'

/** A record as the reader returns it, with included records nested in it. */
export type LineageRecord = { readonly [field: string]: unknown }

/** A record of a lineage walk. */
export interface WalkNode<R extends LineageRecord> {
  /** `orders/0465aaa1-…` */
  readonly key: string
  readonly resource: Resource
  /** Without included records. A missing record has only its identifier. */
  readonly record: R
  /** Steps from the start. */
  readonly depth: number
  /** Another record refers to this one, but it does not exist. */
  readonly isMissing: boolean
}

/** `from` refers to `to` by the field `via`, or the filter `via` lists `from` for `to`. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly via: string
}

/** The records of a walk and the references between them. */
export interface LineageGraph<R extends LineageRecord> {
  readonly nodes: ReadonlyMap<string, WalkNode<R>>
  /** Adds a record and returns the edges between it and the records already present. */
  add(node: WalkNode<R>): readonly Edge[]
  /** The number of records in one group or in all. Missing records do not count. */
  count(path?: string): number
}

export const createLineageGraph = <R extends LineageRecord>(
  start: Iterable<WalkNode<R>>,
): LineageGraph<R> => {
  const nodes = new Map<string, WalkNode<R>>()
  /** References to absent records, by the key of the target. */
  const unresolved = new Map<string, readonly Edge[]>()

  const add = (node: WalkNode<R>): readonly Edge[] => {
    nodes.set(node.key, node)
    const incoming = unresolved.get(node.key) ?? []
    unresolved.delete(node.key)
    const outgoing = referencesFrom(node.resource, node.record)
    for (const edge of outgoing) {
      if (!nodes.has(edge.to)) unresolved.set(edge.to, [...(unresolved.get(edge.to) ?? []), edge])
    }
    return [...outgoing.filter(({ to }) => nodes.has(to)), ...incoming]
  }

  for (const node of start) add(node)
  return {
    nodes,
    add,
    count: (path) => {
      let count = 0
      for (const { isMissing, resource } of nodes.values()) {
        if (!isMissing && (path === undefined || resource.path === path)) count += 1
      }
      return count
    },
  }
}

/** The key of a record in a lineage: its group and its identity. */
export const lineageKey = (resource: Resource, record: LineageRecord): string =>
  `${resource.path}/${identityIn(resource, record)}`

/** The identity of a record in its group. */
export const identityIn = ({ key }: Resource, record: LineageRecord): string =>
  key.map((name) => String(record[name])).join(',')

export const refersTo = (resource: Resource, record: LineageRecord, key: string): boolean =>
  referencesFrom(resource, record).some(({ to }) => to === key)

/** The references of a record to other records. */
const referencesFrom = (resource: Resource, record: LineageRecord): readonly Edge[] => {
  const from = lineageKey(resource, record)
  return referencesOf(resource).flatMap(({ field, to: path }) => {
    const id = valueAt(record, field)
    const to = `${path}/${String(id)}`
    return typeof id === 'string' && to !== from ? [{ from, to, via: field }] : []
  })
}

export const isRecord = <R extends LineageRecord>(value: unknown): value is R => isJsonObject(value)
