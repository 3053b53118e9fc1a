import { isExposed, parseServerUrl, type ServerUrl } from '#client'
import { basePath } from '#contract'
import { PullError } from './pull-error.ts'

/** The URLs of one brand on a server. */
export interface BrandAddress {
  /** The server, as stored and shown: without the paths of the API. */
  readonly origin: string
  /** `…/api/public/v1/brands/aldermoor` */
  readonly brandUrl: string
  /** `…/api/feed/v1/brands/aldermoor/changes` */
  readonly feedUrl: string
}

const feedPath = '/api/feed/v1'

/** Parses the URL of a server, of its API or of the brand, for one brand. */
export const parseBrandAddress = (
  text: string,
  brand: string,
  allowHttp: boolean,
): BrandAddress => {
  const { base, rest } = parseAddress(text, allowHttp)
  if (rest !== '' && rest !== `/brands/${brand}`) {
    throw new PullError(`The address ends with ${rest}, which is not the brand ${brand}.`)
  }
  return {
    origin: base,
    brandUrl: `${base}${basePath}/brands/${brand}`,
    feedUrl: `${base}${feedPath}/brands/${brand}/changes`,
  }
}

/** Parses the URL of a server or of its API, without a trailing slash. */
export const parseServerAddress = (text: string, allowHttp: boolean): string => {
  const { base, rest } = parseAddress(text, allowHttp)
  if (rest === '') return base
  throw new PullError(`The address ends with ${rest}. Leave that out.`)
}

/** A key is a password, so plain HTTP is accepted only for this machine by default. */
const parseAddress = (text: string, allowHttp: boolean): ServerUrl => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new PullError(`"${text}" is not an address such as https://records.example.com.`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new PullError(
      'The address has a user name, a password, a query or a fragment. Leave it out.',
    )
  }
  if (!allowHttp && isExposed(url)) {
    throw new PullError(
      `${url.origin} is plain HTTP, which would expose the key to everyone on the network path. Use https, or --allow-http on a network that you trust.`,
    )
  }
  return parseServerUrl(url)
}
