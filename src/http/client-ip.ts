import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createAddressList } from '#keys'

/** Finds the IP address of a request's client. */
export type ClientAddress = (request: IncomingMessage) => string

/** Identifies a client for limits: its address, or its network for IPv6. */
export type ClientIp = (request: IncomingMessage) => string

/**
 * Finds the client of a request: the nearest address that is not a trusted proxy, from the
 * connection backwards through X-Forwarded-For. Entries further back may come from the client and
 * are not trusted.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const find = createFinder(trustedProxies)
  /** Consecutive requests often come from the same client, and every request is asked for. */
  let last = { remote: '', forwarded: '', client: '' }
  return ({ socket, rawHeaders }) => {
    const remote = socket.remoteAddress ?? ''
    const forwarded = trustedProxies.length === 0 ? '' : forwardedIn(rawHeaders)
    if (remote !== last.remote || forwarded !== last.forwarded) {
      last = { remote, forwarded, client: find(remote, forwarded) }
    }
    return last.client
  }
}

export const createClientIp = (clientAddress: ClientAddress): ClientIp => {
  let last = { address: '', network: '' }
  return (request) => {
    const address = clientAddress(request)
    if (address !== last.address) last = { address, network: networkOf(address) }
    return last.network
  }
}

/** The X-Forwarded-For headers, joined. Node's object of all headers costs far more. */
const forwardedIn = (rawHeaders: readonly string[]): string => {
  let forwarded = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length !== headerName.length || name.toLowerCase() !== headerName) continue
    const value = rawHeaders[index + 1] ?? ''
    forwarded = forwarded === '' ? value : `${forwarded},${value}`
  }
  return forwarded
}

const headerName = 'x-forwarded-for'

/** Finds a client from the address of its connection and X-Forwarded-For. */
const createFinder = (
  trustedProxies: readonly string[],
): ((remote: string, forwarded: string) => string) => {
  if (trustedProxies.length === 0) return bare
  const trusted = createAddressList(trustedProxies)
  return (remote, forwarded) => {
    const hops = forwarded.split(',')
    let client = bare(remote)
    for (let hop = hops.length - 1; hop >= 0 && trusted.has(client); hop -= 1) {
      const next = bare(hops[hop] ?? '')
      if (next === '') break
      client = next
    }
    return client
  }
}

/** Strips port, brackets and zone from an address; unwraps an IPv4-mapped IPv6 address. */
const bare = (text: string): string => {
  const trimmed = text.trim().slice(0, lengthMax)
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3})(?::\d+)?)$/.exec(trimmed) ?? []
  const address = (bracketed ?? dotted ?? trimmed).replace(/%.*$/, '')
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address
}

/** Longer than any address with its zone and port. */
const lengthMax = 100

/** A client usually has a whole IPv6 /64 and can send from any address in it. */
const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // The last 32 bits may be written as IPv4, which is two groups.
  const written = groups.length + after.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - written }, () => '0')
  const network = [...groups, ...zeros, ...after].slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
