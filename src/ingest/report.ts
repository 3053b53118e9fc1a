import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { formatCount } from '#contract'

/** A problem of one row. */
export interface RowProblem {
  readonly file: string
  /** 0 if the file as a whole is at fault, and for rows of a query, which have no stable order. */
  readonly line: number
  /**
   * The row as its sender knows it: the columns of its key with their values, or the title and the
   * natural keys of its record. Absent if it is not known.
   */
  readonly key?: string
  /** A JSON pointer into the record; empty for the whole row. */
  readonly field: string
  /** The invalid value, truncated. */
  readonly value: string
  readonly reason: string
  readonly severity: 'error' | 'warning'
  /** For a mapped row: the columns of the field. */
  readonly column?: string
  /** For a mapped row: the file and line of the mapping. */
  readonly mappingFile?: string
  readonly mappingLine?: number
}

/** Problems of one file that differ only in their rows: the first, and the number of them. */
export interface ProblemGroup extends RowProblem {
  readonly problems: number
  /** The number of affected rows; 0 if no row is at fault. */
  readonly rows: number
}

/**
 * Collects problems: counts all, keeps the first ones and the first of each kind, and writes all to
 * a file on request.
 */
export interface Report {
  add(problem: RowProblem): void
  readonly errors: number
  readonly warnings: number
  readonly first: readonly RowProblem[]
  readonly groups: readonly ProblemGroup[]
  /** Returns a function that takes back what is added from now on. */
  mark(): () => void
  close(): void
}

/** Maximum number of problems, and of groups, in memory. */
const listedMax = 1_000
const valueLengthMax = 100
const fieldLengthMax = 300
const waitingMax = 64 * 1_024

/** The file is a path, or a descriptor that the report closes. */
export const openReport = (file: string | number | undefined): Report => {
  // Written synchronously: in the background, a million problems would pile up in memory.
  const out = file === undefined ? null : typeof file === 'number' ? file : openSync(file, 'w')
  let waiting = ''
  let written = 0
  /** Where the next problems go in a file that was cut; null for its end. */
  let position: number | null = null
  const write = () => {
    if (out === null || waiting === '') return
    const bytes = writeSync(out, waiting, position)
    written += bytes
    if (position !== null) position += bytes
    waiting = ''
  }
  const cutAt = (length: number) => {
    waiting = ''
    if (out === null || written === length) return
    try {
      ftruncateSync(out, length)
      written = position = length
    } catch {
      // A pipe keeps what it was given.
    }
  }
  const first: RowProblem[] = []
  let groups = openGroups()
  const count = { error: 0, warning: 0 }
  return {
    add: (problem) => {
      count[problem.severity] += 1
      if (first.length < listedMax) first.push(problem)
      groups.add(problem)
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
    get groups() {
      return groups.all()
    },
    mark: () => {
      write()
      const [length, listed, earlier] = [written, first.length, groups.copy()]
      const { error, warning } = count
      return () => {
        cutAt(length)
        first.splice(listed)
        groups = earlier
        Object.assign(count, { error, warning })
      }
    },
    close: () => {
      if (out === null) return
      write()
      closeSync(out)
    },
  }
}

interface OpenGroup {
  readonly first: RowProblem
  problems: number
  rows: number
  /** The last row. */
  row: string
}

const openGroups = (groups = new Map<string, OpenGroup>()) => {
  return {
    copy: () => openGroups(new Map([...groups].map(([key, group]) => [key, { ...group }]))),
    add: (problem: RowProblem) => {
      const { file, line, key = '', field, reason, severity } = problem
      const kind = [severity, file, likeness(field), likeness(reason)].join('\n')
      const row = `${line} ${key}`
      const group = groups.get(kind)
      if (!group) {
        if (groups.size === listedMax) return
        const rows = line > 0 || key !== '' ? 1 : 0
        groups.set(kind, { first: problem, problems: 1, rows, row })
        return
      }
      group.problems += 1
      // Rows come in order, so a row with two such problems counts once.
      if (row !== group.row) group.rows += 1
      group.row = row
    },
    all: (): readonly ProblemGroup[] =>
      [...groups.values()].map(({ first, problems, rows }) => ({ ...first, problems, rows })),
  }
}

/** A text without its variable parts: quoted values, identifiers, and numbers such as list indexes. */
const likeness = (text: string): string =>
  text.replace(
    /"[^"]*"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d[\d,]*/g,
    '#',
  )

/** A pointer for reports, truncated; names in free values can contain anything. */
export const cutField = (pointer: string): string =>
  plainText(pointer.length > fieldLengthMax ? `${pointer.slice(0, fieldLengthMax)}…` : pointer)

/** A value for reports: truncated, on one line, without terminal control characters. */
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
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number'
      ? String(value)
      : (JSON.stringify(value) ?? '')

/** A field's JSON pointer. */
export const pointerOf = (field: string): string => `/${field.replaceAll('.', '/')}`

/** What is wrong with the first row that was left out; null if none was. */
export const firstProblem = ({
  errors,
  first,
}: Pick<Report, 'errors' | 'first'>): string | null => {
  const problem = first.find(({ severity }) => severity === 'error')
  if (errors === 0 || !problem) return null
  const { file, line, key, field, value, reason } = problem
  const row = line > 0 ? `row ${line}` : ''
  const place = [file, row, key && `${key}:`, field, value && `(${value})`]
  return `${formatCount(errors, 'problem')}: ${place.filter(Boolean).join(' ')} ${reason}`
}
