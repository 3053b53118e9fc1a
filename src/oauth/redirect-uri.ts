/** Redirect URIs are printable, so that a header can contain them. */
const printable = /^[!-~]{1,500}$/

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether a URL belongs to a program on the person's machine (RFC 8252, 7.3). */
export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopbackHosts.has(hostname)

/** The problem with a redirect URI; undefined if it can be registered. */
export const redirectUriProblem = (text: unknown): string | undefined => {
  if (typeof text !== 'string' || !printable.test(text) || !URL.canParse(text)) {
    return 'is not a URL of at most 500 printable characters'
  }
  const url = new URL(text)
  if (text.includes('#')) return 'has a fragment'
  if (url.username !== '' || url.password !== '') return 'has a user name or password'
  if (url.protocol === 'https:' || isLoopback(url)) return undefined
  return 'must use https, or http with 127.0.0.1, [::1] or localhost'
}

/**
 * Whether a requested URI matches a registered one: exactly, except that a program on the person's
 * machine may use any port (RFC 8252, 7.3).
 */
export const matchesRedirectUri = (registered: string, requested: string): boolean => {
  if (registered === requested) return true
  if (redirectUriProblem(requested) !== undefined || !isLoopback(new URL(registered))) return false
  return withoutPort(registered) === withoutPort(requested)
}

const withoutPort = (uri: string): string =>
  uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/, '$1')

/** Adds the parameters of a response to a redirect URI, and keeps its query. */
export const withParameters = (
  uri: string,
  parameters: { readonly [name: string]: string | undefined },
): string => {
  const present = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(present)}`
}
