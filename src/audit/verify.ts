import type { Database, Row } from '#database'
import { type ChainHead, emptyHead, hashOfEntry, parseChained, walkQuery } from './chain-table.ts'
import type { ReadEntry } from './entry.ts'

export interface VerifyOptions {
  /** A head that was read earlier, and must still be in the chain. */
  readonly expect?: ChainHead | undefined
  readonly onProgress?: (entries: number) => void
}

export interface Verified {
  /** The last entry that follows from all before it. */
  readonly head: ChainHead
  /** The first entry that is wrong; null if none is. */
  readonly problem: ChainProblem | null
}

export interface ChainProblem {
  readonly number: number
  /** What is wrong, as a sentence about the entry. */
  readonly reason: string
}

/** Entries that are read at once. */
const pageEntries = 500

/** Reads the whole chain from one snapshot, and computes every hash again. */
export const verifyChain = (
  database: Database,
  { expect, onProgress }: VerifyOptions = {},
): Promise<Verified> =>
  database.snapshot(async (all) => {
    let head = emptyHead
    for (;;) {
      const rows = await all(walkQuery(head.number + 1, pageEntries))
      for (const row of rows) {
        const problem = problemOf(row, head, expect)
        if (problem) return { head, problem }
        const { number, hash } = parseChained(row)
        head = { number, hash }
      }
      onProgress?.(head.number)
      if (rows.length < pageEntries) break
    }
    if (expect && expect.number > head.number) {
      const reason = `The log ends with entry ${head.number}: the entries after it are missing.`
      return { head, problem: { number: head.number + 1, reason } }
    }
    return { head, problem: null }
  })

const problemOf = (
  row: Row,
  head: ChainHead,
  expect: ChainHead | undefined,
): ChainProblem | null => {
  const { hash, ...place } = parseChained(row)
  const { number, previous, text } = place
  const wrong = (reason: string, at = number) => ({ number: at, reason })
  if (number !== head.number + 1) {
    return wrong(`Entry ${head.number + 1} is missing.`, head.number + 1)
  }
  if (previous !== head.hash) {
    return wrong(`Entry ${number} does not follow the entry before it: another one was there.`)
  }
  if (hash !== hashOfEntry(place)) {
    return wrong(`Entry ${number} was changed: its hash is not that of its text.`)
  }
  if (!hasSameColumns(row.slice(4), text)) {
    return wrong(`Entry ${number} was changed: a column differs from its text.`)
  }
  if (expect?.number === number && expect.hash !== hash) {
    return wrong(`Entry ${number} has another hash than expected: the log was written again.`)
  }
  return null
}

/** Whether the columns that entries are looked up by are those of the text. */
const hasSameColumns = (columns: Row, text: string): boolean => {
  const { id, at, action, brand } = JSON.parse(text) as ReadEntry
  return [id, at, action, brand].every((value, index) => value === columns[index])
}
