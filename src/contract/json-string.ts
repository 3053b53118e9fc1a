/**
 * The index after the JSON string that starts with the quote at `start`; the length of the text if
 * the string is not closed.
 */
export const jsonStringEnd = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end + 1
}

const backslash = 0x5c

/** A quote is part of the string if an odd number of backslashes precedes it. */
const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first -= 1
  return (at - first) % 2 === 1
}
