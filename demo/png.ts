import { crc32 } from 'node:zlib'

/** A picture in at most four colours. */
export interface Picture {
  readonly width: number
  readonly height: number
  /** `#` and six hexadecimal digits each. */
  readonly palette: readonly string[]
  /** The palette index of the colour at a point, from the top left. */
  readonly colorAt: (x: number, y: number) => number
}

/**
 * Encodes a picture as PNG (https://www.w3.org/TR/png-3/). Stores the pixels without compression:
 * the output of deflate differs between builds of zlib, and the digest must not.
 */
export const encodePng = (picture: Picture): Uint8Array =>
  Buffer.concat([
    signature,
    chunk('IHDR', header(picture)),
    chunk('PLTE', Buffer.from(picture.palette.map((color) => color.slice(1)).join(''), 'hex')),
    chunk('IDAT', stored(scanlines(picture))),
    chunk('IEND', Buffer.alloc(0)),
  ])

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const chunk = (type: string, data: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length), content, uint32(crc32(content))])
}

const bitsPerPixel = 2
const pixelsPerByte = 8 / bitsPerPixel
const colorTypePalette = 3

const header = ({ width, height }: Picture): Buffer =>
  Buffer.concat([
    uint32(width),
    uint32(height),
    Buffer.from([bitsPerPixel, colorTypePalette, 0, 0, 0]),
  ])

/** The rows from top to bottom, each after the filter type byte for "none". */
const scanlines = ({ width, height, colorAt }: Picture): Buffer => {
  const rowBytes = 1 + Math.ceil(width / pixelsPerByte)
  const rows = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * rowBytes + 1 + Math.floor(x / pixelsPerByte)
      const shift = 8 - bitsPerPixel * (1 + (x % pixelsPerByte))
      rows.writeUInt8(rows.readUInt8(at) | (colorAt(x, y) << shift), at)
    }
  }
  return rows
}

const blockBytesMax = 0xffff

/** A zlib stream of stored blocks (RFC 1950, RFC 1951 section 3.2.4). */
const stored = (data: Buffer): Buffer => {
  const parts: Buffer[] = [Buffer.from([0x78, 0x01])]
  for (let at = 0; at < data.length; at += blockBytesMax) {
    const block = data.subarray(at, at + blockBytesMax)
    const head = Buffer.alloc(5)
    head.writeUInt8(at + blockBytesMax >= data.length ? 1 : 0, 0)
    head.writeUInt16LE(block.length, 1)
    head.writeUInt16LE(block.length ^ 0xffff, 3)
    parts.push(head, block)
  }
  return Buffer.concat([...parts, uint32(adler32(data))])
}

const adler32 = (data: Buffer): number => {
  let a = 1
  let b = 0
  for (const byte of data) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return b * 0x1_0000 + a
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
