import { patterns } from '#contract'
import { compileConvert } from './convert.ts'
import type { CellCondition, CellTest, ValueFormats } from './mapping.ts'
import { FormatError } from './number-format.ts'
import { listOf, type ProblemList, readFlag, readSettings, readTexts } from './settings.ts'
import { conditionSettings } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

/** Parses conditions, one per column: of `where`, `remove` and the cases of `when`. */
export const parseConditions = (
  node: YamlNode | undefined,
  what: string,
  formats: ValueFormats,
  problems: ProblemList,
): readonly CellCondition[] => {
  if (!node) return []
  if (node.kind !== 'map') {
    problems.add(node.line, `${what} must have a condition for each column: { STATUS: [A, B] }`)
    return []
  }
  return node.entries.flatMap(({ name: column, line, value }) =>
    parseTests(value, `${what}: ${column}`, formats, problems).map((test) => ({
      line,
      column,
      test,
    })),
  )
}

const parseTests = (
  node: YamlNode,
  what: string,
  formats: ValueFormats,
  problems: ProblemList,
): readonly CellTest[] => {
  if (node.kind !== 'map') return [{ kind: 'in', values: readValues(node) }]
  const settings = readSettings(node, conditionSettings, what, problems)
  const [not, empty, startsWith] = [
    settings.get('not'),
    settings.get('empty'),
    settings.get('startsWith'),
  ]
  return [
    ...(not ? [{ kind: 'not', values: readValues(not) } as const] : []),
    ...(empty ? [{ kind: 'empty', expected: readFlag(empty, what, problems) } as const] : []),
    ...(startsWith
      ? [{ kind: 'startsWith', prefixes: readTexts(startsWith, what, problems) } as const]
      : []),
    ...(['moreThan', 'lessThan'] as const).flatMap((kind) => {
      const than = settings.get(kind)
      return than ? (parseLimit(than, kind, what, formats, problems) ?? []) : []
    }),
  ]
}

/** Texts to compare cells with; an empty text matches an empty cell. */
const readValues = (node: YamlNode): readonly string[] =>
  listOf(node).flatMap((each) => (each.kind === 'scalar' ? [each.text] : []))

/** What a cell is compared with says how the cell is read: as a number, a day or a time. */
const parseLimit = (
  node: YamlNode,
  kind: 'moreThan' | 'lessThan',
  what: string,
  formats: ValueFormats,
  problems: ProblemList,
): CellTest | null => {
  const text = node.kind === 'scalar' ? node.text : ''
  if (isAmount.test(text)) return { kind, than: text, as: 'amount', formats }
  if (isDate.test(text)) return { kind, than: text, as: 'date', formats }
  try {
    const written = { ...formats, date: [], timestamp: [] }
    const than = compileConvert({
      as: 'timestamp',
      isPercent: false,
      knownValues: null,
      formats: written,
    })(text)
    if (than !== null) return { kind, than: String(than), as: 'timestamp', formats }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  problems.add(
    node.line,
    `${what}: ${kind} must be a number, a day such as 2026-03-14 or a time such as 2026-03-14T09:30:00Z`,
  )
  return null
}

const isAmount = new RegExp(patterns.amount)
const isDate = new RegExp(patterns.date)
