import { BlockList, isIP } from 'node:net'
import { basePath } from '#contract'
import { PullRefused } from './refusal.ts'

/** Where a Selvedge is asked for one brand. */
export interface Address {
  /** As it is kept and shown: without the paths that are ours. */
  readonly origin: string
  /** `…/api/public/v1/brands/aldermoor` */
  readonly brandUrl: string
  /** `…/api/feed/v1/brands/aldermoor/changes` */
  readonly feedUrl: string
}

const feedPath = '/api/feed/v1'

/** Reads the address of a Selvedge for one brand: its own, that of the API or that of the brand. */
export const readAddress = (text: string, brand: string, allowsHttp: boolean): Address => {
  const { origin, rest } = splitAddress(text, allowsHttp)
  if (rest !== '' && rest !== `/brands/${brand}`) {
    throw new PullRefused(`The address ends with ${rest}, which is not the brand ${brand}.`)
  }
  return {
    origin,
    brandUrl: `${origin}${basePath}/brands/${brand}`,
    feedUrl: `${origin}${feedPath}/brands/${brand}/changes`,
  }
}

/** Reads the address of a Selvedge or of its API, without a slash at the end. */
export const readOrigin = (text: string, allowsHttp: boolean): string => {
  const { origin, rest } = splitAddress(text, allowsHttp)
  if (rest === '') return origin
  throw new PullRefused(`The address ends with ${rest}. Leave that out.`)
}

/**
 * The address of a server, and what follows the path of the API. A key is a password, so plain HTTP
 * is accepted for this machine alone.
 */
const splitAddress = (
  text: string,
  allowsHttp: boolean,
): { readonly origin: string; readonly rest: string } => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new PullRefused(`${text} is no address such as https://records.example.com.`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new PullRefused(
      'The address has a name, a password, a query or a fragment. Leave it out.',
    )
  }
  if (url.protocol === 'http:' && !allowsHttp && !isThisMachine(url.hostname)) {
    throw new PullRefused(
      `${url.origin} is plain HTTP: everybody on the way could read the key. Use https, or --allow-http where the network is yours.`,
    )
  }
  const [prefix = '', rest = ''] = url.pathname.replace(/\/+$/, '').split(basePath)
  return { origin: url.origin + prefix, rest }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

const isThisMachine = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost')
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}
