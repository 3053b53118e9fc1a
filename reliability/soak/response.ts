const headEnd = Buffer.from('\r\n\r\n')

/** The status and total length of a response, from its head. */
export interface ExpectedResponse {
  readonly status: number
  readonly bytes: number
}

/** Parses the head of a response; null while it is incomplete. */
export const readHead = (bytes: Buffer): ExpectedResponse | null => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end + 2)
  const status = Number(head.slice(9, 12))
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(head) ?? []
  if (length === undefined && status !== 304 && status !== 204) {
    throw new Error(`A response has no Content-Length: ${head}`)
  }
  const body = status === 304 || status === 204 ? 0 : Number(length)
  return { status, bytes: end + headEnd.length + body }
}
