import type { Catalog, Field, Kind } from '#contract'
import { type Operation, operations } from './arithmetic.ts'
import { readConstant } from './constant.ts'
import type { Expression, ObjectEntry, ValueFormats, ValueSource, WhenCase } from './mapping.ts'
import { parseConditions } from './parse-conditions.ts'
import { parseLookup } from './parse-lookup.ts'
import { kindName, rulesOf, type Settings, type Target, withModifiers } from './parse-modifiers.ts'
import { parseRowsOf, type RowSets } from './parse-rows.ts'
import {
  listOf,
  type ProblemList,
  readFlag,
  readSettings,
  readText,
  unknownName,
} from './settings.ts'
import {
  brandProperties,
  caseSettings,
  expressionSettings,
  refSettings,
  sourceSettings,
} from './syntax.ts'
import type { YamlMap, YamlNode } from './yaml-tree.ts'

export interface ExpressionContext {
  readonly catalog: Catalog
  /** The collection of the record. */
  readonly collection: string
  readonly formats: ValueFormats
  /** Named lists of values. */
  readonly lists: ReadonlyMap<string, YamlMap>
  readonly problems: ProblemList
  /** Receives every reference by natural key, to compare it with the key of its collection. */
  readonly onReference: (line: number, collection: string, parts: number) => void
  /** The rows that `rows` can be about; null inside of it. */
  readonly rowSets: RowSets | null
}

const operationNames = Object.keys(operations) as readonly Operation[]

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
  const parse = (inner: YamlNode, of: Target) => parseExpression(inner, of, context)
  return withModifiers(source, settings, node, target, { ...context, parse })
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
    const isRaw = ['values', 'apply', 'code'].some((each) => settings.has(each as never))
    const of = listOf(first).flatMap(
      (each) =>
        parseExpression(each, isRaw ? partTarget(each, name, 'any') : target, context) ?? [],
    )
    return { kind: 'first', of }
  }
  for (const operation of operationNames) {
    const numbers = get(operation)
    if (numbers) return parseArithmetic(numbers, operation, target, context)
  }
  const when = get('when')
  if (when) return parseWhen(when, settings.get('else'), target, context)
  const ref = get('ref')
  if (ref) return parseReference(ref, target, context)
  const key = get('key')
  if (key) return parseOwnKey(key, target, context)
  const object = get('object')
  if (object) return parseObject(object, target, context)
  const list = get('list')
  if (list) return parseList(list, target, context)
  const lookup = get('lookup')
  if (lookup) {
    const parse = (node: YamlNode, compared: Target) => parseExpression(node, compared, context)
    return parseLookup(lookup, target, { ...context, parse })
  }
  const brand = get('brand')
  if (brand) return parseBrand(brand, target, context)
  const open = get('open')
  if (open) return parseOpen(open, target, context)
  const rows = get('rows')
  if (!rows) return null
  const inner = { ...context, rowSets: null }
  const parse = (of: YamlNode, own: Target) => parseExpression(of, own, inner)
  return parseRowsOf(rows, settings, target, { ...context, parse })
}

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
      : numberSettings.some(has)
        ? 'amount'
        : has('split')
          ? 'texts'
          : otherwise
  return { name, field: { kind, nullable: true } }
}

/** Settings that only numbers have. */
const numberSettings = ['decimal', 'group', 'unit', 'multiply', 'round', ...operationNames]

const parseArithmetic = (
  node: YamlNode,
  operation: Operation,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  const { problems } = context
  const { name, field } = target
  if (!['integer', 'amount'].includes(field.kind)) {
    problems.add(node.line, `${operation} makes a number, and ${name} is ${kindName(field.kind)}`)
    return null
  }
  const nodes = listOf(node)
  if (nodes.length < 2) {
    problems.add(node.line, `${operation} of ${name} needs two numbers or more: [A, B]`)
  }
  const of = nodes.flatMap((each) => {
    if (each.kind === 'scalar' && typeof each.value === 'number') {
      problems.add(
        each.line,
        `${operation} of ${name}: write { value: ${each.text} } for a number, and '${each.text}' in quotes for a column`,
      )
    }
    const number = { name, field: { kind: 'amount', nullable: true } } as const
    return parseExpression(each, number, context) ?? []
  })
  return { kind: 'arithmetic', operation, of }
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

const parseWhen = (
  node: YamlNode,
  otherwise: YamlNode | undefined,
  target: Target,
  context: ExpressionContext,
): ValueSource => {
  const { problems, formats } = context
  const { name } = target
  const cases = listOf(node).flatMap((each): readonly WhenCase[] => {
    const settings = readSettings(each, caseSettings, `a case of ${name}`, problems)
    const [condition, value] = [settings.get('if'), settings.get('then')]
    if (each.kind === 'map' && !(condition && value)) {
      problems.add(
        each.line,
        `a case of ${name} has no ${condition ? 'then' : 'if'}; write { if: { COLUMN: TEXT }, then: … }`,
      )
    }
    const conditions = parseConditions(condition, `if of ${name}`, formats, problems)
    if (condition?.kind === 'map' && conditions.length === 0) {
      problems.add(condition.line, `if of ${name} has no conditions; use else`)
    }
    const parsed = value && parseExpression(value, target, context)
    return parsed ? [{ line: each.line, conditions, value: parsed }] : []
  })
  if (node.kind === 'list' && cases.length === 0) problems.add(node.line, `${name} has no cases`)
  const last = otherwise ? parseExpression(otherwise, target, context) : null
  return { kind: 'when', cases, otherwise: last }
}

const parseBrand = (
  node: YamlNode,
  { name, field }: Target,
  { problems }: ExpressionContext,
): ValueSource | null => {
  const text = readText(node, `brand of ${name}`, problems)
  if (text === null) return null
  const property = brandProperties.find((each) => each === text)
  if (!property) {
    problems.add(node.line, unknownName(text, brandProperties, 'a property of the brand'))
    return null
  }
  const isIdentifier = ['id', 'ref', 'person'].includes(field.kind)
  const takesId = field.kind === 'ref' && field.to === brandResource
  if (isIdentifier ? property !== 'id' || !takesId : !['text', 'any'].includes(field.kind)) {
    problems.add(node.line, `${name} is ${kindName(field.kind)}, and not the brand's ${property}`)
    return null
  }
  return { kind: 'brand', property }
}

/** The collection of brands, whose only record is the brand itself. */
const brandResource = 'brand'

const parseOpen = (
  node: YamlNode,
  target: Target,
  context: ExpressionContext,
): ValueSource | null => {
  if (node.kind !== 'list') {
    context.problems.add(
      node.line,
      `open of ${target.name} must be a list of possible values: { open: [COLUMN, { value: … }] }`,
    )
    return null
  }
  const candidates = node.items.flatMap((each) => parseExpression(each, target, context) ?? [])
  return { kind: 'open', line: node.line, candidates }
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
