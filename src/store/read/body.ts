/**
 * JSON texts of records as they are stored and sent: bytes in UTF-8, from the database to the socket.
 * A JavaScript string would be decoded from them and encoded again for nothing, which takes longer
 * than reading them.
 */
export type Body = Uint8Array

/** The text of one record in pieces that follow each other: its own, and what it includes. */
export type BodyPieces = readonly Body[]

/** The text of no record at all. */
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

/** The text as a string, for what has to parse it. */
export const decodeBody = ({ buffer, byteOffset, byteLength }: Body): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString()
