import { ConfigError, type Environment } from './config.ts'

/**
 * Replaces each `${NAME}` in a text with the environment variable. Throws a `ConfigError` for a
 * missing one.
 */
export const expandVariables = (
  text: string,
  what: string,
  environment: Environment = process.env,
): string =>
  text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const value = environment[name]
    if (value) return value
    throw new ConfigError([`${name} is not set; ${what} uses it.`])
  })
