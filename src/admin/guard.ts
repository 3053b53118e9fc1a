import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Config } from '#config'
import { ApiError } from '#contract'

type Address = Pick<Config, 'adminHost' | 'adminUrl'>

/**
 * Refuses a request for another host than the page's own. A name that somebody else can make point
 * to this machine (DNS rebinding) would give pages under that name access to this one. Only the
 * machine itself can answer for an IP address or `localhost`, whose port may be that of a tunnel.
 */
export const checkHost = ({ adminHost, adminUrl }: Address, request: IncomingMessage): void => {
  const host = request.headers.host ?? ''
  const url = `${adminUrl === null ? 'http:' : new URL(adminUrl).protocol}//${host}`
  if (/^[\w.:[\]-]+$/.test(host) && URL.canParse(url)) {
    const { hostname, host: requestHost } = new URL(url)
    if (
      adminUrl !== null ? requestHost === new URL(adminUrl).host : isOwnName(hostname, adminHost)
    ) {
      return
    }
  }
  throw new ApiError(
    'forbidden_host',
    adminUrl === null
      ? 'The Host header must have an IP address, localhost or the name in ADMIN_HOST. Behind a proxy, set ADMIN_URL.'
      : `The Host header must be that of ADMIN_URL. A proxy must pass it on.`,
  )
}

const isOwnName = (hostname: string, adminHost: string): boolean =>
  hostname === 'localhost' ||
  hostname === adminHost.toLowerCase() ||
  isIP(hostname.replace(/^\[(.*)\]$/, '$1')) > 0

/** Refuses a call that a page of another origin makes. Changes must name their origin. */
export const checkOrigin = ({ adminUrl }: Address, request: IncomingMessage): void => {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isChange = request.method !== 'GET' && request.method !== 'HEAD'
  // `none`: typed into the address bar, or a bookmark.
  const isOwnSite = site === undefined || site === 'same-origin' || (site === 'none' && !isChange)
  const expected = adminUrl ?? `http://${host}`
  const isOwnOrigin = origin === undefined ? !isChange : origin === expected
  if (isOwnSite && isOwnOrigin) return
  throw new ApiError(
    'forbidden_origin',
    `Only the operator page itself may do this: the Origin header must be ${expected}.`,
  )
}
