import { type Catalog, importOrder, leafFields, resourceAt } from '#contract'
import { textOf } from '../cell.ts'
import { chooseEntities } from './entities.ts'
import {
  type Entity,
  type EntityContext,
  isIdentifier,
  keyText,
  openValue,
  type ProposedValue,
  proposed,
  type RowChoice,
} from './entity.ts'
import { assignColumns } from './field-candidates.ts'
import { fieldProposal } from './field-proposal.ts'
import { type Formats, formatsOf } from './formats.ts'
import { type Link, type LinkTarget, linksOf } from './relations.ts'
import type { SampleTable } from './sample-table.ts'
import { type Column, columnsOf, modelTables, type TableModel } from './table-model.ts'
import type { LeftOut } from './table-roles.ts'
import { wordsOf } from './words.ts'
import { quoted } from './yaml-text.ts'

/** The certainty of a line of the proposal. */
export type Certainty = 'certain' | 'likely' | 'open'

export interface ProposedField extends Omit<ProposedValue, 'columns'> {
  readonly name: string
}

/** Other rows that are joined, by a link in one of the two directions. */
export interface ProposedJoin {
  readonly name: string
  readonly table: SampleTable
  /** Own columns and those of the other rows. */
  readonly on: readonly (readonly [own: string, other: string])[]
  readonly reason: string
}

export interface ProposedCollection {
  readonly collection: string
  readonly table: SampleTable
  readonly certainty: Certainty
  readonly reason: string
  readonly joins: readonly ProposedJoin[]
  /** The columns that group rows to one record, if their sums are needed. */
  readonly group: readonly string[] | null
  readonly where: RowChoice | null
  readonly distinct: boolean
  /** Null for collections that several fields identify. */
  readonly id: Omit<ProposedValue, 'columns'> | null
  readonly keyCertainty: Certainty
  readonly fields: readonly ProposedField[]
  readonly unusedColumns: readonly string[]
}

export interface Proposal extends Formats {
  readonly collections: readonly ProposedCollection[]
  /** The tables that are not used, and why. */
  readonly leftOut: readonly LeftOut[]
  /** Fields that have one value in all collections that have no column for them. */
  readonly defaults: readonly ProposedField[]
}

/** Proposes collections, keys, fields and formats for tables. */
export const proposeMapping = (catalog: Catalog, tables: readonly SampleTable[]): Proposal => {
  const models = modelTables(tables)
  const formats = formatsOf(models)
  const links = createLinks(models)
  const { entities, leftOut } = chooseEntities(catalog, models, links)
  const order = importOrder(catalog).flat()
  const collections = [...entities.values()]
    .sort((one, other) => order.indexOf(one.collection) - order.indexOf(other.collection))
    .map((entity) => collectionProposal(entity, { formats, entities, links }))
  return { ...formats, collections, leftOut, defaults: defaultsOf(catalog, collections) }
}

/** The links of tables, found once the tables of collections and their keys are known. */
export interface Links {
  readonly of: (model: TableModel, entities: ReadonlyMap<string, Entity>) => readonly Link[]
}

const createLinks = (models: readonly TableModel[]): Links => {
  const cache = new Map<string, readonly Link[]>()
  return {
    of: (model, entities) => {
      const key = `${entities.size} ${model.table.name}`
      const links = cache.get(key) ?? linksOf(model, targetsOf(models, entities))
      cache.set(key, links)
      return links
    },
  }
}

const targetsOf = (
  models: readonly TableModel[],
  entities: ReadonlyMap<string, Entity>,
): readonly LinkTarget[] =>
  models.flatMap((model): readonly LinkTarget[] => {
    const own = [...entities.values()].filter((each) => each.model === model && !each.isShared)
    const [first] = own
    const subjects = own.map(({ collection }) => wordsOf(collection.replace('parent-', '')))
    if (first) return [{ model, key: first.key, subjects: [model.words, ...subjects] }]
    const { primaryKey = [] } = model.table
    const key = { columns: primaryKey, certainty: 'certain', reason: '', other: null } as const
    return primaryKey.length > 0 ? [{ model, key, subjects: [model.words] }] : []
  })

interface Surroundings {
  readonly formats: Formats
  readonly entities: ReadonlyMap<string, Entity>
  readonly links: Links
}

const collectionProposal = (
  entity: Entity,
  { formats, entities, links }: Surroundings,
): ProposedCollection => {
  const { model, resource, key } = entity
  const dependent = entity.isShared ? dependentColumns(entity) : model.columns
  const columns = entity.isSummed ? model.columns : chosenColumns(entity, dependent)
  const joins: ProposedJoin[] = []
  const join = (other: TableModel, on: ProposedJoin['on'], reason: string, name: string) => {
    const equal = joins.find(
      (each) => each.table === other.table && JSON.stringify(each.on) === JSON.stringify(on),
    )
    if (equal) return equal.name
    const isUsed = (each: string) => joins.some((own) => own.name === each)
    let free = name
    for (let at = 2; isUsed(free); at += 1) free = `${name}${at}`
    joins.push({ name: free, table: other.table, on, reason })
    return free
  }
  const { where = null } = entity
  const via = where?.via
  const on = via
    ? join(via.target, pairs(via.columns, via.to), via.reason, joinName(via.target))
    : ''
  const context: EntityContext = {
    ...{ entity, columns, formats, entities },
    isSummed: (column) => entity.isSummed === true && !dependent.includes(column),
    links: links.of(model, entities),
    linksOf: (other) => links.of(other, entities),
    join: ({ target, columns: own, to, reason }) =>
      join(target, pairs(own, to), reason, joinName(target)),
    joinLines: (lines, { columns: foreign, to, reason }) =>
      join(lines, pairs(to, foreign), reason, 'lines'),
  }
  const leaves = leafFields(resource.fields)
  const isSingle = resource.key.length === 1 && resource.key[0] === 'id'
  const assigned = assignColumns(leaves, context)
  const used = new Set<string>(isSingle ? key.columns : [])
  const fields = leaves.flatMap((leaf): readonly ProposedField[] => {
    const own = assigned.get(leaf.name)
    if (!own || (leaf.name === 'id' && isSingle)) return []
    const value = fieldProposal(own, context)
    if (!value) return []
    for (const column of value.columns) used.add(column)
    const { expression, reason } = value
    // Lines are not more certain than the collection.
    const isCapped = value.certainty === 'certain' && entity.certainty !== 'certain'
    const certainty = isCapped ? 'likely' : value.certainty
    return [{ name: leaf.name, expression, certainty, reason }]
  })
  const isGrouped = fields.some(({ expression }) => /^\{ rows: \w+, of:/.test(expression))
  return {
    ...{ collection: entity.collection, table: model.table, joins },
    fields: [...fields, ...doubtfulTimes(entity, fields, used)],
    ...{ certainty: entity.certainty, reason: entity.reason },
    group: isGrouped || entity.isSummed ? key.columns : null,
    where: where && via ? { ...where, column: `${on}.${where.column}` } : where,
    distinct: entity.isShared && !isGrouped && !entity.isSummed,
    id: isSingle ? idProposal(entity) : null,
    keyCertainty: key.certainty,
    unusedColumns: model.columns.map(({ name }) => name).filter((name) => !used.has(name)),
  }
}

const pairs = (
  own: readonly string[],
  other: readonly string[],
): readonly (readonly [string, string])[] => own.map((column, at) => [column, other[at] ?? ''])

const joinName = ({ table }: TableModel): string => {
  const letters = table.title.replace(/[^A-Za-z0-9]+/g, '_').replace(/^[^A-Za-z]+|_+$/g, '')
  return letters.slice(0, 30).toLowerCase() || 'other'
}

const idProposal = (entity: Entity): ProposedValue => {
  const { columns, certainty, reason, other } = entity.key
  if (certainty === 'open')
    return openValue([keyText(columns), ...(other ? [keyText(other)] : [])], reason)
  const [only = ''] = columns
  return proposed(isIdentifier(entity) ? quoted(only) : keyText(columns), certainty, reason)
}

/** The columns of the rows that count. */
const chosenColumns = ({ model, where }: Entity, columns: readonly Column[]): readonly Column[] => {
  if (!where) return columns
  const rows = where.via
    ? rowsOfHeaders(model, where, where.via)
    : rowsWith(model, where.column, where.texts)
  const names = new Set(columns.map(({ name }) => name))
  const words = new Map(columns.map((column) => [column.name, column.words]))
  return columnsOf({ ...model.table, rows })
    .filter(({ name }) => names.has(name))
    .map((column) => ({ ...column, words: words.get(column.name) ?? column.words }))
}

type Rows = SampleTable['rows']

const rowsWith = (
  { table, columns }: TableModel,
  column: string,
  texts: readonly string[] | null,
): Rows => {
  const own = columns.find(({ name }) => name === column)
  if (!own) return table.rows
  return table.rows.filter((row) => {
    const text = textOf(row[own.at] ?? null)
    return text !== null && (texts === null || texts.includes(text))
  })
}

/** The rows of which another table has a chosen row. */
const rowsOfHeaders = (
  { table }: TableModel,
  { column, texts }: RowChoice,
  { target, columns, to }: Link,
): Rows => {
  const keyOf = (row: Rows[number], names: readonly string[], all: readonly string[]) =>
    JSON.stringify(names.map((name) => textOf(row[all.indexOf(name)] ?? null)))
  const keys = new Set(
    rowsWith(target, column, texts).map((row) => keyOf(row, to, target.table.columns)),
  )
  return table.rows.filter((row) => keys.has(keyOf(row, columns, table.columns)))
}

/**
 * The columns that are equal in all sample rows with the same key. Excludes creation and change
 * times of rows: they do not belong to a record made of several rows.
 */
const dependentColumns = ({ model, key }: Entity): readonly Column[] => {
  const { table, columns } = model
  const keyAt = key.columns.map((name) => table.columns.indexOf(name))
  const groups = Map.groupBy(table.rows, (row) => keyAt.map((at) => textOf(row[at])).join('\n'))
  return columns.filter(({ words, at, isDate }) => {
    if (isDate && words.some((word) => word === 'updated' || word === 'created')) return false
    return [...groups.values()].every(
      (rows) => new Set(rows.map((row) => textOf(row[at]))).size === 1,
    )
  })
}

const importTimes = [
  {
    name: 'createdAt',
    expression: 'first-seen',
    reason: 'the import that brings a record first',
  },
  {
    name: 'updatedAt',
    expression: 'last-changed',
    reason: 'the import that changes a record last',
  },
] as const

/** The times of an import where a column without a use may have better ones. */
const doubtfulTimes = (
  { resource, model }: Entity,
  fields: readonly ProposedField[],
  used: ReadonlySet<string>,
): readonly ProposedField[] => {
  const [other] = model.columns.filter(({ name, type }) => type?.kind === 'time' && !used.has(name))
  if (!other) return []
  return importTimes.flatMap(({ name, expression }) =>
    name in resource.fields && !fields.some((field) => field.name === name)
      ? [{ name, expression, certainty: 'likely' as const, reason: `or ${other.name}` }]
      : [],
  )
}

/** Fields that collections without a column for them take from the file. */
const defaultsOf = (
  catalog: Catalog,
  collections: readonly ProposedCollection[],
): readonly ProposedField[] => {
  const lacks = (name: string) =>
    collections.some(
      ({ collection, fields }) =>
        name in resourceAt(catalog, collection).fields &&
        !fields.some((field) => field.name === name),
    )
  const common = collections.flatMap(({ fields }) =>
    fields.filter(({ name, expression }) => name === 'currency' && expression === brandCurrency),
  )
  return [
    ...(common[0] && !lacks('currency') ? [common[0]] : []),
    ...importTimes.flatMap(({ name, expression, reason }) =>
      lacks(name) ? [{ name, expression, certainty: 'certain' as const, reason }] : [],
    ),
  ]
}

const brandCurrency = '{ brand: currency }'
