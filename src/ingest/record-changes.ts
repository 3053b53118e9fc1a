import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FieldChange, fieldChanges, type Resource, valueAt, writeIdentity } from '#contract'
import type { MergeChange } from '#store'
import { SourceError } from './row.ts'

/** What an import would do to a record. */
export interface RecordChange {
  readonly operation: MergeChange['operation']
  readonly collection: string
  readonly id: string
  /** The natural name of the record, such as an order number; null if it has none. */
  readonly title: string | null
  /** The fields of a changed record that differ. */
  readonly fields: readonly FieldChange[]
}

/** Receives what an import changes. */
export interface ChangeCollector {
  /** Returns whether it takes another change. */
  add(resource: Resource, change: MergeChange): boolean
  /** Forgets everything: the import begins again, or is refused. */
  clear(): void
  /** Whether it can do without the records of a faster load into an empty table. */
  readonly isPartial?: true
}

/** What a dry run would change: the first changes, and on request all of them in a temporary file. */
export interface Difference extends ChangeCollector {
  readonly first: readonly RecordChange[]
  /** The JSON of all changes, separated by commas, in pieces. */
  pieces(): Iterable<Buffer>
  close(): void
}

/** How many changes people see. */
const changesShown = 100
const bufferedCharacters = 65_536
const pieceBytes = 65_536

export const openDifference = ({ keepsAll }: { readonly keepsAll: boolean }): Difference => {
  const file = keepsAll ? guarded(openTemporaryFile) : null
  const first: RecordChange[] = []
  let buffered = ''
  let written = 0
  const flush = () => {
    if (file === null || buffered === '') return
    const bytes = Buffer.from(buffered)
    const count = guarded(() => writeSync(file, bytes, 0, bytes.length, written))
    if (count < bytes.length) throw unwritable(new Error('it is full'))
    written += count
    buffered = ''
  }
  return {
    first,
    add: (resource, change) => {
      if (file === null && first.length === changesShown) return false
      const own = recordChange(resource, change)
      if (first.length < changesShown) first.push(own)
      if (file === null) return true
      buffered += `${written + buffered.length > 0 ? ',' : ''}${JSON.stringify(own)}`
      if (buffered.length > bufferedCharacters) flush()
      return true
    },
    clear: () => {
      first.splice(0)
      buffered = ''
      written = 0
    },
    pieces: function* () {
      flush()
      if (file === null) return
      for (let at = 0; at < written; ) {
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, written - at))
        const read = readSync(file, piece, 0, piece.length, at)
        if (read === 0) throw new Error('The temporary file of changes is incomplete.')
        at += read
        yield piece.subarray(0, read)
      }
    },
    close: () => {
      if (file !== null) closeSync(file)
    },
  }
}

const guarded = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw unwritable(error)
  }
}

const unwritable = (error: unknown): SourceError => {
  const code = error instanceof Error && 'code' in error ? error.code : error
  return new SourceError(
    `The changes cannot be kept in the temporary folder ${tmpdir()}: ${code}. Nothing was written. Free space there, or name another folder in TMPDIR.`,
  )
}

/** A file without a name, which is gone when it is closed. */
const openTemporaryFile = (): number => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-changes-'))
  try {
    return openSync(join(folder, 'changes'), 'wx+', 0o600)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const recordChange = (
  resource: Resource,
  { operation, key, before, after }: MergeChange,
): RecordChange => ({
  operation,
  collection: resource.path,
  id: writeIdentity(key),
  title: titleOf(resource, after ?? before),
  fields: before !== null && after !== null ? fieldChanges(resource.fields, before, after) : [],
})

const titleOf = ({ title }: Resource, body: string | null): string | null => {
  const value = title === undefined || body === null ? null : valueAt(JSON.parse(body), title)
  return value === null ? null : String(value)
}
