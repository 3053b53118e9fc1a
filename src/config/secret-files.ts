import { readFileSync, statSync } from 'node:fs'
import type { Environment } from './config.ts'
import { InvalidSettingError } from './values.ts'

/** The variable that names the file of a secret: `REDIS_URL_FILE` for `REDIS_URL`. */
export const fileVariable = (name: string): string => `${name}_FILE`

/** A secret is a line of text; anything longer is another file by mistake. */
const bytesMax = 65_536

/**
 * The value of a secret, or the content of the file that its `_FILE` variable names, without the line
 * break at its end. An empty `_FILE` variable counts as not set. Throws an `InvalidSettingError`
 * without any of the content.
 */
export const readSecret = (name: string, environment: Environment): string | undefined => {
  const file = environment[fileVariable(name)]
  const value = environment[name]
  if (!file) return value
  if (value) throw new InvalidSettingError(`and ${fileVariable(name)} are both set; remove one`)
  try {
    const text = readText(file).replace(/[\r\n]+$/, '')
    // A server without Redis, for example, would work, and not as it was meant.
    if (text === '') throw new InvalidSettingError(`cannot be read from ${file}: it is empty`)
    return text
  } catch (error) {
    if (error instanceof InvalidSettingError) throw error
    throw new InvalidSettingError(
      `cannot be read from ${file}, which ${fileVariable(name)} names (${(error as NodeJS.ErrnoException).code})`,
    )
  }
}

/** Every process reads it again, so it cannot be a pipe. */
const readText = (file: string): string => {
  const stats = statSync(file)
  if (!stats.isFile() || stats.size > bytesMax) {
    throw new InvalidSettingError(`cannot be read from ${file}: it is not a file of at most 64 KiB`)
  }
  return readFileSync(file, 'utf8')
}
