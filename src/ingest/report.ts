import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

/** One thing wrong with one row. */
export interface RowProblem {
  readonly file: string
  readonly line: number
  /** A JSON pointer into the record; empty for the row as a whole. */
  readonly field: string
  /** What was found there, cut. */
  readonly value: string
  readonly reason: string
  readonly severity: 'error' | 'warning'
}

/** Collects problems: counts all, keeps the first, writes all down where a file was asked for. */
export interface Report {
  add(problem: RowProblem): void
  readonly errors: number
  readonly warnings: number
  readonly first: readonly RowProblem[]
  close(): Promise<void>
}

export const listedMax = 1_000
const valueLengthMax = 100

export const openReport = (file: string | undefined): Report => {
  const out: WriteStream | null = file === undefined ? null : createWriteStream(file)
  const done = out && finished(out)
  const first: RowProblem[] = []
  const count = { error: 0, warning: 0 }
  return {
    add: (problem) => {
      count[problem.severity] += 1
      if (first.length < listedMax) first.push(problem)
      out?.write(`${JSON.stringify(problem)}\n`)
    },
    get errors() {
      return count.error
    },
    get warnings() {
      return count.warning
    },
    first,
    close: async () => {
      out?.end()
      await done
    },
  }
}

/** A value as a report shows it. */
export const cutValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const plain = text.toWellFormed().replaceAll('\u0000', '\\u0000')
  return plain.length > valueLengthMax ? `${plain.slice(0, valueLengthMax)}…` : plain
}
