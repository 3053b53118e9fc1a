import { styleText } from 'node:util'

/** A failure that the person at the terminal can act on. */
export class CommandError extends Error {}

/** Wrong options or arguments. */
export class UsageError extends CommandError {}

/** The destination of a command's result. */
export interface Output {
  /** For machines: one JSON value. For people: sentences and tables. */
  readonly json: boolean
  /** Prints a result: as JSON with --json, otherwise as text. */
  result(value: unknown, words: () => string): void
}

export const createOutput = (json: boolean): Output => ({
  json,
  result: (value, words) => {
    process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${words()}\n`)
  },
})

/** The beginning of a text that is too long for a cell of a table. */
export const shorten = (text: string, charactersMax: number): string => {
  const characters = [...text]
  return characters.length > charactersMax
    ? `${characters.slice(0, charactersMax - 1).join('')}…`
    : text
}

/** Maximum length of a line of a log. The report beside a file, and --json, have the whole text. */
const logCharactersMax = 600

/**
 * A sentence as one line of a log: line breaks become spaces, and unreadable characters one sign. So
 * a name or a value cannot begin a line of its own.
 */
export const logLine = (sentence: string): string =>
  shorten(
    sentence
      .toWellFormed()
      .replace(/\s+/g, ' ')
      .replace(/(?:[\p{Cc}\ufffd]|\\u[0-9a-f]{4})+/gu, '\ufffd'),
    logCharactersMax,
  )

/** Formats rows as a table with aligned columns. Numbers are right-aligned. */
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
