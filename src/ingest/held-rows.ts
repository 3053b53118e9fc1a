import type { Resource } from '#contract'
import { mappingDigest } from '#mapping'
import type {
  HeldRow,
  HeldSource,
  QuarantineReason,
  RejectedRow,
  RowDescription,
  SourceName,
  Writer,
} from '#store'
import { canReadAgain, readReceived } from './read-received.ts'
import { type BadRow, problemsOfRowMax } from './received-row.ts'
import type { RowProblem } from './report.ts'
import type { Received } from './row.ts'
import type { Source } from './source.ts'

/** What becomes of rows that cannot be stored. */
export type OnError =
  /** They refuse the import. */
  | 'refuse'
  /** Those that refer to a missing record wait for it; the others refuse the import. */
  | 'park'
  /** They are put in quarantine, and the others are stored. */
  | 'quarantine'

/** The rows of a collection that an import puts in quarantine. */
export interface HeldRows {
  /** Adds a row that could not become a record. */
  addBad(source: number, row: BadRow): void
  /** Adds a problem of a row that was rejected after it was staged, as it was received if known. */
  addRejected(
    row: Pick<RejectedRow, 'row' | 'source' | 'line' | 'unstaged'> & Pick<HeldRow, 'holder'>,
    reason: HeldRow['reason'],
    problem: RowProblem,
    received?: Received,
  ): void
  /**
   * Adds a row that was in quarantine and whose record is stored by now. Another mapping does not try
   * it again: which of both is newer is not known.
   */
  addBeside(row: Pick<RejectedRow, 'row' | 'source' | 'line'>, problem: RowProblem): void
  /** Adds the problem of a row that waits for a record. */
  addWaiting(row: Pick<RejectedRow, 'row' | 'source' | 'line'>, problem: RowProblem): void
  /** Whether enough was added to write it. */
  readonly isFull: boolean
  /** Writes what was added. Call it before a check that depends on it. */
  flush(): Promise<void>
  /** Writes what was added, and the rejected rows as they were received. */
  finish(): Promise<void>
  /** The number of bad rows: those that do not merely wait. */
  readonly badRows: number
  /** Whether the identity of one of them is not earlier. */
  readonly hasUnidentified: boolean
}

export interface HeldRowsParts {
  readonly writer: Writer
  readonly resource: Resource
  readonly sources: readonly Source[]
  readonly owner: string
  readonly onError: OnError
  readonly heldSources: readonly HeldSource[]
  /** Called with the line of each row of the import that is put in quarantine. */
  readonly onQuarantined?: ((line: number) => void) | undefined
}

/** The sources of an import, as rows in quarantine name them. */
export const heldSourcesOf = (
  sources: readonly Source[],
  source: SourceName | null,
): readonly HeldSource[] =>
  sources.map(({ name, mapping, context }) => ({
    file: name,
    source,
    mapping: mapping ? mappingDigest(mapping, context?.version) : null,
  }))

export const createHeldRows = (parts: HeldRowsParts): HeldRows => {
  const { writer, resource, sources, onError, heldSources, onQuarantined } = parts
  const isOn = onError === 'quarantine'
  let waiting: HeldRow[] = []
  let rejected = new Map<number, HeldRow & { problems: RowProblem[] }>()
  let described: RowDescription[] = []
  /** Rejected rows by source and line that were not received with their cells. */
  const unread = new Map<number, Map<number, number[]>>()
  /** Rows that were in quarantine before are sources after those of the import. */
  const ownSources = sources.length
  let badRows = 0
  let hasUnidentified = false
  const note = (source: number, line: number) => {
    if (source >= 0 && source < ownSources) onQuarantined?.(line)
  }

  const fromOf = (source: number, isMapped: boolean): HeldSource => {
    const { mapping = null, ...from } = heldSources[source] ?? { file: '' }
    return { ...from, mapping: isMapped ? mapping : null }
  }
  /** For rows that no other mapping tries again. */
  const finalOf = (source: number): HeldSource => ({ ...fromOf(source, false), mapping: '' })
  const readLater = (row: number, source: number, line: number) => {
    const lines = unread.get(source) ?? new Map<number, number[]>()
    unread.set(source, lines)
    lines.set(line, [...(lines.get(line) ?? []), row])
  }
  const canRead = (source: number): boolean => {
    const own = sources[source]
    return own !== undefined && canReadAgain(own)
  }

  const flush = async () => {
    const rows = [...waiting, ...rejected.values()]
    waiting = []
    rejected = new Map()
    if (rows.length > 0) await writer.quarantine(resource, rows)
    const descriptions = described
    described = []
    await writer.describeQuarantined(resource, descriptions)
  }

  return {
    get badRows() {
      return badRows
    },
    get isFull() {
      return waiting.length + rejected.size + described.length >= flushRows
    },
    get hasUnidentified() {
      return hasUnidentified
    },
    addBad: (source, { line, problems, key, parent, natural, row, isMapped, isFinal }) => {
      if (source < ownSources) badRows += 1
      hasUnidentified ||= key === null
      if (!isOn) return
      note(source, line)
      waiting.push({
        ...{ row: null, key, parent, body: null, natural, reason: 'row', line, problems },
        from: isFinal ? finalOf(source) : fromOf(source, isMapped),
        received: row,
      })
    },
    addRejected: ({ row, source, line, unstaged, holder }, reason, problem, received) => {
      const earlier = row === null ? undefined : rejected.get(row)
      if (earlier) {
        if (earlier.problems.length < problemsOfRowMax) earlier.problems.push(problem)
        return
      }
      if (source < ownSources) badRows += 1
      if (!isOn) return
      note(source, line)
      const isMapped = received ? received.isMapped : canRead(source)
      const held = {
        ...{ row, key: unstaged?.key ?? null, parent: null, body: unstaged?.body ?? null },
        ...{
          natural: null,
          reason,
          line,
          problems: [problem],
          from: fromOf(source, isMapped),
          holder,
        },
        received: received?.isMapped ? received.row : null,
      }
      if (row === null) waiting.push(held)
      else rejected.set(row, held)
      if (row !== null && !received && canRead(source)) readLater(row, source, line)
    },
    addBeside: ({ row, source, line }, problem) => {
      if (row === null) return
      rejected.set(row, {
        ...{ row, key: null, parent: null, body: null, natural: null, reason: 'duplicate', line },
        ...{ problems: [problem], from: finalOf(source), received: null },
      })
      readLater(row, source, line)
    },
    addWaiting: ({ row, source, line }, problem) => {
      note(source, line)
      if (row === null) return
      described.push({ row, problems: [problem] })
      if (canRead(source)) readLater(row, source, line)
    },
    flush,
    finish: async () => {
      await flush()
      for (const [index, lines] of unread) {
        const source = sources[index]
        if (!source) continue
        for await (const batch of readReceived(source, parts.owner, new Set(lines.keys()))) {
          const rows = [...batch].flatMap(([line, { row }]) =>
            row ? (lines.get(line) ?? []).map((each) => ({ row: each, received: row })) : [],
          )
          await writer.describeQuarantined(resource, rows)
        }
      }
    },
  }
}

/** Rows that are written together. */
const flushRows = 500

/** Why a staged row is rejected, as the quarantine names it. */
export const quarantineReason = ({
  first,
  refusal,
}: RejectedRow): Exclude<QuarantineReason, 'reference'> =>
  refusal ? 'database' : first ? 'duplicate' : 'row'
