import pg from 'pg'

/** Converts the content of an `errorResponse` message to the driver's error. */
export const readServerError = (bytes: Buffer, start: number, end: number): pg.DatabaseError => {
  const fields = new Map<string, string>()
  for (let at = start; at < end && bytes[at] !== 0; ) {
    const valueEnd = bytes.indexOf(0, at)
    fields.set(String.fromCharCode(bytes[at] as number), bytes.toString('utf8', at + 1, valueEnd))
    at = valueEnd + 1
  }
  const error = new pg.DatabaseError(fields.get('M') ?? '', end - start, 'error')
  error.severity = fields.get('S')
  error.code = fields.get('C')
  error.detail = fields.get('D')
  error.hint = fields.get('H')
  return error
}
