import type { Resource } from '#contract'
import { joinOf } from './compile.ts'
import { columnsIn, partsOf } from './expression-parts.ts'
import type {
  CollectionMapping,
  Expression,
  JoinColumns,
  JoinedRows,
  RowOrigin,
  ValueFormats,
} from './mapping.ts'
import { readOrigin } from './parse-origin.ts'
import { type ProblemList, readSettings, readText, shown } from './settings.ts'
import { joinNamePattern, joinSettings } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

/** Parses the rows that are joined to the rows of a collection. */
export const parseJoins = (
  node: YamlNode | undefined,
  own: RowOrigin,
  path: string,
  formats: ValueFormats,
  problems: ProblemList,
): readonly JoinedRows[] => {
  if (!node) return []
  if (own.given) {
    problems.add(node.line, `join of ${path}: rows that are given have no other rows`)
    return []
  }
  const joins: JoinedRows[] = []
  for (const each of node.kind === 'list' ? node.items : [node]) {
    const join = parseJoin(each, joins, path, formats, problems)
    if (!join) continue
    const missing = (['files', 'sql', 'rows'] as const).filter(
      (kind) => own[kind] && !join.from[kind] && !join.from.given,
    )
    if (missing.length > 0) {
      problems.add(
        join.line,
        `${join.name} of ${path} has no ${missing.join(' and ')}: its rows must come from where those of ${path} come from`,
      )
    }
    joins.push(join)
  }
  return joins
}

const parseJoin = (
  node: YamlNode,
  before: readonly JoinedRows[],
  path: string,
  formats: ValueFormats,
  problems: ProblemList,
): JoinedRows | null => {
  const what = `join of ${path}`
  const settings = readSettings(node, joinSettings, what, problems)
  if (node.kind !== 'map') return null
  const nameNode = settings.get('name')
  if (!nameNode) problems.add(node.line, `${what} has no name: add name: lines`)
  const name = readText(nameNode, `name of ${what}`, problems)
  if (nameNode && name !== null && !joinNamePattern.test(name)) {
    problems.add(nameNode.line, `${what}: ${shown(name)} is not a name of letters and digits`)
  }
  if (before.some((other) => other.name === name)) {
    problems.add(node.line, `${what}: two joins have the name ${shown(name ?? '')}`)
  }
  const on = settings.get('on')
  if (on?.kind !== 'map' || on.entries.length === 0) {
    problems.add(
      on?.line ?? node.line,
      `${what} has no columns that are equal: add on: { COLUMN: COLUMN OF ${name ?? 'THE OTHER'} }`,
    )
  }
  const columns = (on?.kind === 'map' ? on.entries : []).flatMap(
    (entry): readonly JoinColumns[] => {
      const { line, name: column, value } = entry
      const other = readText(value, `on of ${what}`, problems)
      return other === null ? [] : [{ line, column, other }]
    },
  )
  const from = readOrigin(settings, node.line, what, formats, problems)
  return { line: node.line, name: name ?? '', from, on: columns }
}

/** Reports uses of joined and grouped rows that would give false records. */
export const checkJoins = (
  mapping: CollectionMapping,
  { key }: Pick<Resource, 'key'>,
  problems: ProblemList,
): void => {
  const { join = [], group = [], collection, from } = mapping
  for (const [index, { name, on }] of join.entries()) {
    for (const { line, column } of on) {
      const other = joinOf(mapping, column)
      if (other && join.indexOf(other) >= index) {
        problems.add(line, `on of ${name} uses ${column}: join ${other.name} before ${name}`)
      }
    }
  }
  const { sql } = from
  if (!sql) return
  const isJoined = join.some(({ from: own }) => !own.given)
  if (sql.cursor !== null && (isJoined || group.length > 0)) {
    problems.add(
      sql.line,
      group.length > 0
        ? `${collection} has group and cursor: rows of a group that have not changed would be missing. Remove cursor, so that all rows are read in each round`
        : `${collection} has join and cursor: a change of joined rows alone would not be seen. Remove cursor, so that all rows are read in each round`,
    )
  }
  const compared = sql.deleted !== null ? 'deleted' : sql.reconcile ? 'reconcile' : null
  if (!compared) return
  const keyValues = mapping.fields.filter(({ field }) => key.includes(field))
  const keyColumns = new Set(columnsIn(keyValues.map(({ value }) => value)))
  const conditions =
    sql.reconcile && sql.reconcile.sql === null ? [...mapping.where, ...mapping.remove] : []
  for (const { column } of conditions) keyColumns.add(column)
  const foreign = keyValues.some(({ value }) => hasRows(value))
    ? 'rows'
    : [...keyColumns].find((column) => joinOf(mapping, column))
  if (foreign) {
    problems.add(
      sql.line,
      `${collection} has ${compared}, which reads keys without joined rows, and the key or a condition needs ${foreign}: read that column with sql`,
    )
  }
}

const hasRows = ({ source }: Expression): boolean =>
  source.kind === 'rows' || partsOf(source).some(hasRows)
