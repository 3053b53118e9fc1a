import { isTimezone } from '#contract'
import { compileTime } from './date-format.ts'
import type { ValueFormats } from './mapping.ts'
import { FormatError } from './number-format.ts'
import { type ProblemList, readText, readTexts, shown } from './settings.ts'
import type { formatSettings } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

/** The default formats. */
export const plainFormats: ValueFormats = {
  decimal: '.',
  group: null,
  multiply: null,
  date: [],
  timestamp: [],
  timezone: 'UTC',
  split: null,
  json: false,
}

/** The formats at this level: its settings, and otherwise the outer formats. */
export const readFormats = (
  node: YamlNode,
  settings: ReadonlyMap<string, YamlNode>,
  outer: ValueFormats,
  problems: ProblemList,
): ValueFormats => {
  const get = (name: keyof typeof formatSettings) => settings.get(name)
  const patterns = (name: 'date' | 'timestamp') => {
    const node = get(name)
    if (!node) return outer[name]
    const texts = readTexts(node, name, problems)
    for (const pattern of texts) checkPattern(pattern, node.line, name, problems)
    return texts
  }
  const decimal = readSign(get('decimal'), 'decimal', problems) ?? outer.decimal
  // The outer group separator does not apply if it is the decimal separator here.
  const outerGroup = outer.group === decimal ? null : outer.group
  const group = get('group') ? readSign(get('group'), 'group', problems) : outerGroup
  if (group === decimal) {
    problems.add(node.line, `decimal and group are both ${shown(group)}`)
  }
  return {
    ...outer,
    decimal,
    group,
    date: patterns('date'),
    timestamp: patterns('timestamp'),
    timezone: readTimezone(get('timezone'), problems) ?? outer.timezone,
  }
}

export const readTimezone = (node: YamlNode | undefined, problems: ProblemList): string | null => {
  const name = readText(node, 'timezone', problems)
  if (!node || name === null || isTimezone(name)) return name
  problems.add(node.line, `${shown(name)} is not a time zone; use a name such as Europe/Berlin`)
  return null
}

const readSign = (
  node: YamlNode | undefined,
  what: string,
  problems: ProblemList,
): string | null => {
  if (!node) return null
  if (node.kind === 'scalar' && /^[.,' ]$/.test(node.text)) return node.text
  problems.add(node.line, `${what} must be one sign in quotes: '.', ',', ' ' or "'"`)
  return null
}

const checkPattern = (pattern: string, line: number, what: string, problems: ProblemList): void => {
  try {
    compileTime(pattern)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    problems.add(line, `${what}: the pattern ${shown(pattern)} ${error.message}`)
  }
}
