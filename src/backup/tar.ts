/**
 * The members of a tar archive (POSIX ustar), as far as a backup has them: plain files with short
 * names, so that `tar` and `zstd` can unpack a backup without this program.
 */
export const blockBytes = 512

export interface TarHeader {
  readonly name: string
  readonly bytes: number
}

const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const

export const encodeTarHeader = (
  { name, bytes }: TarHeader,
  modifiedSeconds: number,
): Uint8Array => {
  const block = Buffer.alloc(blockBytes)
  const put = (field: keyof typeof fields, text: string) => {
    const [at, length] = fields[field]
    const encoded = Buffer.from(text)
    if (encoded.length > length) throw new RangeError(`${field} is too long for a tar header.`)
    encoded.copy(block, at)
  }
  put('name', name)
  put('mode', '0000600\0')
  put('uid', '0000000\0')
  put('gid', '0000000\0')
  put('size', `${bytes.toString(8).padStart(11, '0')}\0`)
  put('modified', `${modifiedSeconds.toString(8).padStart(11, '0')}\0`)
  put('type', '0')
  put('magic', 'ustar\x0000')
  put('checksum', `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** Null if it is not a header that `encodeTarHeader` has written. */
export const decodeTarHeader = (block: Buffer): TarHeader | null => {
  const text = (field: keyof typeof fields) => {
    const [at, length] = fields[field]
    return block.toString('latin1', at, at + length).replace(/[\0 ]+$/, '')
  }
  const octal = (field: keyof typeof fields) =>
    /^[0-7]+$/.test(text(field)) ? Number.parseInt(text(field), 8) : Number.NaN
  const header = { name: text('name'), bytes: octal('size') }
  const modified = octal('modified')
  if (Number.isNaN(header.bytes) || Number.isNaN(modified)) return null
  // Compares all of it: a checksum alone does not notice two changes that cancel each other out.
  return block.equals(encodeTarHeader(header, modified)) ? header : null
}

/** Of the header with spaces in place of the checksum. */
const checksumOf = (block: Buffer): number => {
  const [at, length] = fields.checksum
  let sum = length * 0x20
  for (const [index, byte] of block.entries()) {
    if (index < at || index >= at + length) sum += byte
  }
  return sum
}

/** The number of zeros after the content of a member. */
export const paddingAfter = (bytes: number): number =>
  (blockBytes - (bytes % blockBytes)) % blockBytes

/** The end of an archive. */
export const tarEnd: Uint8Array = Buffer.alloc(2 * blockBytes)
