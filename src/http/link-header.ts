import type { ListParameters } from '#request'

/**
 * The next page as an origin-relative URL (RFC 8288). It repeats the request's filters, limit and
 * include; everything is percent-encoded, so that no value can end the header or the address.
 */
export const linkHeader = (
  path: string,
  { filters, limit, include }: ListParameters,
  cursor: string,
): string => {
  const pairs = [
    ...[...filters].map(([name, value]) => [name, String(value)] as const),
    ['limit', String(limit)] as const,
    ...(include.length > 0
      ? [['include', include.map(({ name }) => name).join(',')] as const]
      : []),
    ['cursor', cursor] as const,
  ]
  const query = pairs.map(([name, value]) => `${name}=${encode(value)}`).join('&')
  return `<${path}?${query}>; rel="next"`
}

/** Cursors, numbers and most values have nothing to encode. */
const plain = /^[\w.~-]*$/

const encode = (value: string): string =>
  plain.test(value)
    ? value
    : encodeURIComponent(value).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
