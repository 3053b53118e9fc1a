import { basePath } from './generated/groups.ts'

/** The parsed URL of a server. */
export interface ServerUrl {
  /** The origin and path prefix of the server, without a trailing slash. */
  readonly base: string
  /** The part after the path of the API; may be empty. */
  readonly rest: string
}

/** Parses the URL of a server, with or without the path of the API. Throws a `TypeError`. */
export const parseServerUrl = (text: string | URL): ServerUrl => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new TypeError(
      `url must be a complete address, such as https://records.example; it is '${text}'.`,
    )
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError(`url must be http or https; it is '${text}'.`)
  }
  const path = url.pathname.replace(/\/+$/, '')
  const at = path.lastIndexOf(basePath)
  return at === -1
    ? { base: url.origin + path, rest: '' }
    : { base: url.origin + path.slice(0, at), rest: path.slice(at + basePath.length) }
}

/**
 * Whether others could read a key sent to this URL. Plain HTTP is safe only on the same machine.
 */
export const isExposed = (text: string | URL): boolean => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !loopback.test(hostname)
}

/** `URL` normalizes IP addresses: 127.1 becomes 127.0.0.1. */
const loopback =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/
