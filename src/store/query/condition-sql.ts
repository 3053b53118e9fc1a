import { type Comparison, type Condition, foldText } from '#contract'
import { quote } from '#database'
import { tableByIndex } from '../read/list.ts'
import { isCut } from '../schema/comparable.ts'
import { ownerOf } from '../schema/owners.ts'
import { indexFor, linkIndexFor, type Table, tableAt } from '../schema/tables.ts'
import {
  columnOperand,
  lookupColumn,
  type OperandScope,
  operandOf,
  operandsOf,
  sortColumnOf,
  textOperand,
} from './operand.ts'

/** The table that a condition applies to, its alias, and the other tables of the brand. */
export interface ConditionScope extends OperandScope {
  readonly brand: string
  readonly tables: ReadonlyMap<string, Table>
}

const operators: Record<Comparison, string> = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' }

const isNever = '1 = 0'

/**
 * Compiles a condition to SQL. Uses the column of a field if there is one, else the record's JSON
 * text. A comparison with null is null, so it selects nothing.
 */
export const compileCondition = (condition: Condition, scope: ConditionScope): string => {
  switch (condition.kind) {
    case 'compare': {
      const { field, is, value } = condition
      if (is === 'eq') return isOneOf(field, [value], scope)
      const { text, bind } = operandOf(field, scope)
      return `${text} ${operators[is]} ${bind(value)}`
    }
    case 'in':
      return isOneOf(condition.field, condition.values, scope)
    case 'null':
      return isNull(condition.field, condition.isNull, scope)
    case 'startsWith':
      return startsWith(condition.field, condition.text, scope)
    case 'fields': {
      const [one, other] = operandsOf(condition.field, condition.other, scope)
      return `${one.text} ${operators[condition.is]} ${other.text}`
    }
    case 'all':
    case 'any': {
      const [word, ofNone] = condition.kind === 'all' ? ['and', '1 = 1'] : ['or', isNever]
      const parts = condition.of.map((each) => compileCondition(each, scope))
      return parts.length === 0 ? ofNone : `(${parts.join(` ${word} `)})`
    }
    case 'not':
      // A comparison with null is not true, so its negation is.
      return `(${compileCondition(condition.of, scope)}) is not true`
    case 'some':
      return compileSome(condition, scope)
  }
}

type Values = Extract<Condition, { readonly kind: 'in' }>['values']

/**
 * If only the folded column is indexed, the statement searches it first and then compares the
 * record's text, because texts that differ in case or accents fold to the same text. The same with
 * the beginning of a long text, which records of an earlier release may have whole.
 */
const isOneOf = (field: string, wanted: Values, scope: ConditionScope): string => {
  if (wanted.length === 0) return isNever
  const among = (text: string, bind: (value: Values[number]) => string) =>
    wanted.length === 1
      ? `${text} = ${wanted.map(bind)}`
      : `${text} in (${wanted.map(bind).join(', ')})`
  const exact = lookupColumn(scope.table, field)
  if (exact?.kind === 'prefix' && wanted.some(isCut)) {
    const column = columnOperand(exact, scope)
    const begins = wanted.flatMap((value) => [column.bind(value), scope.values.add(String(value))])
    const whole = textOperand(field, scope)
    return `(${column.text} in (${begins.join(', ')}) and ${among(whole.text, whole.bind)})`
  }
  const { text, bind } = exact ? columnOperand(exact, scope) : textOperand(field, scope)
  const folded = exact ? undefined : sortColumnOf(scope.table, field)
  if (!folded) return among(text, bind)
  const column = columnOperand(folded, scope)
  return `(${among(column.text, column.bind)} and ${among(text, bind)})`
}

/**
 * A folded column is null exactly if the text is null. Texts that are present are compared in both
 * columns: either may have an index of such records only, which a statement may have to use.
 */
const isNull = (field: string, isWanted: boolean, scope: ConditionScope): string => {
  const columns = [sortColumnOf(scope.table, field), lookupColumn(scope.table, field)].flatMap(
    (column) => (column ? [columnOperand(column, scope)] : []),
  )
  const [first = textOperand(field, scope), ...others] = columns
  if (isWanted) return `${first.text} is null`
  const present = [first, ...others].map(({ text }) => `${text} is not null`).join(' and ')
  return others.length > 0 ? `(${present})` : present
}

const startsWith = (field: string, prefix: string, scope: ConditionScope): string => {
  const { table, values } = scope
  const column = sortColumnOf(table, field)
  if (column?.kind !== 'folded') {
    throw new RangeError(`${table.name} has no column for prefixes of ${field}.`)
  }
  const { text } = columnOperand(column, scope)
  const { first, end } = prefixRange(prefix)
  const from = `${text} >= ${values.add(first)}`
  return end === null ? from : `(${from} and ${text} < ${values.add(end)})`
}

/**
 * The range of folded texts with a prefix: from `first` up to, not including, `end`; null is
 * unbounded.
 */
export const prefixRange = (
  prefix: string,
): { readonly first: string; readonly end: string | null } => {
  const first = foldText(prefix)
  const characters = Array.from(first, (each) => each.codePointAt(0) ?? 0)
  while (characters.length > 0) {
    const next = (characters.pop() ?? 0) + 1
    if (next > lastCharacter) continue
    // Texts contain no lone surrogates, so skip to the next code point after them.
    const end = next >= 0xd800 && next <= 0xdfff ? 0xe000 : next
    return { first, end: String.fromCodePoint(...characters, end) }
  }
  return { first, end: null }
}

const lastCharacter = 0x10ffff

type Some = Extract<Condition, { readonly kind: 'some' }>

/**
 * Compiles to a subquery per record along the index of the reference. Avoids `exists`: PostgreSQL
 * turns it into a join, in the order that it estimates to be cheaper.
 */
const compileSome = (
  { collection, match, local = 'id', where }: Some,
  scope: ConditionScope,
): string => {
  const { brand, tables, dialect, values, alias } = scope
  const table = tableAt(tables, collection)
  const inner: ConditionScope = { ...scope, table, alias: `${alias}s` }
  const owner = values.add(ownerOf(table.resource, brand))
  const reference = operandOf(match, inner).text
  return [
    '(select 1',
    `from ${tableByIndex(dialect, table.name, inner.alias, referenceIndex(table, match, where))}`,
    `where ${inner.alias}."owner" = ${owner}`,
    `and ${reference} = ${operandOf(local, scope).text}`,
    `and ${compileCondition(where, inner)}`,
    'limit 1) is not null',
  ].join('\n')
}

/** The index that finds records by a reference; undefined if the reference is the identity. */
const referenceIndex = (table: Table, match: string, where: Condition): string | undefined => {
  if (table.key[0]?.name === match) return undefined
  const isValue = where.kind === 'compare' && where.is === 'eq'
  const linkIndex = isValue ? linkIndexFor(table, where.field, match) : undefined
  const index = linkIndex ?? indexFor(table, match)
  if (!index) throw new RangeError(`${quote(table.name)} has no index on ${match}.`)
  return index
}
