import { BlockList, isIP } from 'node:net'

/** IP addresses and networks. */
export interface AddressList {
  /** Whether an address is one of them, or in one of the networks. False for any other text. */
  has(address: string): boolean
}

/** A list of addresses such as `192.0.2.7` and networks such as `2001:db8::/32`. */
export const createAddressList = (addresses: readonly string[]): AddressList => {
  const list = new BlockList()
  for (const each of addresses) {
    const [address = '', bits] = each.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return {
    has: (address) => {
      const version = isIP(address)
      return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** The beginning of the IPv6 addresses that IPv4 addresses are mapped to. */
const mapped = { prefix: 0xffffn, bits: 96 } as const

interface Network {
  readonly version: 4 | 6
  readonly value: bigint
  readonly bits: number
}

/**
 * The canonical form of an address or network: lower case, IPv6 shortened, IPv4 for an IPv4 address
 * that is mapped to IPv6, and no length for a single address. Throws a RangeError with the reason if
 * it is neither.
 */
export const canonicalAddress = (text: string): string => {
  const network = unmapped(parse(text))
  const { version, value, bits } = network
  const size = sizeOf(version)
  const rest = BigInt(size - bits)
  const start = (value >> rest) << rest
  if (bits === 0) {
    throw new RangeError(`${text} is every address. Leave the limit out instead.`)
  }
  const canonical = textOf(version, start) + (bits === size ? '' : `/${bits}`)
  if (start !== value) {
    throw new RangeError(
      `${text} is an address inside a network. Use ${canonical} for the network, or ${textOf(version, value)} for the address.`,
    )
  }
  return canonical
}

const parse = (text: string): Network => {
  const [address = '', length, ...more] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  const size = sizeOf(version)
  const bits = length === undefined ? size : Number(length)
  if (version === 0 || more.length > 0) {
    throw new RangeError(
      `${text} is not an IP address or network such as 203.0.113.0/24 or 2001:db8::/32.`,
    )
  }
  if (length !== undefined && (!/^(0|[1-9]\d*)$/.test(length) || bits > size)) {
    throw new RangeError(`${text} has no length from 1 to ${size} after the slash.`)
  }
  return { version: version as 4 | 6, value: numberOf(version, address), bits }
}

const sizeOf = (version: number): number => (version === 4 ? 32 : 128)

const numberOf = (version: number, address: string): bigint => {
  if (version === 4) {
    return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
  }
  // A URL has it in hexadecimal, even where the last 32 bits are written as IPv4.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const before = groupsIn(head)
  const after = groupsIn(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce(
    (value, group) => (value << 16n) | BigInt(`0x${group}`),
    0n,
  )
}

const groupsIn = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))

const unmapped = (network: Network): Network => {
  const { value, bits } = network
  // An IPv4 address has fewer bits.
  if (bits < mapped.bits || value >> 32n !== mapped.prefix) return network
  return { version: 4, value: value & 0xffff_ffffn, bits: bits - mapped.bits }
}

const textOf = (version: 4 | 6, value: bigint): string => {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
