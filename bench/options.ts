import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** A command that cannot be followed, told as a sentence. */
export class Refused extends Error {}

/** Reads options, and refuses unknown ones and lone words. */
export const readOptions = <Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) => {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split(/\.? To specify/)
    const known = Object.keys(options).map((name) => `--${name}`)
    throw new Refused(`${sentence}. The options are ${known.join(', ')}.`)
  }
}

/** A whole number from a text such as 1000000 or 1_000_000. */
export const whole = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text.replaceAll('_', ''))
  if (/^\d[\d_]*$/.test(text) && value >= least && value <= most) return value
  throw new Refused(
    `--${name} must be a whole number from ${figure(least)} to ${figure(most)}, not ${text}.`,
  )
}

export const seconds = (name: string, text: string): number => {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.1 && value <= 600) return value
  throw new Refused(`--${name} must be a number of seconds from 0.1 to 600, not ${text}.`)
}

export const oneOf = <Word extends string>(
  name: string,
  text: string,
  words: readonly Word[],
): Word => {
  const found = words.find((word) => word === text)
  if (found) return found
  throw new Refused(`--${name} must be one of ${words.join(', ')}, not ${text}.`)
}

/** Runs a bench: refusals are sentences and end with 2, what it returns is how it ends. */
export const runBench = async (
  bench: (args: readonly string[]) => Promise<number>,
): Promise<void> => {
  try {
    process.exitCode = await bench(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

export const figure = (value: number): string => value.toLocaleString('en')
