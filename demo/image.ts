import { createHash } from 'node:crypto'
import { encodePng } from './png.ts'
import type { DemoRecord } from './story.ts'

/**
 * The file of an image record: a PNG of a piece of cloth with its selvedge on the left. It depends
 * only on the record's `id` and `kind`, and is the same on every machine.
 */
export const demoImage = (image: DemoRecord): Uint8Array => {
  const digest = createHash('sha256').update(String(image['id'])).digest()
  const { width, height } = extents.get(String(image['kind'])) ?? landscape
  const cloth = cloths[digest.readUInt8(0) % cloths.length] ?? indigo
  const stripeEvery = 8 + (digest.readUInt8(1) % 9)
  const twillRun = 3 + (digest.readUInt8(2) % 3)
  const selvedge = Math.floor(width / 10)

  const colorAt = (x: number, y: number): number => {
    if (x < selvedge) return Math.abs(x - selvedge / 2) < 2 ? line : weft
    if (x % threadPx === 0 || y % threadPx === 0) return shade
    const column = Math.floor((x - selvedge) / threadPx)
    const row = Math.floor(y / threadPx)
    if (column % stripeEvery === stripeEvery - 1) return line
    return (column + row) % twillRun === 0 ? weft : warp
  }
  return encodePng({ width, height, palette: cloth, colorAt })
}

const landscape = { width: 320, height: 240 }

const extents: ReadonlyMap<string, { readonly width: number; readonly height: number }> = new Map([
  ['product', { width: 192, height: 240 }],
  ['swatch', { width: 160, height: 160 }],
])

const threadPx = 4

/** Indexes in a cloth's palette. */
const [warp, weft, shade, line] = [0, 1, 2, 3]

const indigo = ['#27335C', '#C9CFDF', '#1B2442', '#B23A48']

const cloths = [
  indigo,
  ['#5B6B4F', '#D8DCCB', '#424E39', '#D9A441'],
  ['#E9DFC7', '#F6F1E4', '#CFC3A5', '#2E5E4E'],
  ['#7A4B3A', '#E6D3C5', '#5A3629', '#27335C'],
]
