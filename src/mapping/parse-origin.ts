import type { JsonValue } from '#contract'
import { jsonOf } from './constant.ts'
import type {
  FileOrigin,
  GivenRows,
  RowOrigin,
  SqlOrigin,
  Trailer,
  ValueFormats,
} from './mapping.ts'
import {
  type ProblemList,
  readDuration,
  readSettings,
  readText,
  readTexts,
  shown,
} from './settings.ts'
import { fromSettings, type joinSettings, reconcileSettings, trailerSettings } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

/** The settings of `from`, or of a join. */
type Settings = ReadonlyMap<keyof typeof fromSettings | keyof typeof joinSettings, YamlNode>

/** Parses the origin of a collection's rows. */
export const parseOrigin = (
  node: YamlNode,
  path: string,
  formats: ValueFormats,
  problems: ProblemList,
): RowOrigin => {
  const what = `from of ${path}`
  // A pattern alone is the most common origin.
  if (node.kind === 'scalar' && node.text !== '') {
    return { files: { patterns: [node.text] }, sql: null, rows: null }
  }
  const settings = readSettings(node, fromSettings, what, problems)
  return readOrigin(settings, node.line, what, formats, problems)
}

/** Reads the origin of rows of a collection, or of rows that are joined to them. */
export const readOrigin = (
  settings: Settings,
  line: number,
  what: string,
  formats: ValueFormats,
  problems: ProblemList,
): RowOrigin => {
  const kinds = (['files', 'sql', 'rows', 'given'] as const).filter((name) => settings.has(name))
  if (kinds.length === 0) problems.add(line, `${what} has no files, sql, rows or given`)
  const given = settings.get('given')
  if (given && kinds.length > 1) {
    problems.add(
      given.line,
      `${what} has ${kinds.join(' and ')}: rows that are given are the only ones`,
    )
  }
  reportUnused(
    settings,
    'files',
    ['encoding', 'delimiter', 'sheet', 'headerRow', 'trailer'],
    problems,
  )
  reportUnused(settings, 'sql', ['cursor', 'overlap', 'deleted', 'reconcile'], problems)
  return {
    files: settings.has('files') ? readFiles(settings, formats, problems) : null,
    sql: settings.has('sql') ? readSql(settings, problems) : null,
    rows: readRows(settings.get('rows'), problems),
    ...(given && { given: readGiven(given, what, problems) }),
  }
}

const readGiven = (node: YamlNode, what: string, problems: ProblemList): GivenRows => {
  const items = node.kind === 'list' ? node.items : []
  if (items.length === 0 || items.some((item) => item.kind !== 'map')) {
    problems.add(node.line, `given in ${what} must be a list of rows: [{ code: WH1, name: Main }]`)
  }
  const maps = items.filter((item) => item.kind === 'map')
  const columns = [...new Set(maps.flatMap(({ entries }) => entries.map(({ name }) => name)))]
  return {
    line: node.line,
    columns,
    rows: maps.map(({ line, entries }) => {
      const cells = new Map(entries.map(({ name, value }) => [name, givenCell(value)]))
      return { line, cells: columns.map((name) => cells.get(name) ?? null) }
    }),
  }
}

/** Keeps digits as written: 0042 is not 42, and 12.50 is not 12.5. */
const givenCell = (node: YamlNode): JsonValue => {
  if (node.kind !== 'scalar') return jsonOf(node)
  const isWritten = typeof node.value !== 'number' || String(node.value) === node.text
  return isWritten ? node.value : node.text
}

const reportUnused = (
  settings: Settings,
  needed: 'files' | 'sql',
  names: readonly (keyof typeof fromSettings)[],
  problems: ProblemList,
): void => {
  if (settings.has(needed)) return
  for (const name of names) {
    const node = settings.get(name)
    if (node) problems.add(node.line, `${name} has no effect without ${needed}`)
  }
}

const delimiters: { readonly [name: string]: NonNullable<FileOrigin['delimiter']> } = {
  ',': ',',
  ';': ';',
  '\t': '\t',
  '|': '|',
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
}

const encodings = ['utf-8', 'windows-1252', 'iso-8859-1'] as const
const encodingNames: { readonly [name: string]: (typeof encodings)[number] } = {
  utf8: 'utf-8',
  cp1252: 'windows-1252',
  'latin-1': 'iso-8859-1',
  latin1: 'iso-8859-1',
  ...Object.fromEntries(encodings.map((name) => [name, name])),
}

const readFiles = (
  settings: Settings,
  formats: ValueFormats,
  problems: ProblemList,
): FileOrigin => {
  const encoding = readChoice(
    settings.get('encoding'),
    encodingNames,
    'encoding',
    encodings.join(', '),
    problems,
  )
  const delimiter = readChoice(
    settings.get('delimiter'),
    delimiters,
    'delimiter',
    'comma, semicolon, tab, pipe',
    problems,
  )
  const sheet = readText(settings.get('sheet'), 'sheet', problems)
  const trailer = readTrailer(settings.get('trailer'), formats, problems)
  const row = settings.get('headerRow')
  const headerRow = row?.kind === 'scalar' && Number.isInteger(row.value) ? Number(row.value) : null
  if (row && (headerRow === null || headerRow < 1)) {
    problems.add(row.line, 'headerRow must be the number of a row, counted from 1')
  }
  return {
    patterns: readTexts(settings.get('files'), 'files', problems),
    ...(encoding && { encoding }),
    ...(delimiter && { delimiter }),
    ...(sheet !== null && { sheet }),
    ...(headerRow !== null && { headerRow }),
    ...(trailer && { trailer }),
  }
}

const readTrailer = (
  node: YamlNode | undefined,
  { decimal, group }: ValueFormats,
  problems: ProblemList,
): Trailer | null => {
  if (!node) return null
  const settings = readSettings(node, trailerSettings, 'trailer', problems)
  const startsWith = readText(settings.get('startsWith'), 'startsWith of trailer', problems)
  if (!settings.has('startsWith')) problems.add(node.line, 'trailer has no startsWith')
  const count = settings.get('count')
  const sum = settings.get('sum')
  if (sum && sum.kind !== 'map') {
    problems.add(sum.line, 'sum of trailer must have a cell for each column: { AMOUNT: 3 }')
  }
  return {
    startsWith: startsWith ?? '',
    count: count ? readCell(count, 'count of trailer', problems) : null,
    sums: (sum?.kind === 'map' ? sum.entries : []).map(({ name, value }) => ({
      column: name,
      cell: readCell(value, `sum of trailer: ${name}`, problems),
    })),
    decimal,
    group,
  }
}

const readCell = (node: YamlNode, what: string, problems: ProblemList): number => {
  const cell = node.kind === 'scalar' && Number.isInteger(node.value) ? Number(node.value) : 0
  if (cell < 1) problems.add(node.line, `${what} must be the number of a cell, counted from 1`)
  return cell
}

const readChoice = <Value extends string>(
  node: YamlNode | undefined,
  choices: { readonly [name: string]: Value },
  what: string,
  names: string,
  problems: ProblemList,
): Value | null => {
  if (!node) return null
  const text = node.kind === 'scalar' ? node.text : ''
  const name = Object.hasOwn(choices, text) ? text : text.toLowerCase()
  const value = Object.hasOwn(choices, name) ? choices[name] : undefined
  if (value !== undefined) return value
  problems.add(node.line, `${what} ${shown(text)} is not supported; there are ${names}`)
  return null
}

const readSql = (settings: Settings, problems: ProblemList): SqlOrigin => {
  const node = settings.get('sql')
  const reconcile = settings.get('reconcile')
  const inner =
    reconcile?.kind === 'map'
      ? readSettings(reconcile, reconcileSettings, 'reconcile', problems)
      : null
  const everyMs = readDuration(inner ? inner.get('every') : reconcile, 'reconcile', problems)
  if (inner && !inner.has('every')) problems.add(reconcile?.line ?? 0, 'reconcile has no every')
  const overlap = settings.get('overlap')
  if (overlap && !settings.has('cursor'))
    problems.add(overlap.line, 'overlap has no effect without cursor')
  return {
    line: node?.line ?? 0,
    sql: readText(node, 'sql', problems) ?? '',
    cursor: readText(settings.get('cursor'), 'cursor', problems),
    overlapMs: readDuration(overlap, 'overlap', problems) ?? 0,
    deleted: readText(settings.get('deleted'), 'deleted', problems),
    reconcile:
      everyMs === null
        ? null
        : { everyMs, sql: readText(inner?.get('sql'), 'sql of reconcile', problems) },
  }
}

const readRows = (node: YamlNode | undefined, problems: ProblemList): RowOrigin['rows'] => {
  if (!node) return null
  if (node.kind === 'scalar' && node.value === true) return { tables: null }
  return { tables: readTexts(node, 'rows', problems) }
}
