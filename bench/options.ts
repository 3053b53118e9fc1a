import * as from from '../tools/options.ts'
import { machine, resultsFolder } from './results.ts'
import type { Engine } from './targets.ts'

/** An option of a benchmark: its default, and the parser of its text. */
interface Option<Value> {
  readonly initial: string | boolean
  readonly read: (name: string, text: string) => Value
}

export const whole = (initial: number, least: number, most: number): Option<number> => ({
  initial: String(initial),
  read: (name, text) => from.whole(name, text, least, most),
})

export const rounds = (initial: number): Option<number> => whole(initial, 1, 100)

export const seconds = (initial: number): Option<number> => ({
  initial: String(initial),
  read: from.seconds,
})

export const word = <Word extends string>(initial: Word, words: readonly Word[]): Option<Word> => ({
  initial,
  read: (name, text) => from.oneOf(`--${name}`, text, words),
})

export const engine = (): Option<Engine> => word('sqlite', ['sqlite', 'postgres'])

export const flag = (): Option<boolean> => ({
  initial: false,
  read: (_, value) => value === 'true',
})

export const text = (initial: string): Option<string> => ({ initial, read: (_, value) => value })

/** The output of a result and its machine. Every benchmark has these options. */
export interface Output {
  readonly json: boolean
  readonly out: string
  readonly machine: ReturnType<typeof machine>
}

/** Parses the options of a benchmark. */
export const readBenchOptions = <Values extends object>(
  args: readonly string[],
  options: { readonly [Name in keyof Values]: Option<Values[Name]> },
): Values & Output => {
  const named = Object.entries<Option<unknown>>(options)
  const { json, out, ...texts } = from.readOptions(args, {
    ...Object.fromEntries(
      named.map(([name, { initial }]) => [
        name,
        { type: typeof initial === 'boolean' ? 'boolean' : 'string', default: initial } as const,
      ]),
    ),
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: resultsFolder },
  })
  const values = named.map(([name, { read }]) => [
    name,
    read(name, String((texts as { readonly [name: string]: unknown })[name])),
  ])
  return { ...Object.fromEntries(values), json, out, machine: machine() }
}
