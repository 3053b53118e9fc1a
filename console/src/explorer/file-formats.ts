import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { asText } from '../values.ts'

/** A format a list can be taken home in. */
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

/** A spreadsheet would run a text that begins like a formula; with a quote before it, it is shown. */
const csvCell = (text: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
