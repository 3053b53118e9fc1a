import type { CanonicalScanner } from '#contract'
import { skipsRepeats, withCanonicalRows } from './canonical-rows.ts'
import { correctionsOf, withoutMembers } from './corrections.ts'
import type { CpuMeter } from './cpu-limit.ts'
import { fieldRows } from './field-rows.ts'
import { type FileInput, namedError, openChunks, type StreamInput } from './input.ts'
import { mappedRows } from './mapped-rows.ts'
import { openTable } from './open-table.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { jsonRemovals, tableRemovals } from './removal-rows.ts'
import type { SourceRow, SourceRows } from './row.ts'
import type { Source } from './source.ts'
import type { Table } from './table.ts'

export interface ReadOptions {
  /** Receives the number of bytes read, before decompression. */
  readonly onBytes: (bytes: number) => void
  /** Recognises rows that need no parsing, in formats with a text per record. */
  readonly scanner?: CanonicalScanner | undefined
  /** A brand's slug, or `sharedOwner`. It is part of the identities that a mapping creates. */
  readonly owner: string
  readonly meter?: CpuMeter | undefined
  /** Whether to keep the cells of rows that may be bad. */
  readonly keepsBadRows?: boolean | undefined
}

/** The rows of a source, in batches. */
export async function* readSource(source: Source, options: ReadOptions): AsyncIterable<SourceRows> {
  const { input } = source
  try {
    if (
      input.kind === 'rows' ||
      source.mapping ||
      !('format' in input && input.format === 'ndjson')
    ) {
      const { scanner } = options
      const marksRepeats = source.mapping !== undefined && skipsRepeats(source.mapping)
      yield* withCanonicalRows(rowsOf(source, options), { scanner, marksRepeats })
    } else yield* rowsOf(source, options)
  } catch (error) {
    throw namedError(source.name, error)
  }
}

const rowsOf = (source: Source, options: ReadOptions): AsyncIterable<SourceRows> => {
  const { input, mapping, resource } = source
  if (input.kind === 'rows') return input.rows()
  if (mapping) return mappedRows({ ...source, input, mapping }, options)
  if (input.kind === 'given') throw new Error('Given rows need their mapping.')
  if (input.format !== 'ndjson' && input.format !== 'json') return readTable(source, input, options)
  const rows = readJson(input, options)
  return source.removes ? jsonRemovals(resource, rows) : recordRows(rows)
}

async function* readJson(
  input: FileInput | StreamInput,
  { onBytes, scanner }: ReadOptions,
): AsyncIterable<SourceRows> {
  const { chunks, close } = openChunks(input, onBytes)
  try {
    if (input.format === 'ndjson') yield* readNdjson(chunks, scanner)
    else yield* parsed(readJsonArray(chunks))
  } finally {
    close()
  }
}

/** Records, without the members of a correction file. */
async function* recordRows(batches: AsyncIterable<SourceRows>): AsyncIterable<SourceRows> {
  for await (const batch of batches) {
    const rows = batch.rows.map(withoutMembers)
    yield { ...batch, rows, corrections: correctionsOf(rows) }
  }
}

async function* readTable(
  { resource, removes }: Source,
  input: FileInput | StreamInput,
  { onBytes }: ReadOptions,
): AsyncIterable<SourceRows> {
  const table = await openTable(input, onBytes)
  try {
    if (removes) {
      yield* tableRemovals(resource, table)
      return
    }
    let corrections: SourceRows['corrections']
    const rows = async function* (): Table['rows'] {
      for await (const batch of table.rows) {
        corrections = correctionsOf(batch)
        yield batch
      }
    }
    const read = fieldRows(resource, { columns: table.columns, rows: rows() })
    for await (const batch of read) yield { rows: batch, canonical: null, corrections }
  } finally {
    await table.close()
  }
}

/** The rows of a format without a text per record. */
async function* parsed(batches: AsyncIterable<readonly SourceRow[]>): AsyncIterable<SourceRows> {
  for await (const rows of batches) yield { rows, canonical: null }
}
