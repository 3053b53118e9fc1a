/** Counts the responses on a socket by status. Skips bodies of any length. */
export const openResponseCounter = (
  counted: (status: string) => void,
): ((chunk: Buffer) => void) => {
  let head = ''
  let bodyLeft = 0
  let status = ''
  const endBody = () => {
    counted(status)
    status = ''
  }
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (bodyLeft > 0) {
        const consumed = Math.min(bodyLeft, chunk.length - at)
        bodyLeft -= consumed
        at += consumed
        if (bodyLeft === 0) endBody()
        continue
      }
      const before = head.length
      head += chunk.toString('latin1', at, at + headBytesMax)
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) {
        at += headBytesMax
        continue
      }
      at += end + 4 - before
      status = head.slice(9, 12)
      bodyLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0)
      head = ''
      if (bodyLeft === 0) endBody()
    }
  }
}

const headBytesMax = 16_384
