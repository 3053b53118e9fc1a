import { styleText } from 'node:util'

/** CommandError or failed, for a reason that the person at the terminal can act on. */
export class CommandError extends Error {}

/** The command was not called as it is meant to be. */
export class UsageError extends CommandError {}

/** Where a command's words go. */
export interface Output {
  /** For machines: one JSON value. For people: sentences and tables. */
  readonly json: boolean
  /** A result: JSON when asked for, otherwise the words. */
  result(value: unknown, words: () => string): void
}

export const createOutput = (json: boolean): Output => ({
  json,
  result: (value, words) => {
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${words()}\n`)
  },
})

/** Rows as a table, wide enough for each column. Numbers stand to the right. */
export const asTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => [...(row[column] ?? '')].length)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - [...cell].length)
        return /^[\d.,]+$/.test(cell) ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd()
  return [styleText('bold', line(head)), ...rows.map(line)].join('\n')
}

/** `1 row`, `2 rows`, `1,000 rows`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
