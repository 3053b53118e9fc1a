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

/** Tracks nested objects and arrays, outside of strings. */
class Nesting {
  depth = 0
  isText = false
  #isEscaped = false

  /** Consumes one byte; returns whether it is part of a string. */
  follow(byte: number): boolean {
    if (this.isText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === backslash) this.#isEscaped = true
      else if (byte === quote) this.isText = false
      return true
    }
    if (byte === quote) this.isText = true
    else if (byte === openBrace || byte === openBracket) this.depth += 1
    else if (byte === closeBrace || byte === closeBracket) this.depth -= 1
    return this.isText
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
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] as number
        if (byte === newline) {
          nesting.reset()
          isBlank = true
          line += 1
          continue
        }
        if (isBlank && !isWhitespace(byte)) {
          isBlank = false
          items += 1
          if (items > ingestLimits.items) throw tooManyItems()
        }
        nesting.follow(byte)
        if (nesting.depth > ingestLimits.depth) throw tooDeep(` on line ${line}`)
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
  const begin = (bytes: Buffer, at: number, byte: number): boolean => {
    if (isArray === null && byte === openBracket) {
      isArray = true
      bytes[at] = space
      return false
    }
    isArray ??= false
    if (byte !== openBrace) throw notObjects()
    isNext = false
    items += 1
    if (items > ingestLimits.items) throw tooManyItems()
    return true
  }
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] as number
        if (!nesting.isText && isWhitespace(byte)) {
          if (byte === newline) bytes[at] = space
          continue
        }
        if (isOver) throw notObjects()
        if (nesting.depth === 0) {
          if (isArray && byte === closeBracket && (!isNext || items === 0)) {
            isOver = true
            bytes[at] = space
            continue
          }
          if (isNext) {
            if (!begin(bytes, at, byte)) continue
          } else if (isArray && byte === comma) {
            bytes[at] = newline
            isNext = true
            continue
          } else throw notObjects()
        }
        nesting.follow(byte)
        if (nesting.depth > ingestLimits.depth) throw tooDeep('')
        if (nesting.depth === 0 && isArray === false) isOver = true
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

const notObjects = (): ApiError =>
  new ApiError(
    'malformed_request',
    'The body must be one JSON object or one array of JSON objects.',
  )
