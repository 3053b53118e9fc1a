import { ConfigError, type Environment } from './config.ts'

/** A text with the values of environment variables in place of `${NAME}`. Throws a `ConfigError`. */
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
