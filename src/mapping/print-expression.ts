import type { JsonValue } from '#contract'
import type {
  CellCondition,
  CellTest,
  Expression,
  FunctionCall,
  ObjectEntry,
  ValueFormats,
  ValueSource,
} from './mapping.ts'
import { printYaml, type YamlValue, yamlMap } from './print-yaml.ts'

/** An expression in one line, as a mapping file has it. */
export const printExpression = (expression: Expression): string =>
  printYaml(expressionValue(expression, { outer: expression.formats, isPart: false }))

interface Place {
  /** The formats around the expression. */
  readonly outer: ValueFormats
  /** Whether only its settings say of which kind its value is. */
  readonly isPart: boolean
}

/** An expression as a value of YAML. */
export const expressionValue = (expression: Expression, place: Place): YamlValue => {
  const { source, apply, values, otherwise, code, unit, round } = expression
  const modifiers = yamlMap([
    ['apply', apply.length === 0 ? undefined : apply.map(callValue)],
    ['values', values ? tableValue(values) : undefined],
    ['code', code],
    ['otherwise', otherwise ? jsonValue(otherwise.value) : undefined],
    ['default', expression.default ? jsonValue(expression.default.value) : undefined],
    ['unit', unit && unitValue(unit, place)],
    ['multiply', expression.formats.multiply ?? undefined],
    ['round', round && ('places' in round ? round.places : 'currency')],
    ['split', expression.formats.split ?? undefined],
    ['json', expression.formats.json || undefined],
    ...ownFormats(expression, place),
  ])
  const isColumn = source.kind === 'column' && !source.optional
  if (isColumn && modifiers.size === 0 && !times.includes(source.column)) return source.column
  return new Map([...sourceEntries(expression, place), ...modifiers])
}

/** Texts that stand for times where a field could have a column. */
const times = ['first-seen', 'last-changed']

type Entries = readonly (readonly [string, YamlValue])[]

const sourceEntries = ({ source, as, ...rest }: Expression, { outer }: Place): Entries => {
  const part = (each: Expression) => expressionValue(each, { outer, isPart: true })
  const same = (each: Expression) => expressionValue(each, { outer, isPart: false })
  const named = (entries: readonly ObjectEntry[], print: typeof part) =>
    yamlMap(entries.map(({ name, value }) => [name, print(value)] as const))
  const printers: {
    readonly [kind in ValueSource['kind']]: (
      source: Extract<ValueSource, { readonly kind: kind }>,
    ) => Entries
  } = {
    column: ({ column, optional }) => [
      ['column', column],
      ...(optional ? ([['optional', true]] as const) : []),
    ],
    value: ({ value }) => [['value', jsonValue(value)]],
    join: ({ parts, separator }) => [
      ['join', parts.map(part)],
      ...(separator === ' ' ? [] : ([['with', separator]] as const)),
    ],
    first: ({ of }) => {
      // With these, the parts are texts, whatever the field is.
      const isRaw = rest.values !== null || rest.apply.length > 0 || rest.code !== undefined
      return [['first', of.map(isRaw ? part : same)]]
    },
    arithmetic: ({ operation, of }) => [[operation, of.map(same)]],
    when: ({ cases, otherwise }) => [
      [
        'when',
        cases.map(({ conditions, value }) =>
          yamlMap([
            ['if', conditionsValue(conditions)],
            ['then', same(value)],
          ]),
        ),
      ],
      ...(otherwise ? ([['else', same(otherwise)]] as const) : []),
    ],
    identity: ({ collection, key }) =>
      as === 'ref'
        ? [['ref', yamlMap([...([['collection', collection]] as const), ['key', key.map(part)]])]]
        : [['key', key.map(part)]],
    object: ({ fields }) => [['object', named(fields, part)]],
    list: ({ items }) => [
      [
        'list',
        items.map((item) =>
          as === 'objects' && item.source.kind === 'object'
            ? named(item.source.fields, same)
            : part(item),
        ),
      ],
    ],
    importTime: () => [],
    brand: ({ property }) => [['brand', property]],
    lookup: ({ collection, by }) => [
      ['lookup', yamlMap([...([['collection', collection]] as const), ['by', named(by, same)]])],
    ],
    rows: ({ function: called, in: set, of }) => [
      ['rows', called],
      ...(set === null ? [] : ([['in', set]] as const)),
      ...(of ? ([['of', same(of)]] as const) : []),
    ],
    open: ({ candidates }) => [['open', candidates.map(same)]],
  }
  return printers[source.kind](source as never)
}

const callValue = ({ name, arguments: args }: FunctionCall): YamlValue =>
  args.length === 0 ? name : yamlMap([[name, [...args]]])

const tableValue = (values: NonNullable<Expression['values']>): YamlValue =>
  yamlMap(values.map(([text, value]) => [text, jsonValue(value)] as const))

const unitValue = ({ from, to }: NonNullable<Expression['unit']>, { outer }: Place): YamlValue => {
  const value = expressionValue(from, { outer, isPart: false })
  return yamlMap([
    // A text alone would be the name of a unit.
    ['from', typeof value === 'string' ? yamlMap([['column', value]]) : value],
    ['to', to],
  ])
}

export const jsonValue = (value: JsonValue): YamlValue => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(jsonValue)
  return yamlMap(Object.entries(value).map(([name, each]) => [name, jsonValue(each)] as const))
}

/** The settings of formats that differ from those around the expression, or make its kind. */
const ownFormats = (
  { as, formats, source, unit, round }: Expression,
  { outer, isPart }: Place,
): readonly (readonly [string, YamlValue | undefined])[] => {
  const isNumber = isPart && as === 'amount'
  const isMarked =
    source.kind === 'arithmetic' || unit !== undefined || round !== undefined || formats.multiply
  return formatEntries(formats, outer).map(([name, value]) => {
    if (value !== undefined || !isPart) return [name, value] as const
    if (name === 'date' && as === 'date') return [name, formats.date] as const
    if (name === 'timestamp' && as === 'timestamp') return [name, formats.timestamp] as const
    return [name, name === 'decimal' && isNumber && !isMarked ? formats.decimal : value] as const
  })
}

/** Settings of formats, with those that differ from the outer formats. */
export const formatEntries = (
  formats: ValueFormats,
  outer: ValueFormats,
): readonly (readonly [string, YamlValue | undefined])[] => {
  const isSame = (name: 'date' | 'timestamp') =>
    JSON.stringify(formats[name]) === JSON.stringify(outer[name])
  return [
    ['date', isSame('date') ? undefined : formats.date],
    ['timestamp', isSame('timestamp') ? undefined : formats.timestamp],
    ['timezone', formats.timezone === outer.timezone ? undefined : formats.timezone],
    ['decimal', formats.decimal === outer.decimal ? undefined : formats.decimal],
    ['group', formats.group === outer.group ? undefined : (formats.group ?? undefined)],
  ]
}

/** Conditions by column. */
export const conditionsValue = (conditions: readonly CellCondition[]): YamlValue => {
  const columns = Map.groupBy(conditions, ({ column }) => column)
  return yamlMap(
    [...columns].map(([column, of]) => [column, testsValue(of.map(({ test }) => test))] as const),
  )
}

const testsValue = (tests: readonly CellTest[]): YamlValue => {
  const [only] = tests
  if (only?.kind === 'in') return textsValue(only.values)
  return yamlMap(tests.map((test) => [test.kind, testValue(test)] as const))
}

const testValue = (test: CellTest): YamlValue => {
  if (test.kind === 'empty') return test.expected
  if (test.kind === 'startsWith') return textsValue(test.prefixes)
  return 'than' in test ? test.than : textsValue(test.values)
}

/** One text, or a list. */
export const textsValue = (texts: readonly string[]): YamlValue =>
  texts.length === 1 ? (texts[0] ?? '') : texts
