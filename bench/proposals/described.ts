import type { JsonValue } from '#contract'
import type { CollectionMapping } from '#mapping'
import type { Derivation, Form } from './derivation.ts'

export type Expression = CollectionMapping['fields'][number]['value']
type Condition = CollectionMapping['where'][number]

/** A column as the gold mapping names it: with its table if it is not one of the own table. */
export type Qualify = (column: string, rowsOf: string | null) => string

/** What a proposed expression says, as a derivation. The candidates of an open value do not count. */
export const describe = (expression: Expression, qualify: Qualify): Derivation => {
  const columns = new Set<string>()
  const constants: string[] = []
  const forms = new Set<Form>()
  let brand: string | null = null
  const takeConditions = (conditions: readonly Condition[], rowsOf: string | null) => {
    for (const { column } of conditions) columns.add(qualify(column, rowsOf))
  }
  const take = (each: Expression, rowsOf: string | null): void => {
    takeConversions(each, forms)
    if (each.unit) take(each.unit.from, rowsOf)
    const { source } = each
    const takeAll = (parts: readonly Expression[]) => {
      for (const part of parts) take(part, rowsOf)
    }
    switch (source.kind) {
      case 'column':
        columns.add(qualify(source.column, rowsOf))
        break
      case 'value':
        constants.push(textOf(source.value))
        break
      case 'join':
        takeAll(source.parts)
        break
      case 'first':
        takeAll(source.of)
        break
      case 'identity':
        takeAll(source.key)
        break
      case 'list':
        takeAll(source.items)
        break
      case 'object':
        takeAll(source.fields.map(({ value }) => value))
        break
      case 'lookup':
        takeAll(source.by.map(({ value }) => value))
        break
      case 'arithmetic':
        forms.add(source.operation === 'sum' ? 'plus' : source.operation)
        takeAll(source.of)
        break
      case 'when':
        forms.add('when')
        for (const { conditions, value } of source.cases) {
          takeConditions(conditions, rowsOf)
          take(value, rowsOf)
        }
        if (source.otherwise) take(source.otherwise, rowsOf)
        break
      case 'rows':
        forms.add(source.function === 'first' ? 'firstRow' : source.function)
        if (source.of) take(source.of, source.in)
        break
      case 'brand':
        brand = source.property
        break
      case 'open':
      case 'importTime':
        break
    }
  }
  take(expression, null)
  const { kind } = expression.source
  const said = { columns: [...columns].sort(), constants, forms, values: null }
  if (kind === 'open') return { ...said, kind: 'open' }
  if (kind === 'identity' || kind === 'lookup') return { ...said, kind: 'reference' }
  if (columns.size > 0 || forms.size > 0) return { ...said, kind: 'columns' }
  if (brand !== null) return { ...said, kind: 'brand', constants: [brand] }
  return { ...said, kind: kind === 'importTime' ? 'time' : 'constant' }
}

const splitting = new Set(['before', 'after', 'substring', 'lastWord', 'firstWord', 'part'])

const takeConversions = (expression: Expression, forms: Set<Form>): void => {
  if (expression.values) forms.add('values')
  if (expression.code === 'country' || expression.code === 'currency') forms.add(expression.code)
  if (expression.unit || expression.formats.multiply !== null) forms.add('unit')
  if (expression.apply.some(({ name }) => splitting.has(name))) forms.add('part')
}

const textOf = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The constant that an expression gives for a text in its only column; null if that is not known. */
export const valueFor = (expression: Expression, text: string): string | null => {
  const { source, values, otherwise } = expression
  if (source.kind === 'value') return textOf(source.value)
  if (source.kind === 'column' && values) {
    const same = (each: string) => each.toLowerCase() === text.toLowerCase()
    const listed = values.find(([each]) => each === text) ?? values.find(([each]) => same(each))
    if (listed) return textOf(listed[1])
    return otherwise ? textOf(otherwise.value) : null
  }
  if (source.kind !== 'when') return null
  const met = source.cases.find(({ conditions }) => conditions.every((each) => meets(each, text)))
  const result = met ? met.value : source.otherwise
  return result ? valueFor(result, text) : null
}

const meets = ({ test }: Condition, text: string): boolean => {
  const isOne = (texts: readonly string[]) =>
    texts.some((each) => each.toLowerCase() === text.toLowerCase())
  if (test.kind === 'in') return isOne(test.values)
  if (test.kind === 'not') return !isOne(test.values)
  if (test.kind === 'empty') return (text === '') === test.expected
  return test.kind === 'startsWith' && test.prefixes.some((prefix) => text.startsWith(prefix))
}
