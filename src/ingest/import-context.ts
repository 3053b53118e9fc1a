import type { Catalog } from '#contract'
import { type CollectionMapping, contextNeeds, type MappingContext, mappingDigest } from '#mapping'
import type { Writer } from '#store'
import { contextVersion, readContext, type StoredValues } from './mapping-context.ts'
import type { Source } from './source.ts'

/** What mappings of a collection take from records, inside the transaction of an import. */
export interface ImportContext {
  /** The sources with the context of their mappings. Rows that are mapped already need none. */
  withContexts(): Promise<Source[]>
  of(mapping: CollectionMapping): Promise<MappingContext>
  /** The hash of a mapping and of its context as it is now. */
  digestOf(mapping: CollectionMapping): Promise<string>
}

export interface ImportContextParts {
  readonly catalog: Catalog
  readonly owner: string
  readonly writer: Pick<Writer, 'values' | 'version'>
  /** The sources of the collection. Those that it refers to are merged before. */
  readonly sources: readonly Source[]
  /** The collections that the import has changed so far. */
  readonly changed: ReadonlySet<string>
}

export const createImportContext = (parts: ImportContextParts): ImportContext => {
  const { writer, sources, changed } = parts
  const stored: StoredValues = {
    values: writer.values,
    version: async (resource) =>
      `${await writer.version(resource)}${changed.has(resource.path) ? '+' : ''}`,
  }
  const contexts = new Map<CollectionMapping, Promise<MappingContext>>()
  const of = (mapping: CollectionMapping) => {
    const context = contexts.get(mapping) ?? readContext(contextNeeds([mapping]), parts, stored)
    contexts.set(mapping, context)
    return context
  }
  return {
    of,
    digestOf: async (mapping) =>
      mappingDigest(mapping, await contextVersion(contextNeeds([mapping]), parts, stored)),
    withContexts: async () => {
      const all: Source[] = []
      for (const source of sources) {
        const { mapping, input } = source
        const isMapped = !mapping || input.kind === 'rows'
        all.push(isMapped ? source : { ...source, context: await of(mapping) })
      }
      return all
    },
  }
}
