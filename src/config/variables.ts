import { ConfigError, type Environment, settings } from './config.ts'

/**
 * A text, or the environment variable if it is exactly `${NAME}`. Variables within a text, and settings
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
  if (settings.some((setting) => setting.name === name)) {
    throw new ConfigError([`${name} is a setting of Selvedge; ${what} needs another variable.`])
  }
  const value = environment[name]
  if (value) return value
  throw new ConfigError([`${name} is not set; ${what} uses it.`])
}
