/**
 * JSON texts of records as they are stored and sent: UTF-8 bytes from the database to the socket.
 * Decoding them to a string and encoding it again would take longer than reading them.
 */
export type Body = Uint8Array

/** The text of one record in consecutive pieces: its own, and those of included records. */
export type BodyPieces = readonly Body[]

export const noBody: Body = new Uint8Array()

const comma = Buffer.from(',')

/** The texts of records, joined by commas. */
export const joinBodies = (records: readonly BodyPieces[]): Body => {
  const pieces: Body[] = []
  for (const [index, record] of records.entries()) {
    if (index > 0) pieces.push(comma)
    pieces.push(...record)
  }
  return concatBodies(pieces)
}

export const concatBodies = (pieces: BodyPieces): Body => {
  const [only = noBody] = pieces
  return pieces.length <= 1 ? only : Buffer.concat(pieces)
}

/** The text as a string, for callers that parse it. */
export const decodeBody = ({ buffer, byteOffset, byteLength }: Body): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString()
