import {
  type Catalog,
  type Field,
  formatUnits,
  type Kind,
  multiplyDecimals,
  parseDecimal,
  patterns,
} from '#contract'
import { readConstant } from './constant.ts'
import { functionNamed, padMax, textFunctions } from './functions.ts'
import type { Expression, FunctionCall, ObjectEntry, ValueFormats, ValueSource } from './mapping.ts'
import { readFormats } from './parse-formats.ts'
import {
  type ProblemList,
  readFlag,
  readSettings,
  readText,
  shown,
  unknownName,
} from './settings.ts'
import {
  expressionSettings,
  formatSettings,
  modifierSettings,
  refSettings,
  sourceSettings,
  unitSettings,
} from './syntax.ts'
import { unitOfMeasure, units } from './units.ts'
import type { YamlMap, YamlNode } from './yaml-tree.ts'

export interface ExpressionContext {
  readonly catalog: Catalog
  /** The collection of the record. */
  readonly collection: string
  readonly formats: ValueFormats
  readonly problems: ProblemList
  /** Receives every reference by natural key, to compare it with the key of its collection. */
  readonly onReference: (line: number, collection: string, parts: number) => void
}

/** The field that an expression produces a value for. */
export interface Target {
  /** The dotted name in messages. */
  readonly name: string
  readonly field: Field
}

type Settings = ReadonlyMap<keyof typeof expressionSettings, YamlNode>

/** Parses the expression of a field; null after a problem. */
export const parseExpression = (
  node: YamlNode,
  target: Target,
  context: ExpressionContext,
): Expression | null => {
  const { problems, formats } = context
  if (node.kind === 'scalar') {
    if (node.text.trim() !== '') return columnExpression(node.text, target, formats)
    problems.add(node.line, `${target.name} must name a column, or say how it is made`)
    return null
  }
  if (node.kind === 'list') {
    problems.add(
      node.line,
      `${target.name} must be a column or have settings, not a list; to join columns, write { join: [A, B] }`,
    )
    return null
  }
  const settings = readSettings(node, expressionSettings, target.name, problems)
  const sources = Object.keys(sourceSettings).filter((name) => settings.has(name as never))
  if (sources.length !== 1) {
    problems.add(
      node.line,
      sources.length === 0
        ? `${target.name} does not say where its value comes from; use one of ${Object.keys(sourceSettings).join(', ')}`
        : `${target.name} has ${sources.join(' and ')}; use one of them`,
    )
    return null
  }
  const source = parseSource(settings, target, context)
  if (!source) return null
  return withModifiers(source, settings, node, target, context)
}

/** The cell of a column, read as the field's kind. */
const columnExpression = (
  column: string,
  { field }: Target,
  formats: ValueFormats,
): Expression => ({
  source: { kind: 'column', column, optional: false },
  as: field.kind,
  ...rulesOf(field),
  apply: [],
  values: null,
  otherwise: null,
  default: null,
  formats,
})

const rulesOf = (field: Field): Pick<Expression, 'isPercent' | 'knownValues'> => ({
  isPercent: field.measure === 'percent',
  knownValues: field.values ?? null,
})

const withModifiers = (
  source: ValueSource,
  settings: Settings,
  node: YamlMap,
  target: Target,
  context: ExpressionContext,
): Expression => {
  const { problems } = context
  const { field, name } = target
  checkModifiers(settings, source, node, target, problems)
  const values = settings.get('values')
  const otherwise = settings.get('otherwise')
  const constantOf = (from: YamlNode) => readConstant(from, field, name, problems)
  if (otherwise && !values)
    problems.add(
      otherwise.line,
      `${name} has otherwise without values; for empty cells use default`,
    )
  if (values && values.kind !== 'map') {
    problems.add(
      values.line,
      `values of ${name} must be a list of texts and what they mean: { A: …, B: … }`,
    )
  }
  const fallback = settings.get('default')
  const factor = readFactor(settings, target, problems)
  return {
    source,
    as: field.kind,
    ...rulesOf(field),
    apply: readFunctions(settings.get('apply'), name, problems),
    values:
      values?.kind === 'map'
        ? values.entries.map((each) => [each.name, constantOf(each.value).value] as const)
        : null,
    otherwise: otherwise ? constantOf(otherwise) : null,
    default: fallback ? constantOf(fallback) : null,
    formats: {
      ...readFormats(node, settings, context.formats, problems),
      multiply: factor,
      split: readText(settings.get('split'), `split of ${name}`, problems),
      json: readFlag(settings.get('json'), `json of ${name}`, problems),
    },
  }
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
  split: ['texts'],
  json: ['any', 'texts', 'objects'],
}

const scalarSources: readonly ValueSource['kind'][] = ['column', 'join', 'first']

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
    const isWrong =
      (setting === 'with' && source.kind !== 'join') ||
      (setting === 'optional' && source.kind !== 'column') ||
      !(scalarSources.includes(source.kind) || ['default'].includes(setting))
    if (isWrong) {
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

const kindName = (kind: Kind): string => names[kind]
const kindNames = (kinds: readonly Kind[]): string => kinds.map(kindName).join(' or ')

const parseSource = (
  settings: Settings,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { problems } = context
  const { name, field } = target
  const get = (setting: keyof typeof sourceSettings) => settings.get(setting)
  const column = get('column')
  if (column) {
    const text = readText(column, `column of ${name}`, problems)
    const optional = readFlag(settings.get('optional'), `optional of ${name}`, problems)
    return text === null ? null : { kind: 'column', column: text, optional }
  }
  const value = get('value')
  if (value) return { kind: 'value', ...readConstant(value, field, name, problems) }
  const join = get('join')
  if (join) {
    if (!['text', 'any'].includes(field.kind)) {
      problems.add(join.line, `join makes a text, and ${name} is ${kindName(field.kind)}`)
    }
    const separator = settings.get('with')
    return {
      kind: 'join',
      parts: parseParts(join, target, context),
      separator: separator?.kind === 'scalar' ? separator.text : ' ',
    }
  }
  const first = get('first')
  if (first) {
    // A value table or functions over all of them need the raw texts of the cells.
    const isRaw = settings.has('values') || settings.has('apply')
    const of = listOf(first).flatMap(
      (each) =>
        parseExpression(each, isRaw ? partTarget(each, name, 'any') : target, context) ?? [],
    )
    return { kind: 'first', of }
  }
  const ref = get('ref')
  if (ref) return parseReference(ref, target, context)
  const key = get('key')
  if (key) return parseOwnKey(key, target, context)
  const object = get('object')
  if (object) return parseObject(object, target, context)
  const list = get('list')
  return list ? parseList(list, target, context) : null
}

const listOf = (node: YamlNode): readonly YamlNode[] => (node.kind === 'list' ? node.items : [node])

/** Parts of a key or of a joined text. Dates and numbers among them have one canonical form. */
export const parseParts = (
  node: YamlNode,
  { name }: Target,
  context: ExpressionContext,
): readonly Expression[] => {
  const nodes = listOf(node)
  if (nodes.length === 0) context.problems.add(node.line, `${name} has no columns`)
  return nodes.flatMap((each) => parseExpression(each, partTarget(each, name), context) ?? [])
}

/** A value without a field in the contract: a text, unless a format implies another kind. */
const partTarget = (node: YamlNode, name: string, otherwise: Kind = 'text'): Target => {
  const has = (setting: string) =>
    node.kind === 'map' && node.entries.some((entry) => entry.name === setting)
  const kind: Kind = has('date')
    ? 'date'
    : has('timestamp')
      ? 'timestamp'
      : has('decimal') || has('group') || has('unit') || has('multiply')
        ? 'amount'
        : has('split')
          ? 'texts'
          : otherwise
  return { name, field: { kind, nullable: true } }
}

const parseReference = (
  node: YamlNode,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { problems, catalog, onReference } = context
  const { name, field } = target
  if (field.kind !== 'ref') {
    problems.add(node.line, `ref makes a reference, and ${name} is ${kindName(field.kind)}`)
    return null
  }
  const isNamed =
    node.kind === 'map' &&
    node.entries.some((each) => Object.hasOwn(refSettings, each.name) && each.name !== 'column')
  const settings = isNamed ? readSettings(node, refSettings, `ref of ${name}`, problems) : null
  const key = settings ? settings.get('key') : node
  const wanted = field.to ?? ''
  const collection =
    readText(settings?.get('collection'), `collection of ${name}`, problems) ?? wanted
  if (collection !== wanted) {
    problems.add(
      node.line,
      catalog.byPath.has(collection)
        ? `${name} refers to ${wanted}, not to ${collection}`
        : unknownName(collection, [...catalog.byPath.keys()], 'a collection'),
    )
    return null
  }
  if (!key) {
    problems.add(
      node.line,
      `ref of ${name} has no key; use ref: { collection: ${wanted}, key: [COLUMN] }`,
    )
    return null
  }
  const parts = parseParts(key, target, context)
  onReference(node.line, collection, parts.length)
  const shared = catalog.byPath.get(collection)?.scope === 'shared'
  return { kind: 'identity', collection, shared, key: parts, optional: true }
}

/** An identifier outside any collection: of a part of the record, or of a user. */
const parseOwnKey = (
  node: YamlNode,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { name, field } = target
  if (field.kind !== 'id' && field.kind !== 'person') {
    const advice =
      field.kind === 'ref' ? `; use { ref: { collection: ${field.to}, key: […] } }` : ''
    context.problems.add(
      node.line,
      `key makes an identifier, and ${name} is ${kindName(field.kind)}${advice}`,
    )
    return null
  }
  const within = name.includes('.')
    ? `${context.collection}.${name.slice(0, name.lastIndexOf('.'))}`
    : context.collection
  const collection = field.kind === 'person' ? 'users' : within
  const key = parseParts(node, target, context)
  return { kind: 'identity', collection, shared: false, key, optional: field.nullable }
}

const parseObject = (
  node: YamlNode,
  { name, field }: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { problems } = context
  if (field.kind !== 'any') {
    problems.add(node.line, `object is for any value, and ${name} is ${kindName(field.kind)}`)
    return null
  }
  if (node.kind !== 'map') {
    problems.add(
      node.line,
      `object of ${name} must have a column for each name: { season: SEASON_CD }`,
    )
    return null
  }
  const fields: ObjectEntry[] = node.entries.flatMap((entry) => {
    const target = partTarget(entry.value, `${name}.${entry.name}`, 'any')
    const value = parseExpression(entry.value, target, context)
    return value ? [{ name: entry.name, value }] : []
  })
  return { kind: 'object', fields }
}

const parseList = (
  node: YamlNode,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { problems } = context
  const { name, field } = target
  if (!['texts', 'objects', 'any'].includes(field.kind)) {
    problems.add(node.line, `list makes a list, and ${name} is ${kindName(field.kind)}`)
    return null
  }
  const items = listOf(node).flatMap((each, index) => {
    const place = `${name}.${index}`
    if (field.kind !== 'objects') {
      const kind: Kind = field.kind === 'texts' ? 'text' : 'any'
      return parseExpression(each, partTarget(each, place, kind), context) ?? []
    }
    return parseItem(each, place, field, context) ?? []
  })
  return { kind: 'list', items }
}

/** One object of a list of objects, by its fields. */
const parseItem = (
  node: YamlNode,
  name: string,
  field: Field,
  context: ExpressionContext,
): Expression | null => {
  const { problems } = context
  const fields = field.fields ?? {}
  if (node.kind !== 'map') {
    problems.add(
      node.line,
      `${name} must have a column for each of ${Object.keys(fields).join(', ')}`,
    )
    return null
  }
  const entries = new Map<string, Expression>()
  for (const entry of node.entries) {
    const inner = Object.hasOwn(fields, entry.name) ? fields[entry.name] : undefined
    if (!inner) {
      problems.add(entry.line, unknownName(entry.name, Object.keys(fields), `a field of ${name}`))
      continue
    }
    const value = parseExpression(
      entry.value,
      { name: `${name}.${entry.name}`, field: inner },
      context,
    )
    if (value) entries.set(entry.name, value)
  }
  const missing = Object.entries(fields)
    .filter(([inner, { nullable }]) => !nullable && !entries.has(inner))
    .map(([inner]) => inner)
  if (missing.length > 0) problems.add(node.line, `${name} has no ${missing.join(', ')}`)
  const empty = { source: { kind: 'value', value: null } as const }
  const object = Object.entries(fields).map(([inner, innerField]) => ({
    name: inner,
    value:
      entries.get(inner) ??
      ({
        ...columnExpression('', { name: inner, field: innerField }, context.formats),
        ...empty,
      } as Expression),
  }))
  return {
    ...columnExpression('', { name, field: { kind: 'any', nullable: true } }, context.formats),
    source: { kind: 'object', fields: object },
  }
}

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
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
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

/** The combined factor of `unit` and `multiply`. */
const readFactor = (settings: Settings, target: Target, problems: ProblemList): string | null => {
  const multiply = settings.get('multiply')
  const unit = settings.get('unit')
  const factors: string[] = []
  if (multiply) {
    const text = multiply.kind === 'scalar' ? multiply.text : ''
    if (new RegExp(patterns.amount).test(text)) factors.push(text)
    else
      problems.add(multiply.line, `multiply of ${target.name} must be a number such as 0.01 or -1`)
  }
  const factor = unit && readUnit(unit, target, problems)
  if (factor) factors.push(factor)
  if (factors.length === 0) return null
  const { units: digits, scale } = multiplyDecimals(...factors.map(parseDecimal))
  return formatUnits(digits, scale)
}

const readUnit = (
  node: YamlNode,
  { name, field }: Target,
  problems: ProblemList,
): string | null => {
  const settings =
    node.kind === 'map' ? readSettings(node, unitSettings, `unit of ${name}`, problems) : null
  const from = readText(settings ? settings.get('from') : node, `unit of ${name}`, problems)
  const to = readText(settings?.get('to'), `unit of ${name}`, problems)
  if (from === null) return null
  const unit = Object.hasOwn(units, from) ? units[from] : undefined
  const wanted = field.measure && unitOfMeasure[field.measure]
  if (!unit) {
    problems.add(node.line, unknownName(from, Object.keys(units), 'a unit'))
  } else if (wanted && unit.to !== wanted) {
    problems.add(node.line, `${name} is in ${wanted}, and ${from} cannot be converted to it`)
  } else if (to !== null && to !== unit.to) {
    problems.add(node.line, `${from} is converted to ${unit.to}, not to ${shown(to)}`)
  } else return unit.factor
  return null
}
