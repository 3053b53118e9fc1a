import { Readable } from 'node:stream'
import { type Catalog, resourceAt } from '#contract'
import { lineEnd, type Source, SourceError } from '#ingest'
import type { CollectionMapping, Mapping } from '#mapping'
import { bodyName } from './body.ts'
import type { BatchSources } from './read-items.ts'

export interface MappedOptions {
  readonly catalog: Catalog
  readonly mapping: Mapping
  readonly brand: string
  /** The collections that may be written; null for all. */
  readonly collections: readonly string[] | null
  readonly importedAt: string
}

/** Rows in the sender's own form: each becomes a record of every collection that is made of such rows. */
export const readRows = (body: Buffer, options: MappedOptions): BatchSources => {
  const { catalog, mapping, importedAt } = options
  const mappings = sentMappings(options).filter(({ from }) => from.rows?.tables === null)
  if (mappings.length === 0) {
    throw new SourceError(
      `cannot be mapped: no collection of ${mapping.file} is made of all rows that are sent (rows: true)`,
    )
  }
  const sources = mappings.map(
    (each): Source => ({
      name: bodyName,
      resource: resourceAt(catalog, each.collection),
      bytes: body.length,
      input: {
        kind: 'stream',
        stream: Readable.from([body]),
        format: 'ndjson',
        gzipped: false,
      },
      mapping: each,
      importedAt,
    }),
  )
  return { items: countLines(body), named: [], sources }
}

/** The mappings of rows that are sent. Throws a `SourceError` if the batch must not use them. */
export const sentMappings = ({
  mapping,
  brand,
  collections,
}: MappedOptions): readonly CollectionMapping[] => {
  if (mapping.brand !== null && mapping.brand !== brand) {
    throw new SourceError(`cannot be mapped: ${mapping.file} is for the brand ${mapping.brand}`)
  }
  const sent = mapping.collections.filter(({ from }) => from.rows !== null)
  const forbidden = sent.find(({ collection }) => collections && !collections.includes(collection))
  if (forbidden) {
    throw new SourceError(
      `cannot be mapped: ${mapping.file} makes records of ${forbidden.collection}, which this key may not write`,
    )
  }
  return sent
}

/** Lines that are not blank. */
export const countLines = (body: Buffer): number => {
  let lines = 0
  for (let at = 0; at < body.length; ) {
    const [end, next] = lineEnd(body, at)
    if (end > at && body.toString('latin1', at, end).trim() !== '') lines += 1
    at = next
  }
  return lines
}
