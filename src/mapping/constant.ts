import { checkRecord, type Field, isTimezone, type JsonValue } from '#contract'
import type { Constant } from './mapping.ts'
import { type ProblemList, shown } from './settings.ts'
import type { YamlNode } from './yaml-tree.ts'

/** Reads a constant of a mapping as a value of the field, with the checks of a record. */
export const readConstant = (
  node: YamlNode,
  field: Field,
  name: string,
  problems: ProblemList,
): Constant => {
  const value = constantOf(node, field)
  if (value === null) return { value }
  const [problem] = checkRecord(
    { fields: { [name]: { ...field, nullable: true } } },
    { [name]: value },
  )
  if (problem) {
    const inner = problem.pointer.slice(name.length + 2)
    problems.add(
      node.line,
      `${shown(textOf(node))} is not a value of ${name}${inner && ` (${inner})`}: it ${problem.reason}`,
    )
  } else if (field.values && typeof value === 'string' && !field.values.includes(value)) {
    problems.add(node.line, notListed(value, field.values, name))
  } else if (name === 'timezone' && typeof value === 'string' && !isTimezone(value)) {
    problems.add(node.line, `${shown(value)} is not a time zone; use a name such as Europe/Berlin`)
  }
  return { value }
}

const notListed = (value: string, values: readonly string[], name: string): string =>
  `${shown(value)} is not a value of ${name}; there are ${values.join(', ')}`

const textOf = (node: YamlNode): string =>
  node.kind === 'scalar' ? node.text : JSON.stringify(jsonOf(node))

const constantOf = (node: YamlNode, field: Field): JsonValue => {
  if (node.kind !== 'scalar') return jsonOf(node)
  if (node.value === null) return null
  // Keeps digits as written: 12.50 is not 12.5, and 0042 is not 42.
  const isText = !['integer', 'flag', 'any'].includes(field.kind)
  return isText ? node.text : node.value
}

/** A YAML value as JSON. */
export const jsonOf = (node: YamlNode): JsonValue =>
  node.kind === 'scalar'
    ? node.value
    : node.kind === 'list'
      ? node.items.map(jsonOf)
      : Object.fromEntries(node.entries.map(({ name, value }) => [name, jsonOf(value)]))
