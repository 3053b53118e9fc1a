import { OperatorError } from './error.ts'

/** A place in a list, as an opaque text. */
export const writeCursor = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of a cursor. Fails if it has another form: it was changed, or is of another list. */
export const readCursor = (cursor: string, length: number): readonly (string | number)[] => {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isPart = (part: unknown) => typeof part === 'string' || Number.isSafeInteger(part)
    if (Array.isArray(parts) && parts.length === length && parts.every(isPart)) return parts
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new OperatorError('invalid', 'The cursor is not valid. Load the list again.')
}
