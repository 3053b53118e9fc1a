import type { JsonValue, Schema } from '#contract'
import type { Arguments, Given } from './arguments.ts'
import type { Reader } from './reader.ts'

/** Who calls a tool, and what they may read. */
export interface Caller {
  /** The brands that can be read. */
  brands(): Promise<readonly string[]>
  /** Opens a brand for reading; without a name the only one there is. Throws where that cannot be. */
  open(brand: string | undefined): Promise<Reader>
}

/** A call that can be made as it stands. */
export type Call = { readonly tool: string; readonly arguments: { [name: string]: JsonValue } }

/** What a tool answers. The summary says how much there is, what was cut, and how to get the rest. */
export interface Result {
  readonly summary: string
  /** The call that goes on from here; null when nothing is left. */
  readonly next: Call | null
  readonly [name: string]: unknown
}

/** A tool as data: what it is called with, what it answers, and how. None of them writes. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: Arguments
  /** The properties of its results, beside `summary` and `next`. */
  readonly results: { readonly [name: string]: Schema }
  /** Of these, the ones that are not always there. */
  readonly sometimes?: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: what is given has the type of its own arguments
  run(given: any, caller: Caller): Promise<Result>
}

/** Keeps a tool's arguments and what it is run with of one type. */
export const tool = <const A extends Arguments>(
  definition: Omit<Tool, 'arguments' | 'run'> & {
    readonly arguments: A
    run(given: Given<A>, caller: Caller): Promise<Result>
  },
): Tool => definition

/** The call of a tool, without what was not given. */
export const callOf = (
  name: string,
  given: { readonly [argument: string]: JsonValue | undefined },
): Call => ({
  tool: name,
  arguments: Object.fromEntries(
    Object.entries(given).flatMap(([argument, value]) =>
      value === undefined ? [] : [[argument, value]],
    ),
  ),
})

/** A call in words. */
export const inWords = ({ tool: name, arguments: given }: Call): string =>
  `${name} ${JSON.stringify(given)}`

export const callSchema: Schema = {
  type: ['object', 'null'],
  description:
    'The call that goes on from here, to be made as it stands; null when nothing is left.',
  required: ['tool', 'arguments'],
  properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
}

/** The JSON Schema of a tool's results. */
export const resultSchema = ({ results, sometimes = [] }: Tool): Schema => ({
  type: 'object',
  properties: {
    summary: {
      type: 'string',
      description: 'How much there is, what was cut, and how to get the rest, in sentences.',
    },
    ...results,
    next: callSchema,
  },
  required: [
    'summary',
    ...Object.keys(results).filter((name) => !sometimes.includes(name)),
    'next',
  ],
  additionalProperties: false,
})

/** `1 record`, `2 records`, `1,000 records`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
