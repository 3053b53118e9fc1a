import { ConfigError, type Environment, settings } from './config.ts'
import { fileVariable, readSecret } from './secret-files.ts'
import { InvalidSettingError } from './values.ts'

/**
 * A text, or the environment variable if it is exactly `${NAME}`, or the content of the file that
 * `NAME_FILE` names. Variables within a text, and settings
 * of Selvedge, are refused: a file of somebody else could send any of them to any server. Throws a
 * `ConfigError`.
 */
export const expandVariable = (
  text: string,
  what: string,
  environment: Environment = process.env,
): string => {
  if (!text.includes('${')) return text
  const [, name] = /^\$\{([A-Za-z_]\w*)\}$/.exec(text) ?? []
  if (name === undefined) {
    throw new ConfigError([
      `${what} has a variable within a text. Put the whole address into one variable, such as \${SOURCE_URL}.`,
    ])
  }
  if (settings.some((setting) => setting.name === name || fileVariable(setting.name) === name)) {
    throw new ConfigError([`${name} is a setting of Selvedge; ${what} needs another variable.`])
  }
  const value = variableOf(name, environment)
  if (value) return value
  throw new ConfigError([`${name} is not set; ${what} uses it.`])
}

const variableOf = (name: string, environment: Environment): string | undefined => {
  try {
    return readSecret(name, environment)
  } catch (error) {
    if (!(error instanceof InvalidSettingError)) throw error
    throw new ConfigError([`${name} ${error.message}.`])
  }
}
