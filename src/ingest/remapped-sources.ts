import { basename } from 'node:path'
import type { Resource } from '#contract'
import {
  type Cell,
  type CollectionMapping,
  compileRowNamer,
  mappingDigest,
  mappingsFor,
  parseCell,
} from '#mapping'
import type { ReceivedCells, SourceName, Writer } from '#store'
import { correctedName } from './corrections.ts'
import { compileSource, mapRow } from './mapped-rows.ts'
import { receiveCells } from './received-row.ts'
import { namesOf, SourceError, type SourceRow, type SourceRows } from './row.ts'
import type { Source } from './source.ts'

export interface RemapParts {
  readonly writer: Writer
  readonly resource: Resource
  readonly owner: string
  readonly source: SourceName | null
  /** The mappings of the source as they are now, of all collections. */
  readonly mappings: readonly CollectionMapping[]
  readonly importedAt: string
}

/** Quarantined rows that a mapping makes records of again. */
export interface RemappedSource {
  readonly source: Source
  /** The ids of the rows. Their identities may be others now. */
  readonly ids: readonly string[]
}

/** The quarantined rows of a source whose mapping has changed since, as sources of an import. */
export const remappedSources = async ({
  writer,
  resource,
  owner,
  source,
  mappings,
  importedAt,
}: RemapParts): Promise<readonly RemappedSource[]> => {
  const own = mappings.filter(({ collection }) => collection === resource.path)
  if (own.length === 0) return []
  const groups = new Map<string, ReceivedCells[]>()
  for await (const rows of writer.received(resource, source, own.map(mappingDigest))) {
    for (const row of rows) {
      const key = JSON.stringify([row.file, row.columns])
      const group = groups.get(key)
      if (group) group.push(row)
      else groups.set(key, [row])
    }
  }
  return [...groups.values()].flatMap((rows): readonly RemappedSource[] => {
    const [first] = rows
    const mapping = first && mappingOf(own, first.file)
    if (!mapping) return []
    const { file, columns } = first
    const read = rowsReader({ resource, importedAt }, mapping, owner, columns, rows)
    if (!read) return []
    return [
      {
        source: {
          ...{ name: file, resource, bytes: null, mapping, importedAt },
          isUnordered: mapping.from.files === null && mapping.from.sql !== null,
          input: { kind: 'rows', rows: read },
        },
        ids: rows.map(({ id }) => id),
      },
    ]
  })
}

/** The only mapping that a file or a query is read with; undefined if that is not certain. */
const mappingOf = (
  own: readonly CollectionMapping[],
  file: string,
): CollectionMapping | undefined => {
  const [only, ...others] = own
  if (others.length === 0) return only
  const named = mappingsFor({ collections: own }, correctedName(basename(file)))
  const query = own.filter(({ from }) => from.sql !== null)[queryIndex(file)]
  return named.length === 1 ? named[0] : named.length === 0 ? query : undefined
}

/** The place of a query among those of its collection: 1 for `locations 2`. */
const queryIndex = (name: string): number => Number(/ (\d+)$/.exec(name)?.[1] ?? 1) - 1

/** Reads the rows with a mapping; null if they lack columns that it needs. */
const rowsReader = (
  { resource, importedAt }: Pick<RemapParts, 'resource' | 'importedAt'>,
  mapping: CollectionMapping,
  owner: string,
  columns: readonly string[],
  rows: readonly ReceivedCells[],
): (() => AsyncIterable<SourceRows>) | null => {
  const compiled = () => compileSource({ resource, importedAt }, mapping, owner, columns)
  try {
    compiled()
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
  return async function* () {
    const mapper = compiled()
    const { originOf } = mapper
    const receive = (cells: readonly Cell[]) => receiveCells({ resource, mapper, columns }, cells)
    const mapped = rows.flatMap(({ line, cells: stored }): readonly SourceRow[] => {
      const cells = stored.map(parseCell)
      const row = mapRow(mapper, line, cells)
      if (row && 'problems' in row) return [{ ...row, received: receive(cells) }]
      return row && 'json' in row ? [{ ...row, cells }] : row ? [row] : []
    })
    const namer = compileRowNamer(mapping, resource.key, columns)
    const names = namesOf(namer, () =>
      rows.map(({ line, cells }) => ({ line, cells: cells.map(parseCell) })),
    )
    yield { rows: mapped, canonical: null, originOf, receive, names }
  }
}
