/** Finds text for people that a component has in its own source instead of in the catalogues. */
import { parseSync } from 'oxc-parser'

interface Node {
  readonly type: string
  readonly start: number
  readonly [property: string]: unknown
}

/** Attributes whose values are read out or shown. */
const spoken = new Set(['alt', 'aria-label', 'aria-description', 'label', 'placeholder', 'title'])

/** The same in every language. */
const names = new Set(['Selvedge', 'slv_…'])

export interface LiteralText {
  readonly line: number
  readonly text: string
}

export const literalTexts = (path: string, source: string): readonly LiteralText[] => {
  const literals: LiteralText[] = []
  const note = (node: Node, text: unknown) => {
    if (typeof text !== 'string' || !/\p{L}{2}/u.test(text) || names.has(text.trim())) return
    literals.push({ line: source.slice(0, node.start).split('\n').length, text: text.trim() })
  }
  /** The strings that an expression may have as its value. */
  const noteValues = (node: Node): void => {
    if (node.type === 'Literal') note(node, node['value'])
    if (node.type === 'TemplateLiteral') {
      for (const part of node['quasis'] as Node[]) {
        note(part, (part['value'] as { readonly cooked?: string }).cooked)
      }
    }
    for (const name of valuesOf[node.type] ?? []) noteValues(node[name] as Node)
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(walk)
      return
    }
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'JSXText') note(node, node['value'])
    if (node.type === 'JSXAttribute') {
      const name = (node['name'] as { readonly name?: unknown }).name
      const held = node['value'] as Node | null
      if (held && spoken.has(String(name))) noteValues(held)
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      for (const child of node['children'] as Node[]) {
        if (child.type === 'JSXExpressionContainer') noteValues(child)
      }
    }
    for (const each of Object.values(node)) walk(each)
  }
  walk(parseSync(path, source).program)
  return literals
}

const valuesOf: { readonly [type: string]: readonly string[] } = {
  JSXExpressionContainer: ['expression'],
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['left', 'right'],
  ParenthesizedExpression: ['expression'],
}
