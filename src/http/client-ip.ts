import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Identifies a client for limits: its address, or its network for IPv6. */
export type ClientIp = (request: IncomingMessage) => string

/**
 * Finds the client of a request: the nearest address that is not a trusted proxy, from the
 * connection backwards through X-Forwarded-For. Entries further back may come from the client and
 * are not trusted.
 */
export const createClientIp = (trustedProxies: readonly string[]): ClientIp => {
  if (trustedProxies.length === 0) return ({ socket }) => networkOf(socket.remoteAddress ?? '')
  const trusted = new BlockList()
  for (const each of trustedProxies) {
    const [address = '', bits] = each.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address: string): boolean => {
    const version = isIP(address)
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
  return ({ socket, headers }) => {
    const forwarded = headers['x-forwarded-for']
    const hops = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',')
    let client = bare(socket.remoteAddress ?? '')
    for (let hop = hops.length - 1; hop >= 0 && isTrusted(client); hop -= 1) {
      const next = bare(hops[hop] ?? '')
      if (next === '') break
      client = next
    }
    return networkOf(client)
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
const networkOf = (text: string): string => {
  const address = bare(text)
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
