/** The Helm chart, rendered as `helm template` renders it. */
import { globSync, readFileSync } from 'node:fs'
import { functions, isTruthy, printed, type TemplateValue } from './functions.ts'
import {
  type Command,
  type Node,
  type Nodes,
  type Operand,
  type ParsedTemplate,
  type Pipeline,
  parseTemplate,
  TemplateError,
} from './template.ts'

export interface Values {
  readonly [name: string]: unknown
}

/** What rendering needs of a chart. */
export interface Chart {
  /** Chart.yaml. */
  readonly metadata: Values
  readonly templates: ReadonlyMap<string, ParsedTemplate>
}

export interface Release {
  readonly name: string
  readonly namespace: string
  /** The program that installs it. */
  readonly service: string
}

/** Reads the templates of a chart. */
export const readTemplates = (folder: string): Chart['templates'] =>
  new Map(
    globSync('*', { cwd: `${folder}/templates` })
      .sort()
      .map((file) => [
        file,
        parseTemplate(readFileSync(`${folder}/templates/${file}`, 'utf8'), file),
      ]),
  )

/** Values over those of a chart, as Helm merges them: objects are merged, and null removes a value. */
export const mergeValues = (base: Values, over: Values): Values => {
  const merged: { [name: string]: unknown } = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name]
    if (value === null) delete merged[name]
    else merged[name] = isObject(value) && isObject(before) ? mergeValues(before, value) : value
  }
  return merged
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of each template that is not empty. `values` are complete. */
export const renderChart = (
  { metadata, templates }: Chart,
  release: Release,
  values: Values,
): ReadonlyMap<string, string> => {
  const definitions = new Map([...templates.values()].flatMap((each) => [...each.definitions]))
  const data = templateData(metadata, release, values)
  const rendered = new Map<string, string>()
  for (const [file, { body }] of templates) {
    try {
      const text = renderWith(definitions, body, data)
      if (!file.startsWith('_') && text.trim() !== '') rendered.set(file, `${text.trim()}\n`)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw new TemplateError(`${file}: ${error.message}`)
    }
  }
  return rendered
}

/** What `.` is in the templates of a chart. */
export const templateData = (metadata: Values, release: Release, values: Values): Values => ({
  Values: values,
  Chart: {
    Name: metadata['name'],
    Version: metadata['version'],
    AppVersion: metadata['appVersion'],
  },
  Release: { Name: release.name, Namespace: release.namespace, Service: release.service },
})

/** What a name means at a place of a template. */
interface Scope {
  /** The value that `.` is. */
  readonly dot: TemplateValue
  readonly variables: { readonly [name: string]: TemplateValue }
}

const renderWith = (
  definitions: ReadonlyMap<string, Nodes>,
  start: Nodes,
  data: TemplateValue,
): string => {
  const include = (name: TemplateValue, value: TemplateValue): string => {
    const body = definitions.get(String(name))
    if (!body) throw new TemplateError(`${name} is not defined`)
    return renderNodes(body, { dot: value, variables: { '': value } })
  }

  const renderNodes = (nodes: Nodes, scope: Scope): string =>
    nodes.map((node) => renderNode(node, scope)).join('')

  const renderNode = (node: Node, scope: Scope): string => {
    switch (node.kind) {
      case 'text':
        return node.text
      case 'print':
        return printed(evaluate(node.pipeline, scope))
      case 'range':
        return renderRange(node, scope)
      default: {
        for (const { condition, body } of node.branches) {
          const value = evaluate(condition, scope)
          if (!isTruthy(value)) continue
          return renderNodes(body, node.kind === 'with' ? { ...scope, dot: value } : scope)
        }
        return renderNodes(node.otherwise, scope)
      }
    }
  }

  const renderRange = (node: Node & { kind: 'range' }, scope: Scope): string => {
    const over = evaluate(node.over, scope)
    return entriesOf(over)
      .map(([key, value]) =>
        renderNodes(node.body, {
          dot: value,
          variables: {
            ...scope.variables,
            ...(node.key !== null && { [node.key]: key }),
            [node.value]: value,
          },
        }),
      )
      .join('')
  }

  const evaluate = (pipeline: Pipeline, scope: Scope): TemplateValue =>
    pipeline.reduce<readonly TemplateValue[]>(
      (piped, command) => [execute(command, piped, scope)],
      [],
    )[0]

  const execute = (
    command: Command,
    piped: readonly TemplateValue[],
    scope: Scope,
  ): TemplateValue => {
    if (command.kind === 'operand') {
      if (piped.length > 0) throw new TemplateError('a value cannot take the result of a function')
      return operandValue(command.operand, scope)
    }
    const { name, parameters } = command
    const called = name === 'include' ? include : functions[name]
    if (!called) throw new TemplateError(`the function ${name} is not supported`)
    const values = [...parameters.map((operand) => operandValue(operand, scope)), ...piped]
    return (called as (...values: readonly TemplateValue[]) => TemplateValue)(...values)
  }

  const operandValue = (operand: Operand, scope: Scope): TemplateValue => {
    if (operand.kind === 'literal') return operand.value
    if (operand.kind === 'pipeline') return evaluate(operand.pipeline, scope)
    const { variable, fields } = operand
    if (variable !== null && !Object.hasOwn(scope.variables, variable)) {
      throw new TemplateError(`the variable $${variable} is not defined`)
    }
    return fields.reduce<TemplateValue>(
      fieldOf,
      variable === null ? scope.dot : scope.variables[variable],
    )
  }

  return renderNodes(start, { dot: data, variables: { '': data } })
}

/** A field that is absent is nil; a field of nil is an error, as it is in Go. */
const fieldOf = (value: TemplateValue, field: string): TemplateValue => {
  if (isObject(value)) return value[field]
  throw new TemplateError(`.${field} is read from something that has no fields`)
}

/** Go visits the keys of a map in their order. */
const entriesOf = (value: TemplateValue): readonly (readonly [TemplateValue, TemplateValue])[] => {
  if (Array.isArray(value)) return value.map((each, index) => [BigInt(index), each])
  if (isObject(value)) return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  throw new TemplateError('range needs a list or a map')
}
