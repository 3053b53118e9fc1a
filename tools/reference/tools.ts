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
      'The tools that `/mcp` and `selvedge mcp` offer by the Model Context Protocol. All of them read, and',
      'none writes. [Use with agents](../how-to/use-with-agents.md) says how to connect.',
    ].join('\n'),
    [
      '- Every result is given twice, as text and as structured content. `summary` says how much there is,',
      '  what was cut, and how to get the rest. `next` is the call that goes on, or null.',
      `- A result has at most ${resultMax.toLocaleString('en')} characters. Records that do not fit come with the next call; of`,
      '  long values the beginning is shown, and `cut` lists them.',
      '- A refusal is a result with `isError`, whose text is a JSON object with `error`, `errorCode` and',
      '  `details`, as in [the API](errors.md). It names what is wrong and what would be right.',
    ].join('\n'),
    tools.map(({ name, title }) => `- [${code(name)}](#${anchorOf(name)}): ${title}`).join('\n'),
    ...tools.flatMap(describe),
    '## What an agent is told first',
    ['```text', instructions, '```'].join('\n'),
  )

const describe = (tool: Tool): readonly string[] => {
  const input = argumentsSchema(tool.arguments)
  const required = input['required'] as readonly string[]
  return [
    `## ${tool.name}`,
    tool.description,
    table(
      ['Argument', 'Form', 'Meaning'],
      Object.entries(input['properties'] as Properties).map(([name, property]) => [
        code(name),
        formOf(property, required.includes(name)),
        property.description ?? '',
      ]),
    ),
    table(
      ['Result', 'Form', 'Meaning'],
      Object.entries(resultSchema(tool)['properties'] as Properties).map(([name, property]) => [
        code(name),
        formOf(property, false),
        property.description ?? '',
      ]),
    ),
  ]
}

const formOf = (property: Property, required: boolean): string =>
  [
    property.enum
      ? property.enum.map(code).join(', ')
      : `${[property.type ?? 'any'].flat().join(' or ')}${
          property.minimum === undefined ? '' : `, ${property.minimum} to ${property.maximum}`
        }`,
    ...(required ? ['required'] : []),
    ...(property.default === undefined ? [] : [`${code(String(property.default))} unless said`]),
  ].join('; ')
