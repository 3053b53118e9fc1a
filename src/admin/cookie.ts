import { hash } from 'node:crypto'
import type { Config } from '#config'
import { sessionHours } from './sessions.ts'

interface CookieParts {
  readonly config: Pick<Config, 'adminUrl'>
  /** The database's secret. */
  readonly secret: string
}

const isSecure = ({ config }: CookieParts): boolean =>
  config.adminUrl?.startsWith('https:') ?? false

/** Browsers share cookies between ports, so that each installation on a machine has its own. */
const nameOf = (parts: CookieParts): string => {
  const installation = hash('sha256', `operator cookie ${parts.secret}`, 'hex').slice(0, 8)
  return `${isSecure(parts) ? '__Host-' : ''}selvedge-operator-${installation}`
}

const attributesOf = (parts: CookieParts, maxAgeSeconds: number): string =>
  [
    ...['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`],
    ...(isSecure(parts) ? ['Secure'] : []),
  ].join('; ')

export const cookieOf = (parts: CookieParts, value: string): string =>
  `${nameOf(parts)}=${value}; ${attributesOf(parts, sessionHours * 3_600)}`

/** Makes the browser forget the cookie. */
export const endedCookieOf = (parts: CookieParts): string =>
  `${nameOf(parts)}=; ${attributesOf(parts, 0)}`

/** The value of the cookie in a request; null if it has none. */
export const cookieIn = (parts: CookieParts, header: string | undefined): string | null => {
  const prefix = `${nameOf(parts)}=`
  const pairs = header?.split(';').map((each) => each.trim())
  return pairs?.find((each) => each.startsWith(prefix))?.slice(prefix.length) ?? null
}
