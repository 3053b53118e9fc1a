import { basePath } from './generated/groups.ts'

/** The address of a server, in its parts. */
export interface ServerUrl {
  /** The server, with a path where it is below one, without a slash at the end. */
  readonly base: string
  /** What follows the path of the API; empty where nothing does. */
  readonly rest: string
}

/** Reads the address of a server, with or without the path of the API. Throws a `TypeError`. */
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
 * Whether a key can be read on its way to this address: plain HTTP is safe on the same machine
 * alone.
 */
export const isExposed = (text: string | URL): boolean => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !loopback.test(hostname)
}

/** `URL` writes every form of an IP address in one way: 127.1 is 127.0.0.1. */
const loopback =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/
