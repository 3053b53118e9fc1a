import { basename } from 'node:path'
import type { Resource } from '#contract'
import {
  type Cell,
  type CollectionMapping,
  compileRowNamer,
  type MappedProblem,
  type MappingContext,
  madeRowsColumn,
  mappingsFor,
  parseCell,
  planRows,
  type RowMapper,
} from '#mapping'
import type { HeldSource, Key, ReceivedCells, SourceName, Writer } from '#store'
import { correctedName } from './corrections.ts'
import type { ImportContext } from './import-context.ts'
import { compileSource, mapRow } from './mapped-rows.ts'
import { receiveCells } from './received-row.ts'
import { namesOf, SourceError, type SourceRow, type SourceRows } from './row.ts'
import type { ReadReceived, Source } from './source.ts'

export interface RemapParts {
  readonly writer: Writer
  readonly resource: Resource
  readonly owner: string
  readonly source: SourceName | null
  /** The mappings of the source as they are now, of all collections. */
  readonly mappings: readonly CollectionMapping[]
  readonly importedAt: string
  readonly context: ImportContext
  /** How rows of this import were put in quarantine, which need not be tried again now. */
  readonly heldSources: readonly HeldSource[]
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
  context,
  heldSources,
}: RemapParts): Promise<readonly RemappedSource[]> => {
  const own = mappings.filter(({ collection }) => collection === resource.path)
  if (own.length === 0) return []
  /** Null for rows that have no mapping, or lack columns that it needs. */
  const groupOf = async (row: ReceivedCells): Promise<RemappedGroup | null> => {
    const { file, columns } = row
    const mapping = mappingOf(own, file)
    // What was joined and grouped is mapped again as it was made then, if it would still be made so.
    const plan = mapping && planRows(mapping)
    if (!mapping || markIn(row) !== (plan?.mark ?? null)) return null
    const made = plan?.mapping
    try {
      const values = await context.of(mapping)
      const source = { resource, importedAt, context: values }
      compileSource(source, made ?? mapping, owner, columns)
      return { mapping, made: made ?? mapping, context: values, rows: [] }
    } catch (error) {
      if (error instanceof SourceError) return null
      throw error
    }
  }
  const groups = new Map<string, RemappedGroup | null>()
  const lines = new Map<string, number>()
  let [count, size] = [0, 0]
  const tried = heldSources.flatMap(({ mapping }) => mapping ?? [])
  for (const mapping of own) tried.push(await context.digestOf(mapping))
  for await (const rows of writer.received(resource, source, tried)) {
    for (const row of rows) {
      const place = JSON.stringify([row.file, row.columns, markIn(row)])
      const line = `${place} ${row.line}`
      // A file that came again has other rows at the same lines, which name rows within a source.
      const earlier = lines.get(line) ?? 0
      const key = `${place} ${earlier}`
      const existing = groups.get(key)
      const group = existing === undefined ? await groupOf(row) : existing
      groups.set(key, group)
      if (!group) continue
      lines.set(line, earlier + 1)
      group.rows.push(row)
      count += 1
      size += row.size
    }
    // The next import tries the others.
    if (count >= rowsMax || size >= sizeMax || groups.size >= rowsMax) break
  }
  return [...groups.values()].flatMap((group): readonly RemappedSource[] => {
    if (!group) return []
    const { mapping, made, rows } = group
    const { file, columns } = rows[0] as ReceivedCells
    const inOrder = rows.toSorted((one, other) => one.line - other.line)
    const read = rowsReader(
      { resource, importedAt, context: group.context },
      made,
      owner,
      columns,
      inOrder,
    )
    return [
      {
        source: {
          ...{ name: file, resource, bytes: null, mapping, importedAt, context: group.context },
          isUnordered: mapping.from.files === null && mapping.from.sql !== null,
          input: { kind: 'rows', rows: read.rows },
          readReceived: read.received,
        },
        ids: rows.map(({ id }) => id),
      },
    ]
  })
}

/** Rows that are tried with one import, and the length of their texts, which are in memory. */
const rowsMax = 10_000
const sizeMax = 32 * 1_024 * 1_024

interface RemappedGroup {
  readonly mapping: CollectionMapping
  /** The mapping for rows that were joined and grouped. */
  readonly made: CollectionMapping
  readonly context: MappingContext
  readonly rows: ReceivedCells[]
}

/** How a row was joined or grouped; null for one that was not. */
const markIn = ({ columns, cells }: ReceivedCells): unknown => {
  const at = columns.indexOf(madeRowsColumn)
  return at < 0 ? null : (cells[at] ?? null)
}

/** The only mapping that a file or a query is read with; undefined if that is not certain. */
const mappingOf = (
  own: readonly CollectionMapping[],
  file: string,
): CollectionMapping | undefined => {
  const [only, ...others] = own
  if (others.length === 0) return only
  const listed = own.filter((each) => each.from.given && each.file === file)
  if (listed.length > 0) return listed.length === 1 ? listed[0] : undefined
  const named = mappingsFor({ collections: own }, correctedName(basename(file)))
  const query = own.filter(({ from }) => from.sql !== null)[queryIndex(file)]
  return named.length === 1 ? named[0] : named.length === 0 ? query : undefined
}

/** The place of a query among those of its collection: 1 for `locations 2`. */
const queryIndex = (name: string): number => Number(/ (\d+)$/.exec(name)?.[1] ?? 1) - 1

interface RowsReader {
  readonly rows: () => AsyncIterable<SourceRows>
  readonly received: ReadReceived
}

const rowsReader = (
  source: Pick<Source, 'resource' | 'importedAt' | 'context'>,
  mapping: CollectionMapping,
  owner: string,
  columns: readonly string[],
  rows: readonly ReceivedCells[],
): RowsReader => {
  const { resource } = source
  const compiled = () => compileSource(source, mapping, owner, columns)
  const receiver = (mapper: RowMapper) => (cells: readonly Cell[]) =>
    receiveCells({ resource, mapper, columns }, cells)
  return {
    rows: async function* () {
      const mapper = compiled()
      const { originOf } = mapper
      const receive = receiver(mapper)
      const mapped = rows.flatMap(({ line, cells: stored, key }): readonly SourceRow[] => {
        const cells = stored.map(parseCell)
        const row = mapRow(mapper, line, cells)
        if (!row) return []
        if ('json' in row) return [{ ...row, cells }]
        if ('removal' in row && !isSameKey(row.removal, key))
          return [
            {
              line,
              problems: [otherRecord(mapping)],
              received: { ...receive(cells), isFinal: true },
            },
          ]
        return ['problems' in row ? { ...row, received: receive(cells) } : row]
      })
      const namer = compileRowNamer(mapping, resource.key, columns)
      const names = namesOf(namer, () =>
        rows.map(({ line, cells }) => ({ line, cells: cells.map(parseCell) })),
      )
      yield { rows: mapped, canonical: null, originOf, receive, names }
    },
    received: async function* (wanted) {
      const receive = receiver(compiled())
      const own = rows.filter(({ line }) => wanted.has(line))
      yield new Map(own.map(({ line, cells }) => [line, receive(cells.map(parseCell))]))
    },
  }
}

const isSameKey = (one: readonly string[], other: Key | null): boolean =>
  other !== null && one.join('\n') === other.join('\n')

/** Why a row that came earlier does not remove a record: the record may have come later. */
const otherRecord = ({ line }: CollectionMapping): MappedProblem => ({
  ...{ field: '', column: '', mappingLine: line, value: '' },
  reason:
    'removes another record than it was known for, which may be newer: send it again, or discard it',
})
