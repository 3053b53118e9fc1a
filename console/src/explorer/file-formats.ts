import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { asText } from '../values.ts'

/** A file format for downloads. */
export interface FileFormat {
  readonly title: string
  readonly ending: string
  readonly type: string
  head(group: Group): string
  rows(group: Group, rows: readonly Row[]): string
}

export const fileFormats: readonly FileFormat[] = [
  {
    title: 'CSV',
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    head: ({ fields }) => csvLine(fields.map(({ name }) => name)),
    rows: ({ fields }, rows) =>
      rows.map((row) => csvLine(fields.map(({ name }) => asText(row[name])))).join(''),
  },
  {
    title: 'NDJSON',
    ending: 'ndjson',
    type: 'application/x-ndjson',
    head: () => '',
    rows: (_group, rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  },
]

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** Prefixes a text that a spreadsheet would run as a formula with a quote. */
const csvCell = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
