import { closeSync, openSync, writeSync } from 'node:fs'

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
  close(): void
}

export const listedMax = 1_000
const valueLengthMax = 100
const waitingMax = 64 * 1_024

export const openReport = (file: string | undefined): Report => {
  // Written at once and not in the background, where a million problems would pile up in memory.
  const out = file === undefined ? null : openSync(file, 'w')
  let waiting = ''
  const write = () => {
    if (out !== null) writeSync(out, waiting)
    waiting = ''
  }
  const first: RowProblem[] = []
  const count = { error: 0, warning: 0 }
  return {
    add: (problem) => {
      count[problem.severity] += 1
      if (first.length < listedMax) first.push(problem)
      if (out === null) return
      waiting += `${JSON.stringify(problem)}\n`
      if (waiting.length > waitingMax) write()
    },
    get errors() {
      return count.error
    },
    get warnings() {
      return count.warning
    },
    first,
    close: () => {
      if (out === null) return
      write()
      closeSync(out)
    },
  }
}

/** A value as a report shows it: on one line, and nothing in it that a terminal would obey. */
export const cutValue = (value: unknown): string => {
  const text = textOf(value)
  const cut = text.length > valueLengthMax ? `${text.slice(0, valueLengthMax)}…` : text
  return plainText(cut)
}

export const plainText = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /[\u0000-\u001f\u007f-\u009f]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? '')

/** A field's place in a record, as reports name it. */
export const pointerOf = (field: string): string => `/${field.replaceAll('.', '/')}`
