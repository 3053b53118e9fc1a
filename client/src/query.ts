export interface Query {
  readonly [name: string]: string | number | boolean | readonly (string | number)[] | undefined
}

/**
 * A query string with its `?`. Omits undefined values and empty lists. Rejects null: omitting it
 * would return more records than the caller meant.
 */
export const queryString = (query: Query): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (value === null) {
      throw new TypeError(`${name} is null. Leave it out, or set the value to filter by.`)
    }
    const text = Array.isArray(value) ? value.join(',') : String(value)
    if (text !== '' || !Array.isArray(value)) parameters.append(name, text)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** Encodes one path segment. Rejects values that would lead to another path. */
export const segment = (name: string, value: string): string => {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
    throw new TypeError(
      `${name} must be a non-empty string other than . and ..; it is ${String(value)}.`,
    )
  }
  return encodeURIComponent(value)
}
