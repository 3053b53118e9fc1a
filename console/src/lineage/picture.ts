import type { Layout } from './layout.ts'

/** The text on the box of a record. */
export type Card = {
  kind: string
  name: string
  facts: string
  folded: string
  isStart: boolean
  isMissing: boolean
}

/** The colours of the current theme. */
export type Palette = {
  paper: string
  card: string
  line: string
  ink: string
  quiet: string
  accent: string
  bad: string
}

export interface PictureParts {
  readonly title: string
  readonly layout: Layout
  readonly cards: ReadonlyMap<string, Card>
  /** The column titles, from left to right. */
  readonly columns: readonly string[]
  readonly lists: ReadonlyMap<string, string>
  readonly palette: Palette
  readonly font: string
}

const margin = 32
const titleHeight = 36

/** Browsers, and most programs that open the picture, reject larger canvases. */
const sideMax = 8_000

/** The whole drawing as a picture, independent of the visible part. */
export const drawPicture = (parts: PictureParts): HTMLCanvasElement => {
  const { layout, palette } = parts
  const width = layout.width + 2 * margin
  const height = layout.height + 2 * margin + titleHeight
  const ratio = Math.min(2, sideMax / width, sideMax / height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * ratio)
  canvas.height = Math.ceil(height * ratio)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.scale(ratio, ratio)
  context.fillStyle = palette.paper
  context.fillRect(0, 0, width, height)
  const write = writerOf(context, parts.font)
  write(parts.title, {
    x: margin,
    y: margin + 8,
    width: layout.width,
    size: 18,
    weight: 600,
    color: palette.ink,
  })
  context.translate(margin, margin + titleHeight)
  for (const [place, { x }] of layout.columns.entries()) {
    const color = palette.quiet
    write(parts.columns[place] ?? '', { x, y: 14, width: 200, size: 12, weight: 600, color })
  }
  drawEdges(context, parts, write)
  drawBoxes(context, parts, write)
  return canvas
}

type Write = (
  text: string,
  place: { x: number; y: number; width: number; size: number; weight: number; color: string },
) => void

const writerOf =
  (context: CanvasRenderingContext2D, font: string): Write =>
  (text, { x, y, width, size, weight, color }) => {
    context.font = `${weight} ${size}px ${font}`
    context.fillStyle = color
    context.fillText(cutTo(context, text, width), x, y)
  }

/** Truncates the text to a width. */
const cutTo = (context: CanvasRenderingContext2D, text: string, width: number): string => {
  if (context.measureText(text).width <= width) return text
  const letters = [...text]
  while (letters.length > 0 && context.measureText(`${letters.join('')}…`).width > width) {
    letters.pop()
  }
  return `${letters.join('')}…`
}

const drawEdges = (context: CanvasRenderingContext2D, parts: PictureParts, write: Write) => {
  context.strokeStyle = parts.palette.line
  context.lineWidth = 1.25
  for (const { path } of parts.layout.edges) context.stroke(new Path2D(path))
  for (const { label, end } of parts.layout.edges) {
    const place = {
      x: end.x - 5 - label.length * 6,
      y: end.y - 5,
      width: 80,
      size: 11,
      weight: 400,
    }
    if (label !== '') write(label, { ...place, color: parts.palette.quiet })
  }
}

const drawBoxes = (context: CanvasRenderingContext2D, parts: PictureParts, write: Write) => {
  const { layout, cards, lists, palette } = parts
  for (const { key, x, y, width, height } of layout.nodes) {
    const card = cards.get(key)
    if (!card) continue
    context.beginPath()
    context.roundRect(x, y, width, height, 6)
    context.fillStyle = palette.card
    context.fill()
    context.strokeStyle = card.isStart
      ? palette.accent
      : card.isMissing
        ? palette.bad
        : palette.line
    context.lineWidth = card.isStart ? 2 : 1
    context.stroke()
    const inside = { x: x + 8, width: width - 16 }
    write(card.kind, { ...inside, y: y + 18, size: 11, weight: 400, color: palette.quiet })
    write(card.name, { ...inside, y: y + 37, size: 13, weight: 600, color: palette.ink })
    const color = card.isMissing ? palette.bad : palette.quiet
    write(card.facts, { ...inside, y: y + 55, size: 11, weight: 400, color })
    write(card.folded, { ...inside, y: y + 77, size: 11, weight: 400, color: palette.accent })
  }
  context.setLineDash([4, 3])
  for (const { key, x, y, width, height } of layout.more) {
    context.beginPath()
    context.roundRect(x, y, width, height, 6)
    context.strokeStyle = palette.line
    context.stroke()
    const place = { x: x + 8, y: y + 19, width: width - 16, size: 11, weight: 400 }
    write(lists.get(key) ?? '', { ...place, color: palette.quiet })
  }
  context.setLineDash([])
}

/** Reads the computed colour of each token, since tokens change with the theme. */
export const readPalette = (): Palette => {
  const sample = document.createElement('span')
  document.body.append(sample)
  const colour = (token: string): string => {
    sample.style.color = `var(${token})`
    return getComputedStyle(sample).color
  }
  const palette = {
    paper: colour('--paper-raised'),
    card: colour('--paper'),
    line: colour('--line-strong'),
    ink: colour('--ink'),
    quiet: colour('--ink-quiet'),
    accent: colour('--accent'),
    bad: colour('--bad'),
  }
  sample.remove()
  return palette
}
