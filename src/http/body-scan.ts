import { ApiError, ingestLimits } from '#contract'

/** Scans a body as it arrives; rejects one that is nested too deeply or has too many items. */
export interface BodyScan {
  /** Scans bytes and rewrites them in place. */
  write(bytes: Buffer): void
  /** Call after the last bytes; returns the number of items. */
  end(): number
}

const newline = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const tab = 0x09
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The bytes that change the nesting, or end a line. All others are passed quickly. */
const marks = new Uint8Array(256)
for (const byte of [newline, quote, backslash]) marks[byte] = 1
for (const byte of [openBracket, closeBracket, openBrace, closeBrace]) marks[byte] = 1

/** Tracks nested objects and arrays, outside of strings. */
class Nesting {
  depth = 0
  isText = false
  #isEscaped = false

  /**
   * Consumes bytes up to and including a line end, the end of the outermost value, or the beginning
   * of one that is nested too deeply. Returns the place after them.
   */
  follow(bytes: Buffer, from: number): number {
    let { depth, isText } = this
    let at = this.#isEscaped && bytes[from] !== newline ? from + 1 : from
    this.#isEscaped = false
    while (at < bytes.length) {
      const byte = bytes[at] as number
      at += 1
      if (marks[byte] === 0) continue
      if (byte === newline) break
      if (byte === quote) isText = !isText
      else if (isText) {
        if (byte !== backslash) continue
        if (at === bytes.length) this.#isEscaped = true
        else if (bytes[at] !== newline) at += 1
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1
        if (depth > ingestLimits.depth) break
      } else if (byte !== backslash) {
        depth -= 1
        if (depth === 0) break
      }
    }
    this.depth = depth
    this.isText = isText
    return at
  }

  reset(): void {
    this.depth = 0
    this.isText = false
    this.#isEscaped = false
  }
}

/** Scans JSON lines: one item per line, blank lines ignored. */
export const scanLines = (): BodyScan => {
  const nesting = new Nesting()
  let line = 1
  let items = 0
  let isBlank = true
  return {
    write: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        const byte = bytes[at] as number
        if (isBlank && byte !== newline) {
          if (isWhitespace(byte)) {
            at += 1
            continue
          }
          isBlank = false
          items += 1
          if (items > ingestLimits.items) throw tooManyItems()
        }
        at = nesting.follow(bytes, at)
        if (nesting.depth > ingestLimits.depth) throw tooDeep(` on line ${line}`)
        if (bytes[at - 1] === newline) {
          nesting.reset()
          isBlank = true
          line += 1
        }
      }
    },
    end: () => items,
  }
}

/**
 * Scans one JSON value, or an array of them, and turns them into lines: an array loses its
 * brackets, and the commas between its values become line ends. Line ends within a value become
 * spaces.
 */
export const scanValues = (): BodyScan => {
  const nesting = new Nesting()
  let items = 0
  let isArray: boolean | null = null
  /** Whether the next byte that is not whitespace begins a value. */
  let isNext = true
  let isOver = false
  /** Consumes a byte outside of all values; returns whether it begins one. */
  const begins = (bytes: Buffer, at: number): boolean => {
    const byte = bytes[at] as number
    if (isWhitespace(byte)) {
      if (byte === newline) bytes[at] = space
      return false
    }
    if (isOver) throw notObjects()
    if (isArray === null && byte === openBracket) {
      isArray = true
      bytes[at] = space
      return false
    }
    isArray ??= false
    if (isArray && byte === closeBracket && (!isNext || items === 0)) {
      isOver = true
      bytes[at] = space
      return false
    }
    if (isArray && byte === comma && !isNext) {
      bytes[at] = newline
      isNext = true
      return false
    }
    if (!isNext || byte !== openBrace) throw notObjects()
    isNext = false
    items += 1
    if (items > ingestLimits.items) throw tooManyItems()
    return true
  }
  return {
    write: (bytes) => {
      let at = 0
      while (at < bytes.length) {
        if (nesting.depth === 0 && !begins(bytes, at)) {
          at += 1
          continue
        }
        at = nesting.follow(bytes, at)
        if (nesting.depth > ingestLimits.depth) throw tooDeep('')
        if (nesting.depth === 0 && isArray === false) isOver = true
        if (bytes[at - 1] !== newline) continue
        if (nesting.isText) throw lineEndInText(items)
        bytes[at - 1] = space
      }
    },
    end: () => {
      if (isArray !== null && !isOver) throw notObjects()
      return items
    },
  }
}

const isWhitespace = (byte: number): boolean =>
  byte === space || byte === newline || byte === carriageReturn || byte === tab

const tooDeep = (where: string): ApiError =>
  new ApiError(
    'malformed_request',
    `The body has more than ${ingestLimits.depth} objects and arrays within each other${where}.`,
  )

const tooManyItems = (): ApiError =>
  new ApiError(
    'body_too_large',
    `A batch has at most ${ingestLimits.items.toLocaleString('en')} items. Send the others in further batches.`,
  )

const lineEndInText = (item: number): ApiError =>
  new ApiError(
    'malformed_request',
    `A string in value ${item} of the body contains a line end. Write it as \\n.`,
  )

const notObjects = (): ApiError =>
  new ApiError(
    'malformed_request',
    'The body must be one JSON object or one array of JSON objects.',
  )
