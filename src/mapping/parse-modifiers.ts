import type { Catalog, Field, Kind } from '#contract'
import { type CodeKind, codeKinds } from './codes/code-of.ts'
import { readConstant } from './constant.ts'
import { functionNamed, padMax, textFunctions } from './functions.ts'
import type { Expression, FunctionCall, ValueFormats, ValueSource } from './mapping.ts'
import { readFormats } from './parse-formats.ts'
import { readNumberChange } from './parse-number.ts'
import { listOf, type ProblemList, readFlag, readText, unknownName } from './settings.ts'
import { type expressionSettings, formatSettings, modifierSettings } from './syntax.ts'
import type { YamlMap, YamlNode } from './yaml-tree.ts'

/** The field that an expression produces a value for. */
export interface Target {
  /** The dotted name in messages. */
  readonly name: string
  readonly field: Field
}

export interface ModifierContext {
  readonly catalog: Catalog
  /** The collection of the record. */
  readonly collection: string
  readonly formats: ValueFormats
  /** Named lists of values. */
  readonly lists: ReadonlyMap<string, YamlMap>
  readonly problems: ProblemList
  /** Parses an expression inside this one. */
  readonly parse: (node: YamlNode, target: Target) => Expression | null
}

export type Settings = ReadonlyMap<keyof typeof expressionSettings, YamlNode>

export const rulesOf = (field: Field): Pick<Expression, 'isPercent' | 'knownValues'> => ({
  isPercent: field.measure === 'percent',
  knownValues: field.values ?? null,
})

/** The value of a source, changed by the other settings of its expression. */
export const withModifiers = (
  source: ValueSource,
  settings: Settings,
  node: YamlMap,
  target: Target,
  context: ModifierContext,
): Expression => {
  const { problems } = context
  const { field, name } = target
  checkModifiers(settings, source, node, target, problems)
  const values = readList(settings.get('values'), name, context)
  const code = readCode(settings.get('code'), name, problems)
  const otherwise = settings.get('otherwise')
  const constantOf = (from: YamlNode) => readConstant(from, field, name, problems)
  if (otherwise && !settings.has('values') && !settings.has('code')) {
    problems.add(
      otherwise.line,
      `${name} has otherwise without values; for empty cells use default`,
    )
  }
  const fallback = settings.get('default')
  const { factor, ...change } = readNumberChange(settings, target, context)
  return {
    source,
    as: field.kind,
    ...rulesOf(field),
    apply: readFunctions(settings.get('apply'), name, problems),
    values: values
      ? values.entries.map((each) => [each.name, constantOf(each.value).value] as const)
      : null,
    ...(code && { code }),
    otherwise: otherwise ? constantOf(otherwise) : null,
    default: fallback ? constantOf(fallback) : null,
    ...change,
    formats: {
      ...readFormats(node, settings, context.formats, problems),
      multiply: factor,
      split: readText(settings.get('split'), `split of ${name}`, problems),
      json: readFlag(settings.get('json'), `json of ${name}`, problems),
    },
  }
}

/** The entries of `values`, which can be those of a named list. */
const readList = (
  node: YamlNode | undefined,
  name: string,
  { lists, problems }: ModifierContext,
): YamlMap | null => {
  if (!node || node.kind === 'map') return node ?? null
  const named = node.kind === 'scalar' ? lists.get(node.text) : undefined
  if (named) return named
  problems.add(
    node.line,
    node.kind === 'scalar' && lists.size > 0
      ? unknownName(node.text, [...lists.keys()], 'a name of lists')
      : `values of ${name} must be a list of texts and what they mean: { A: …, B: … }`,
  )
  return null
}

const readCode = (
  node: YamlNode | undefined,
  name: string,
  problems: ProblemList,
): CodeKind | null => {
  const text = readText(node, `code of ${name}`, problems)
  const kind = codeKinds.find((each) => each === text) ?? null
  if (node && text !== null && kind === null) {
    problems.add(node.line, unknownName(text, codeKinds, 'a kind of codes'))
  }
  return kind
}

/** The kinds of fields that support each setting. */
const kindsOfSetting: { readonly [setting: string]: readonly Kind[] } = {
  date: ['date'],
  timestamp: ['timestamp'],
  timezone: ['date', 'timestamp'],
  decimal: ['integer', 'amount'],
  group: ['integer', 'amount'],
  unit: ['integer', 'amount'],
  multiply: ['integer', 'amount'],
  round: ['integer', 'amount'],
  split: ['texts'],
  json: ['any', 'texts', 'objects'],
  code: ['text', 'any'],
}

const cellSources: readonly ValueSource['kind'][] = ['column', 'join', 'first', 'brand']

/** The sources of settings that are not for all cells. */
const sourcesOfSetting: { readonly [setting: string]: readonly ValueSource['kind'][] } = {
  with: ['join'],
  optional: ['column'],
  else: ['when'],
  multiply: [...cellSources, 'arithmetic', 'rows'],
  unit: [...cellSources, 'arithmetic', 'rows'],
  round: [...cellSources, 'arithmetic', 'when', 'rows'],
  in: ['rows'],
  of: ['rows'],
}

const appliesTo = (setting: string, kind: ValueSource['kind']): boolean => {
  if (setting === 'default') return kind !== 'open'
  const sources = Object.hasOwn(sourcesOfSetting, setting) ? sourcesOfSetting[setting] : undefined
  return (sources ?? cellSources).includes(kind)
}

const checkModifiers = (
  settings: Settings,
  source: ValueSource,
  node: YamlMap,
  { name, field }: Target,
  problems: ProblemList,
): void => {
  for (const { name: setting, line } of node.entries) {
    const kinds = Object.hasOwn(kindsOfSetting, setting) ? kindsOfSetting[setting] : undefined
    const isModifier =
      Object.hasOwn(modifierSettings, setting) || Object.hasOwn(formatSettings, setting)
    if (!isModifier) continue
    if (!appliesTo(setting, source.kind)) {
      problems.add(line, `${setting} of ${name} has no effect here; remove it`)
    } else if (kinds && !kinds.includes(field.kind)) {
      problems.add(
        line,
        `${setting} is for ${kindNames(kinds)}, and ${name} is ${kindName(field.kind)}`,
      )
    }
  }
  if (settings.has('split') && settings.has('json')) {
    problems.add(node.line, `${name} has split and json; use one of them`)
  }
}

const names: Record<Kind, string> = {
  id: 'an identifier',
  ref: 'a reference',
  person: 'a user',
  text: 'a text',
  integer: 'a whole number',
  flag: 'true or false',
  amount: 'a number',
  date: 'a date',
  timestamp: 'a time',
  any: 'any value',
  texts: 'a list of texts',
  object: 'an object',
  objects: 'a list of objects',
}

export const kindName = (kind: Kind): string => names[kind]
export const kindNames = (kinds: readonly Kind[]): string => kinds.map(kindName).join(' or ')

const readFunctions = (
  node: YamlNode | undefined,
  name: string,
  problems: ProblemList,
): readonly FunctionCall[] => {
  if (!node) return []
  return listOf(node).flatMap((each) => readFunction(each, name, problems) ?? [])
}

const readFunction = (node: YamlNode, name: string, problems: ProblemList): FunctionCall | null => {
  const [entry, ...more] = node.kind === 'map' ? node.entries : []
  const called = node.kind === 'scalar' ? node.text : (entry?.name ?? '')
  const definition = functionNamed(called)
  if (!definition || more.length > 0 || node.kind === 'list') {
    problems.add(
      node.line,
      `apply of ${name}: ${unknownName(called, Object.keys(textFunctions), 'a function')}`,
    )
    return null
  }
  const nodes = entry ? listOf(entry.value) : []
  const most = definition.arguments.length
  const least = definition.arguments.filter((each) => !('optional' in each)).length
  const args = nodes.map((each, index) => {
    if (each.kind !== 'scalar') return null
    if (definition.arguments[index]?.kind === 'text') return each.text
    const { value } = each
    if (typeof value !== 'number' || !Number.isInteger(value)) return null
    const isPlace = definition.arguments[index]?.kind === 'place'
    return (isPlace ? value !== 0 : value >= 0) ? value : null
  })
  const isRight = args.length >= least && args.length <= most && !args.includes(null)
  const isShort = called !== 'padStart' || Number(args[0]) <= padMax
  if (!isRight || !isShort) {
    problems.add(
      node.line,
      `apply of ${name}: write ${definition.example[0]}${isShort ? '' : `, with a length up to ${padMax}`}`,
    )
    return null
  }
  return { name: called, arguments: args as (string | number)[] }
}
