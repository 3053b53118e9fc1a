import { parseSync } from 'oxc-parser'

/** A small change to the program that its tests should notice. */
export interface Mutant {
  /**
   * The change and its index among identical places, so that it stays stable when the code around
   * it changes.
   */
  readonly id: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly replacement: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

/** The replacements of each operator. */
const operators: { readonly [operator: string]: readonly string[] } = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '^': ['&'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
}

/** A text that replaces a part of a node, and a function that lists the changes of a node. */
type Change = readonly [start: number, end: number, replacement: string]
type Changes = (node: Node, text: string) => readonly Change[]

const exchangeOperator: Changes = (node, text) => {
  const left = node['left'] as Node
  const right = node['right'] as Node
  const operator = node['operator'] as string
  const at = text.indexOf(operator, left.end)
  if (at === -1 || at > right.start) return []
  return (operators[operator] ?? []).map((other) => [at, at + operator.length, other] as const)
}

const decide: Changes = ({ test }) => {
  const { start, end } = test as Node
  return [
    [start, end, 'true'],
    [start, end, 'false'],
  ]
}

const remove: Changes = ({ start, end }) => [[start, end, ';']]

const literal: Changes = ({ start, end, value }) => {
  if (typeof value === 'string') return [[start, end, value === '' ? "'mutant'" : "''"]]
  if (typeof value === 'number') return [[start, end, String(value + 1)]]
  if (typeof value === 'boolean') return [[start, end, String(!value)]]
  return []
}

const changesByType: { readonly [type: string]: Changes } = {
  BinaryExpression: exchangeOperator,
  LogicalExpression: exchangeOperator,
  AssignmentExpression: exchangeOperator,
  ConditionalExpression: decide,
  IfStatement: decide,
  WhileStatement: ({ test }) => [[(test as Node).start, (test as Node).end, 'false']],
  UnaryExpression: ({ operator, start, argument }) =>
    operator === '!' || operator === '-' ? [[start, (argument as Node).start, '']] : [],
  Literal: literal,
  TemplateLiteral: ({ start, end }) => [[start, end, "''"]],
  ArrayExpression: ({ elements, start, end }) =>
    (elements as Node[]).length > 0 ? [[start, end, '[]']] : [],
  MemberExpression: ({ optional, object, property }, text) => {
    const from = (object as Node).end
    const mark = text.slice(from, (property as Node).start).indexOf('?.')
    return optional && mark !== -1 ? [[from + mark, from + mark + 2, '.']] : []
  },
  ExpressionStatement: remove,
  ThrowStatement: remove,
  ContinueStatement: remove,
  BreakStatement: remove,
  ReturnStatement: ({ argument, start, end }) =>
    argument ? [[start, end, 'return undefined']] : [[start, end, ';']],
}

/** Types have no effect at run time. */
const isType = (type: string): boolean => /^TS(?!As|Satisfies|NonNull)|^Import/.test(type)

/** Every mutant of a source file. */
export const mutantsOf = (name: string, text: string): readonly Mutant[] => {
  const { program, errors } = parseSync(name, text)
  if (errors.length > 0) throw new SyntaxError(`${name}: ${errors[0]?.message}`)
  const results: Omit<Mutant, 'id'>[] = []
  const walk = (node: Node) => {
    if (isType(node.type)) return
    for (const [start, end, replacement] of changesByType[node.type]?.(node, text) ?? []) {
      // Skips changes that change nothing.
      if (text.slice(start, end) === replacement) continue
      const line = text.slice(0, start).split('\n').length
      results.push({ line, start, end, replacement })
    }
    for (const value of Object.values(node)) {
      for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) walk(each)
    }
  }
  for (const statement of program.body as unknown as Node[]) {
    const declared = statement.type === 'ExportNamedDeclaration' && statement['source']
    if (statement.type !== 'ExportAllDeclaration' && !declared) walk(statement)
  }
  const counts = new Map<string, number>()
  return results.map((each) => {
    const words = `${brief(text.slice(each.start, each.end))} → ${brief(each.replacement)}`
    const count = (counts.get(words) ?? 0) + 1
    counts.set(words, count)
    return { id: count === 1 ? words : `${words} (${count})`, ...each }
  })
}

/** The source with one mutant. */
export const withMutant = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end)

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 70)}…` : line || 'nothing'
}
