import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Invalid arguments, or a missing requirement of the command. */
export class UsageError extends Error {}

/** Parses options. Rejects unknown options and positional arguments. */
export const readOptions = <Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) => {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split(/\.? To specify/)
    const names = Object.keys(options).map((name) => `--${name}`)
    throw new UsageError(`${sentence}. The options are ${names.join(', ')}.`)
  }
}

/** Parses an integer such as 1000000 or 1_000_000. */
export const whole = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text.replaceAll('_', ''))
  if (/^\d[\d_]*$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(
    `--${name} must be a whole number from ${formatCount(least)} to ${formatCount(most)}, not ${text}.`,
  )
}

export const seconds = (name: string, text: string): number => {
  const value = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && value >= 0.1 && value <= 600) return value
  throw new UsageError(`--${name} must be a number of seconds from 0.1 to 600, not ${text}.`)
}

export const oneOf = <Word extends string>(
  name: string,
  text: string,
  words: readonly Word[],
): Word => {
  const match = words.find((word) => word === text)
  if (match) return match
  throw new UsageError(`${name} must be one of ${words.join(', ')}, not ${text}.`)
}

/** Runs a command, which returns its exit code. Prints usage errors and exits with 2. */
export const runCommand = async (
  command: (args: readonly string[]) => Promise<number>,
): Promise<void> => {
  try {
    process.exitCode = await command(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

export const formatCount = (value: number): string => value.toLocaleString('en')
