import { type CanonicalScanner, limits } from '#contract'
import type { CollectionMapping, Rank } from '#mapping'
import type { CanonicalRows, SourceRow, SourceRows } from './row.ts'

/** Collects rows whose text can be stored unchanged. */
export interface CanonicalRowsBuilder {
  /** The end of the canonical text that starts at `from`; -1 if there is none. */
  endOf(bytes: Uint8Array, from: number): number
  /** Adds the text that `endOf` found last. */
  add(line: number, from: number, end: number, rank?: Rank): void
  /** The added rows, as slices of `bytes`. */
  build(bytes: Uint8Array): CanonicalRows | null
}

export const createCanonicalRows = (scanner: CanonicalScanner): CanonicalRowsBuilder => {
  const width = scanner.offsets.length + 2
  const lines: number[] = []
  const ranks: Rank[] = []
  let offsets = new Int32Array(64 * width)
  return {
    endOf: (bytes, from) => {
      const end = scanner.endOf(bytes, from)
      return end - from > limits.record.maxBytes ? -1 : end
    },
    add: (line, from, end, rank = null) => {
      const at = lines.length * width
      if (at === offsets.length) {
        const larger = new Int32Array(offsets.length * 2)
        larger.set(offsets)
        offsets = larger
      }
      offsets[at] = from
      offsets[at + 1] = end
      offsets.set(scanner.offsets, at + 2)
      lines.push(line)
      ranks.push(rank)
    },
    build: (bytes) =>
      lines.length > 0
        ? { lines, ranks, bytes, offsets: offsets.subarray(0, lines.length * width) }
        : null,
  }
}

export interface CanonicalOptions {
  readonly scanner: CanonicalScanner | undefined
  /** Whether a row that equals the previous one is marked as a repetition. */
  readonly marksRepeats: boolean
}

/**
 * Whether rows that repeat the record of an earlier row can be left out. With `keep: last` and
 * `newest by`, one of them may count although the earlier row does not.
 */
export const skipsRepeats = ({ keep, group }: CollectionMapping): boolean =>
  !group && (keep === undefined || keep.row === 'first')

/**
 * Serialises canonical rows of formats that have no text per record. Slices of text are the fastest
 * way into the database.
 */
export async function* withCanonicalRows(
  batches: AsyncIterable<SourceRows>,
  { scanner, marksRepeats }: CanonicalOptions,
): AsyncIterable<SourceRows> {
  if (!scanner) {
    yield* batches
    return
  }
  let last = { line: 0, text: '' }
  let capacity = firstCapacity
  for await (const batch of batches) {
    // A body of changes has already been scanned for canonical records.
    if (batch.canonical) {
      yield batch
      continue
    }
    const builder = createCanonicalRows(scanner)
    const rows: SourceRow[] = []
    let bytes = Buffer.allocUnsafeSlow(capacity)
    let from = 0
    for (const row of batch.rows) {
      const text = textOf(row)
      if (text === null) {
        rows.push(row)
        continue
      }
      if (marksRepeats && text === last.text) {
        rows.push({ line: row.line, repeats: last.line })
        continue
      }
      const needed = from + text.length * bytesPerUnit
      if (needed > bytes.length) {
        capacity = needed * 2
        const larger = Buffer.allocUnsafeSlow(capacity)
        larger.set(bytes.subarray(0, from))
        bytes = larger
      }
      bytes.write(text, from)
      const end = builder.endOf(bytes, from)
      if (end < 0) rows.push(row)
      else {
        builder.add(row.line, from, end, rankOf(row))
        from = end
        last = { line: row.line, text }
      }
    }
    yield { ...batch, rows, canonical: builder.build(bytes.subarray(0, from)) }
  }
}

const firstCapacity = 256 * 1_024

/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const bytesPerUnit = 3

/** The rank of a mapped row; null for others. */
export const rankOf = (row: SourceRow): Rank => ('json' in row ? (row.rank ?? null) : null)

/** The JSON text of a row's record; null if it cannot be stored unchanged. */
const textOf = (row: SourceRow): string | null => {
  const text = 'json' in row ? row.json : valueText(row)
  return text === null || text.length > limits.record.maxBytes ? null : text
}

const valueText = (row: SourceRow): string | null =>
  'value' in row && row.losses.length === 0 && typeof row.value === 'object'
    ? JSON.stringify(row.value)
    : null
