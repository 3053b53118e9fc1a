/** What a request can say after its `?`: values as a program has them. */
export interface Query {
  readonly [name: string]: string | number | readonly string[] | undefined
}

/**
 * A query as it is sent, with its `?`. What is undefined or an empty list is left out. Null is
 * refused: leaving it out would answer with more than was asked for.
 */
export const queryString = (query: Query): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (value === null) {
      throw new TypeError(`${name} is null; leave it out, or give the value to look for.`)
    }
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (text !== '' || !Array.isArray(value)) parameters.append(name, text)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** One part of a path. What would lead to another path is refused, not sent. */
export const segment = (what: string, value: string): string => {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${what} must be a text that names something; it is ${String(value)}.`)
  }
  return encodeURIComponent(value)
}
