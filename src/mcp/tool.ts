import type { GroupScope, JsonValue, Schema } from '#contract'
import type { Arguments, ArgumentValues } from './arguments.ts'
import type { Reader } from './reader.ts'

/** The caller of a tool, and the brands that it may read. */
export interface Caller {
  /** The groups that it may read. */
  readonly scope: GroupScope
  brands(): Promise<readonly string[]>
  /** Opens a brand for reading; without a name, the only brand. Throws if it cannot be read. */
  open(brand: string | undefined): Promise<Reader>
}

/** A complete call of a tool. */
export type Call = { readonly tool: string; readonly arguments: { [name: string]: JsonValue } }

/** The result of a tool. The summary states the total, the truncation and how to get the rest. */
export interface Result {
  readonly summary: string
  /** The call that continues from here; null if nothing is left. */
  readonly next: Call | null
  readonly [name: string]: unknown
}

/** A tool: its arguments, its result, and its function. No tool writes. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: Arguments
  /** The properties of its result, besides `summary` and `next`. */
  readonly results: { readonly [name: string]: Schema }
  /** The optional ones of these. */
  readonly optional?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: the values have the type of the tool's own arguments
  run(args: any, caller: Caller): Promise<Result>
}

/** Derives the type of the argument values from the definition. */
export const tool = <const A extends Arguments>(
  definition: Omit<Tool, 'arguments' | 'run'> & {
    readonly arguments: A
    run(args: ArgumentValues<A>, caller: Caller): Promise<Result>
  },
): Tool => definition

/** A call of a tool, without undefined arguments. */
export const callOf = (
  name: string,
  args: { readonly [argument: string]: JsonValue | undefined },
): Call => ({
  tool: name,
  arguments: Object.fromEntries(
    Object.entries(args).flatMap(([argument, value]) =>
      value === undefined ? [] : [[argument, value]],
    ),
  ),
})

/** A call as text. The result has a long call as data, and the text does not repeat it. */
export const callText = ({ tool: name, arguments: args }: Call): string => {
  const text = JSON.stringify(args)
  return text.length > callTextMax ? `${name} with the arguments in this result` : `${name} ${text}`
}

const callTextMax = 600

export const callSchema: Schema = {
  type: ['object', 'null'],
  description:
    'The call that continues from here, ready to be made; null if nothing is left or no call continues.',
  required: ['tool', 'arguments'],
  properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
}

/** The JSON Schema of a tool's results. */
export const resultSchema = ({ results, optional = [] }: Tool): Schema => ({
  type: 'object',
  properties: {
    summary: {
      type: 'string',
      description: 'How much there is, what was truncated, and how to get the rest.',
    },
    ...results,
    next: callSchema,
  },
  required: ['summary', ...Object.keys(results).filter((name) => !optional.includes(name)), 'next'],
  additionalProperties: false,
})
