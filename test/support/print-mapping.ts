import { type Catalog, catalog as ownCatalog } from '#contract'
import type {
  CollectionMapping,
  FieldMapping,
  FileOrigin,
  GivenRows,
  JoinedRows,
  Mapping,
  RowOrigin,
  SqlOrigin,
} from '../../src/mapping/mapping.ts'
import { plainFormats } from '../../src/mapping/parse-formats.ts'
import {
  conditionsValue,
  expressionValue,
  formatEntries,
  jsonValue,
  textsValue,
} from '../../src/mapping/print-expression.ts'
import { printName, printYaml, type YamlValue, yamlMap } from '../../src/mapping/print-yaml.ts'
import { durationUnits } from '../../src/mapping/settings.ts'

/**
 * A mapping as a file that parses to the same mapping, but for its lines. Defaults, named lists and
 * formats of the file are written where they are used.
 */
export const printMapping = (
  { brand, database, collections }: Mapping,
  catalog: Catalog = ownCatalog,
): string => {
  const lines = ['version: 1']
  if (brand !== null) lines.push(`brand: ${printYaml(brand)}`)
  if (database !== null) lines.push(`database: ${printYaml(database)}`)
  lines.push('collections:')
  for (const [name, mappings] of Map.groupBy(collections, ({ collection }) => collection)) {
    lines.push(`  ${printName(name)}:`)
    for (const mapping of mappings) {
      const [first = '', ...others] = collectionLines(mapping, catalog)
      lines.push(`    - ${first}`, ...others.map((line) => `      ${line}`))
    }
  }
  return `${lines.join('\n')}\n`
}

const collectionLines = (mapping: CollectionMapping, catalog: Catalog): readonly string[] => {
  const { collection, from, where, remove, distinct, formats, fields } = mapping
  const key = catalog.byPath.get(collection)?.key ?? []
  const isIdentity = ({ field }: FieldMapping) => field === 'id' && key.includes('id')
  const id = fields.find(isIdentity)
  const place = { outer: formats, isPart: false }
  const own = yamlMap(formatEntries(formats, plainFormats))
  const settings = yamlMap([
    ['from', yamlMap(originEntries(from))],
    ['join', mapping.join?.map(joinValue)],
    ['group', mapping.group],
    ['where', where.length === 0 ? undefined : conditionsValue(where)],
    ['remove', remove.length === 0 ? undefined : conditionsValue(remove)],
    ['distinct', distinct || undefined],
    ['keep', keepText(mapping)],
    ['formats', own.size === 0 ? undefined : own],
    ['id', id && expressionValue(id.value, place)],
  ])
  return [
    ...[...settings].map(([name, value]) => `${name}: ${printYaml(value)}`),
    'fields:',
    ...fields
      .filter((each) => !isIdentity(each))
      .map((each) => `  ${printName(each.field)}: ${fieldText(each, mapping)}`),
  ]
}

const fieldText = ({ field, value }: FieldMapping, mapping: CollectionMapping): string => {
  if (mapping.firstSeen.includes(field)) return 'first-seen'
  if (mapping.lastChanged.includes(field)) return 'last-changed'
  return printYaml(expressionValue(value, { outer: mapping.formats, isPart: false }))
}

const keepText = ({ keep }: CollectionMapping): string | undefined =>
  keep && (keep.row === 'newest' ? `newest by ${keep.column}` : keep.row)

const joinValue = ({ name, from, on }: JoinedRows): YamlValue =>
  yamlMap([
    ['name', name],
    ...originEntries(from),
    ['on', yamlMap(on.map(({ column, other }) => [column, other] as const))],
  ])

const originEntries = ({ files, sql, rows, given: givenRows }: RowOrigin): Entries => [
  ...(files ? fileEntries(files) : []),
  ...(sql ? sqlEntries(sql) : []),
  ['rows', rows ? (rows.tables === null ? true : textsValue(rows.tables)) : undefined],
  ['given', givenRows && givenValue(givenRows)],
]

const givenValue = ({ columns, rows }: GivenRows): YamlValue =>
  rows.map(({ cells }) =>
    yamlMap(columns.map((column, at) => [column, jsonValue(cells[at] ?? null)] as const)),
  )

type Entries = readonly (readonly [string, YamlValue | undefined])[]

const fileEntries = ({ patterns, trailer, ...options }: FileOrigin): Entries => [
  ['files', textsValue(patterns)],
  ['encoding', options.encoding],
  ['delimiter', options.delimiter],
  ['sheet', options.sheet],
  ['headerRow', options.headerRow],
  [
    'trailer',
    trailer &&
      yamlMap([
        ['startsWith', trailer.startsWith],
        ['count', trailer.count ?? undefined],
        [
          'sum',
          trailer.sums.length === 0
            ? undefined
            : yamlMap(trailer.sums.map(({ column, cell }) => [column, cell] as const)),
        ],
      ]),
  ],
]

const sqlEntries = ({ sql, cursor, overlapMs, deleted, reconcile }: SqlOrigin): Entries => [
  ['sql', sql],
  ['cursor', cursor ?? undefined],
  ['overlap', overlapMs === 0 ? undefined : durationText(overlapMs)],
  ['deleted', deleted ?? undefined],
  [
    'reconcile',
    reconcile
      ? reconcile.sql === null
        ? durationText(reconcile.everyMs)
        : yamlMap([
            ['every', durationText(reconcile.everyMs)],
            ['sql', reconcile.sql],
          ])
      : undefined,
  ],
]

/** In the largest unit that has a whole number of it. */
const durationText = (ms: number): string => {
  const [unit, length] = Object.entries(durationUnits).findLast(([, each]) => ms % each === 0) ?? [
    's',
    1_000,
  ]
  return `${ms / length}${unit}`
}
