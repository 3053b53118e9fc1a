import type { Environment } from './config.ts'

/**
 * The variables that another program gets. The settings of Selvedge have secrets, so they are not among
 * them.
 */
export const programEnvironment = (
  environment: Environment = process.env,
): { readonly [name in (typeof names)[number]]?: string } =>
  Object.fromEntries(
    names.flatMap((name) =>
      environment[name] === undefined ? [] : [[name, environment[name]] as const],
    ),
  )

const names = ['PATH', 'HOME', 'NODE_EXTRA_CA_CERTS'] as const
