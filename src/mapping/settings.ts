import { nearest } from '#request'
import type { MappingProblem } from './mapping-error.ts'
import type { Setting } from './syntax.ts'
import type { YamlNode } from './yaml-tree.ts'

/** Collects the problems that the parser finds. */
export interface ProblemList {
  add(line: number, message: string): void
  readonly all: readonly MappingProblem[]
}

export const createProblemList = (): ProblemList => {
  const all: MappingProblem[] = []
  return { add: (line, message) => all.push({ line, message }), all }
}

/** The settings of a map by name. Reports unknown names. */
export const readSettings = <Name extends string>(
  node: YamlNode,
  table: { readonly [name in Name]: Setting },
  what: string,
  problems: ProblemList,
): ReadonlyMap<Name, YamlNode> => {
  const settings = new Map<Name, YamlNode>()
  if (node.kind !== 'map') {
    problems.add(node.line, `${what} must have settings: ${Object.keys(table).join(', ')}`)
    return settings
  }
  for (const { name, line, value } of node.entries) {
    if (Object.hasOwn(table, name)) settings.set(name as Name, value)
    else problems.add(line, unknownName(name, Object.keys(table), `a setting of ${what}`))
  }
  return settings
}

/** The items of a list; a value outside a list is its only item. */
export const listOf = (node: YamlNode): readonly YamlNode[] =>
  node.kind === 'list' ? node.items : [node]

/** A sentence about an unknown name, with the most similar known one. */
export const unknownName = (name: string, names: readonly string[], what: string): string => {
  const letters = name.toLowerCase()
  const meant =
    nearest(name, names) ??
    (name.length > 3 ? names.find((each) => each.toLowerCase().startsWith(letters)) : undefined)
  const advice = meant ? `did you mean ${meant}?` : `there are ${names.join(', ')}`
  return `${shown(name)} is not ${what}; ${advice}`
}

/** A name for messages, quoted and truncated. */
export const shown = (name: string): string =>
  JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)

export const readText = (
  node: YamlNode | undefined,
  what: string,
  problems: ProblemList,
): string | null => {
  if (!node) return null
  if (node.kind === 'scalar' && node.text.trim() !== '') return node.text
  problems.add(node.line, `${what} must be a text`)
  return null
}

/** One text, or a list of them. */
export const readTexts = (
  node: YamlNode | undefined,
  what: string,
  problems: ProblemList,
): readonly string[] => {
  if (!node) return []
  const nodes = listOf(node)
  if (nodes.length === 0) problems.add(node.line, `${what} must not be an empty list`)
  return nodes.flatMap((each) => readText(each, what, problems) ?? [])
}

export const readFlag = (
  node: YamlNode | undefined,
  what: string,
  problems: ProblemList,
): boolean => {
  if (!node) return false
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value
  problems.add(node.line, `${what} must be true or false`)
  return false
}

/** The units of durations in milliseconds, shortest first. */
export const durationUnits: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** A duration such as 10m, in milliseconds. */
export const readDuration = (
  node: YamlNode | undefined,
  what: string,
  problems: ProblemList,
): number | null => {
  const text = readText(node, what, problems)
  if (!node || text === null) return null
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (durationUnits[unit] ?? 0)
  problems.add(
    node.line,
    `${what}: ${shown(text)} is not a duration; use a number and a unit: 30s, 10m, 24h or 7d`,
  )
  return null
}
