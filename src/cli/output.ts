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
