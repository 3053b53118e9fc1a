import { argumentsSchema, instructions, resultMax, resultSchema, type Tool, tools } from '#mcp'
import { anchorOf, code, page, table } from './markdown.ts'

interface Property {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly description?: string
}

type Properties = { readonly [name: string]: Property }

export const toolsPage = (): string =>
  page(
    '# Tools for agents',
    [
      'The tools that `/mcp` and `selvedge mcp` provide through the Model Context Protocol. All tools are',
      'read-only. [Use with agents](../how-to/use-with-agents.md) describes how to connect.',
    ].join('\n'),
    [
      '- Every result is returned twice, as text and as structured content. `summary` states the number of',
      '  records, what was truncated, and how to get the rest. `next` is the next call, or null.',
      `- A result has at most ${resultMax.toLocaleString('en')} characters. Records that do not fit are in the next result. Long`,
      '  values are truncated, and `cut` lists them.',
      '- An error is a result with `isError`. Its text is a JSON object with `error`, `errorCode` and',
      '  `details`, as in [the API](errors.md). It states the problem and how to correct it.',
    ].join('\n'),
    tools.map(({ name, title }) => `- [${code(name)}](#${anchorOf(name)}): ${title}`).join('\n'),
    ...tools.flatMap(describe),
    '## Server instructions',
    ['```text', instructions, '```'].join('\n'),
  )

const describe = (tool: Tool): readonly string[] => {
  const input = argumentsSchema(tool.arguments)
  const required = input['required'] as readonly string[]
  return [
    `## ${tool.name}`,
    tool.description,
    table(
      ['Argument', 'Type', 'Description'],
      Object.entries(input['properties'] as Properties).map(([name, property]) => [
        code(name),
        typeOf(property, required.includes(name)),
        property.description ?? '',
      ]),
    ),
    table(
      ['Result', 'Type', 'Description'],
      Object.entries(resultSchema(tool)['properties'] as Properties).map(([name, property]) => [
        code(name),
        typeOf(property, false),
        property.description ?? '',
      ]),
    ),
  ]
}

const typeOf = (property: Property, required: boolean): string =>
  [
    property.enum
      ? property.enum.map(code).join(', ')
      : `${[property.type ?? 'any'].flat().join(' or ')}${
          property.minimum === undefined ? '' : `, ${property.minimum} to ${property.maximum}`
        }`,
    ...(required ? ['required'] : []),
    ...(property.default === undefined ? [] : [`default ${code(String(property.default))}`]),
  ].join('; ')
