import {
  type Catalog,
  type Fields,
  fieldAt,
  type LeafField,
  leafFields,
  type Resource,
} from '#contract'
import type { Defaults } from './defaults.ts'
import type {
  CollectionMapping,
  Expression,
  FieldMapping,
  KeepRule,
  ValueFormats,
} from './mapping.ts'
import { parseConditions } from './parse-conditions.ts'
import { type ExpressionContext, parseExpression } from './parse-expression.ts'
import { readFormats } from './parse-formats.ts'
import { checkJoins, parseJoins } from './parse-join.ts'
import { parseOrigin } from './parse-origin.ts'
import {
  createProblemList,
  type ProblemList,
  readFlag,
  readSettings,
  readText,
  readTexts,
  unknownName,
} from './settings.ts'
import { collectionSettings, formatSettings, keepPattern } from './syntax.ts'
import type { YamlEntry, YamlMap, YamlNode } from './yaml-tree.ts'

interface CollectionContext {
  readonly file: string
  readonly line: number
  readonly catalog: Catalog
  readonly resource: Resource
  readonly formats: ValueFormats
  /** Named lists of values. */
  readonly lists: ReadonlyMap<string, YamlMap>
  readonly defaults: Defaults
  readonly problems: ProblemList
}

/** A reference by natural key, with the number of its parts. */
export interface ReferenceUse {
  readonly line: number
  readonly collection: string
  readonly parts: number
}

interface ParsedCollection {
  readonly mapping: CollectionMapping
  readonly uses: readonly ReferenceUse[]
}

/** Parses the mapping of one collection. */
export const parseCollection = (
  node: YamlNode,
  context: CollectionContext,
): ParsedCollection | null => {
  const { file, line, resource, problems, catalog, lists } = context
  const { path } = resource
  const settings = readSettings(node, collectionSettings, path, problems)
  if (node.kind !== 'map') return null
  const formatNode = settings.get('formats')
  const formats = formatNode
    ? readFormats(
        formatNode,
        readSettings(formatNode, formatSettings, `formats of ${path}`, problems),
        context.formats,
        problems,
      )
    : context.formats
  const uses: ReferenceUse[] = []
  const onReference = (at: number, collection: string, parts: number) =>
    uses.push({ line: at, collection, parts })
  const from = settings.get('from')
  const origin = from
    ? parseOrigin(from, path, formats, problems)
    : { files: null, sql: null, rows: null }
  const join = parseJoins(settings.get('join'), origin, path, formats, problems)
  const group = readTexts(settings.get('group'), `group of ${path}`, problems)
  const rowSets = { joins: join.map(({ name }) => name), isGrouped: group.length > 0 }
  const expressions = { catalog, collection: path, formats, lists, problems, onReference, rowSets }
  if (!from)
    problems.add(
      line,
      `${path} does not say where its rows come from: add from: { files: '${path}*.csv' }`,
    )
  const id = parseIdentity(settings.get('id'), line, resource, expressions)
  const fieldsNode = settings.get('fields')
  if (fieldsNode && fieldsNode.kind !== 'map') {
    problems.add(
      fieldsNode.line,
      `fields of ${path} must have a column for each field: { name: COLUMN }`,
    )
  }
  const seen: SeenTimes = { firstSeen: [], lastChanged: [] }
  const entries = fieldsNode?.kind === 'map' ? fieldsNode.entries : []
  const own = [...id, ...parseFields(entries, resource.fields, '', resource, seen, expressions)]
  const mapped = new Set(own.map(({ field }) => field))
  const fields = [...own, ...parseDefaults(context.defaults, mapped, resource, seen, expressions)]
  reportMissing(resource, fields, line, problems)
  const keep = parseKeep(settings.get('keep'), path, formats, problems)
  if (keep && settings.has('distinct')) {
    problems.add(line, `${path} has both distinct and keep: keep is enough`)
  }
  const mapping: CollectionMapping = {
    file,
    line,
    collection: path,
    from: origin,
    ...(join.length > 0 && { join }),
    ...(group.length > 0 && { group }),
    where: parseConditions(settings.get('where'), `where of ${path}`, formats, problems),
    remove: parseConditions(settings.get('remove'), `remove of ${path}`, formats, problems),
    distinct: readFlag(settings.get('distinct'), `distinct of ${path}`, problems),
    formats,
    ...(keep && { keep }),
    fields,
    ...seen,
  }
  checkJoins(mapping, resource, problems)
  return { mapping, uses }
}

const parseKeep = (
  node: YamlNode | undefined,
  path: string,
  formats: ValueFormats,
  problems: ProblemList,
): KeepRule | null => {
  const text = readText(node, `keep of ${path}`, problems)
  if (!node || text === null) return null
  const [, row, column] = keepPattern.exec(text) ?? []
  if (row === 'first' || row === 'last') return { row }
  if (column) return { row: 'newest', line: node.line, column: column.trim(), formats }
  problems.add(node.line, `keep of ${path} must be first, last or newest by COLUMN`)
  return null
}

interface SeenTimes {
  readonly firstSeen: string[]
  readonly lastChanged: string[]
}

const parseIdentity = (
  node: YamlNode | undefined,
  line: number,
  resource: Resource,
  context: ExpressionContext,
): readonly FieldMapping[] => {
  const { problems } = context
  const { path, key } = resource
  const isSingle = key.length === 1 && key[0] === 'id'
  if (!isSingle) {
    if (node) {
      problems.add(
        node.line,
        `records of ${path} are identified by ${key.join(' and ')}: map ${key.length > 1 ? 'these fields' : 'this field'} instead of id`,
      )
    }
    return []
  }
  if (!node) {
    problems.add(
      line,
      `${path} has no id: add id: { key: [COLUMN] } with the columns that identify a row`,
    )
    return []
  }
  const target = { name: 'id', field: { kind: 'id', nullable: false } as const }
  const parsed = parseExpression(node, target, context)
  return parsed ? [{ line: node.line, field: 'id', value: parsed }] : []
}

/** The fields of a record, and those of nested objects. */
const parseFields = (
  entries: readonly YamlEntry[],
  fields: Fields,
  prefix: string,
  resource: Resource,
  seen: SeenTimes,
  context: ExpressionContext,
): readonly FieldMapping[] =>
  entries.flatMap(({ name: written, line, value: node }) => {
    const { problems } = context
    const name = prefix + written
    const names = leafFields(fields).map((each) => each.name)
    const field = fieldAt(fields, written)
    if (!field || (field.kind !== 'object' && !names.includes(written))) {
      problems.add(line, unknownName(written, names, `a field of ${resource.path}`))
      return []
    }
    if (name === 'id' && resource.key.includes('id')) {
      problems.add(line, 'id is written beside fields, not in it')
      return []
    }
    if (field.kind === 'object') {
      if (node.kind === 'map') {
        return parseFields(node.entries, field.fields ?? {}, `${name}.`, resource, seen, context)
      }
      const inner = Object.keys(field.fields ?? {})
      problems.add(
        line,
        `${name} is an object: write ${inner.map((each) => `${name}.${each}`).join(', ')}`,
      )
      return []
    }
    const isTime = node.kind === 'scalar' && Object.hasOwn(timesOf, node.text)
    const time = isTime ? timesOf[node.text] : undefined
    if (time && field.kind !== 'timestamp') {
      problems.add(
        line,
        `${node.kind === 'scalar' ? node.text : ''} is for times, and ${name} is not one`,
      )
      return []
    }
    if (time) seen[time].push(name)
    const value = time ? importTime(context) : parseExpression(node, { name, field }, context)
    return value ? [{ line, field: name, value }] : []
  })

/** The fields of a record that the mapping does not make itself, as far as they take a default. */
const parseDefaults = (
  defaults: Defaults,
  mapped: ReadonlySet<string>,
  resource: Resource,
  seen: SeenTimes,
  context: ExpressionContext,
): readonly FieldMapping[] => {
  const names = new Set(leafFields(resource.fields).map(({ name }) => name))
  return defaults.entries.flatMap((entry) => {
    if (!names.has(entry.name)) return defaults.refuse(entry, resource, [])
    const problems = createProblemList()
    const times: SeenTimes = { firstSeen: [], lastChanged: [] }
    const uses: Parameters<ExpressionContext['onReference']>[] = []
    const own = {
      ...context,
      problems,
      onReference: (...use: (typeof uses)[number]) => uses.push(use),
    }
    const parsed = parseFields([entry], resource.fields, '', resource, times, own)
    if (problems.all.length > 0) return defaults.refuse(entry, resource, problems.all)
    defaults.take(entry)
    if (mapped.has(entry.name)) return []
    for (const use of uses) context.onReference(...use)
    seen.firstSeen.push(...times.firstSeen)
    seen.lastChanged.push(...times.lastChanged)
    return parsed
  })
}

const timesOf: { readonly [text: string]: keyof SeenTimes } = {
  'first-seen': 'firstSeen',
  'last-changed': 'lastChanged',
}

const importTime = ({ formats }: ExpressionContext): Expression => ({
  source: { kind: 'importTime' },
  as: 'timestamp',
  isPercent: false,
  knownValues: null,
  apply: [],
  values: null,
  otherwise: null,
  default: null,
  formats,
})

/** Reports required fields without a value, each with an example line. */
const reportMissing = (
  resource: Resource,
  fields: readonly FieldMapping[],
  line: number,
  problems: ProblemList,
): void => {
  const mapped = new Set(fields.map(({ field }) => field))
  const missing = leafFields(resource.fields).filter(
    ({ name, field }) =>
      !field.nullable &&
      field.kind !== 'any' &&
      !mapped.has(name) &&
      !(name === 'id' && resource.key.includes('id')),
  )
  if (missing.length === 0) return
  problems.add(
    line,
    [
      `${resource.path} has no value for ${missing.map(({ name }) => name).join(', ')}; for example:`,
      ...missing.map((each) => `    ${each.name}: ${exampleOf(each, resource)}`),
    ].join('\n'),
  )
}

/** An example line for a required field. */
export const exampleOf = ({ name, field }: LeafField, resource: Resource): string => {
  if (name === 'createdAt' && resource.key) return 'first-seen'
  if (name === 'updatedAt') return 'last-changed'
  if (field.kind === 'ref') return `{ ref: { collection: ${field.to}, key: [COLUMN] } }`
  if (field.kind === 'id') return '{ key: [COLUMN] }'
  if (field.values) return `{ value: ${field.values[0]} }`
  return examples[field.kind] ?? 'COLUMN'
}

const examples: { readonly [kind: string]: string } = {
  flag: '{ value: false }',
  texts: "{ column: COLUMN, split: ',' }",
  objects: '{ value: [] }',
}
