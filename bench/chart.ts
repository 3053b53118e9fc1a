/** A line chart as SVG: rows on a logarithmic axis, requests per second on a linear axis from 0. */

export interface Line {
  readonly name: string
  /** From the smallest size to the largest. */
  readonly points: readonly { readonly rows: number; readonly perSecond: number }[]
}

interface ChartOptions {
  readonly title: string
  readonly subtitle: string
  readonly lines: readonly Line[]
}

const width = 790
const height = 440
const plot = { left: 76, top: 74, right: 540, bottom: 384 }

/** Lines differ by hue and by mark, and are readable on light and dark backgrounds. */
const hues = ['#3b7dd8', '#d9722e', '#2f9e6e', '#b5489a', '#8a8f1f', '#8461d1', '#c23b4b']
const marks = ['circle', 'square', 'diamond', 'triangle'] as const

export const chartOf = ({ title, subtitle, lines }: ChartOptions): string => {
  const points = lines.flatMap((line) => line.points)
  const exponents = points.map(({ rows }) => Math.log10(rows))
  const [first, last] = [Math.min(...exponents), Math.max(...exponents)]
  const top = niceAbove(Math.max(...points.map(({ perSecond }) => perSecond)))
  const inset = 24
  const x = (rows: number) => {
    const share = last === first ? 0.5 : (Math.log10(rows) - first) / (last - first)
    return round(plot.left + inset + share * (plot.right - plot.left - 2 * inset))
  }
  const y = (perSecond: number) => round(plot.bottom - (perSecond / top) * (plot.bottom - plot.top))
  const ticks = Array.from({ length: 6 }, (_, n) => (top / 5) * n)
  const sizes = [...new Set(points.map(({ rows }) => rows))].sort((a, b) => a - b)
  const parts = [
    ...ticks.flatMap((value) => [
      `<path class="grid" d="M${plot.left} ${y(value)}H${plot.right}"/>`,
      `<text x="${plot.left - 10}" y="${y(value) + 4}" text-anchor="end">${inWords(value)}</text>`,
    ]),
    ...sizes.map(
      (rows) =>
        `<text x="${x(rows)}" y="${plot.bottom + 22}" text-anchor="middle">${inWords(rows)}</text>`,
    ),
    `<path class="axis" d="M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}"/>`,
    `<text class="label" x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 44}" text-anchor="middle">order items of the brand</text>`,
    `<text class="label" transform="translate(22 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle">requests a second</text>`,
    ...lines.flatMap((line, index) => [...drawn(line, index, x, y), ...legendOf(line, index)]),
  ]
  return [
    '<!-- Made by bench/growth.ts. Do not edit: run npm run bench -- growth. -->',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    style,
    `<title id="title">${escaped(title)}</title>`,
    `<rect class="paper" width="${width}" height="${height}" rx="6"/>`,
    `<text class="title" x="24" y="32">${escaped(title)}</text>`,
    `<text x="24" y="54">${escaped(subtitle)}</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: #46505c }
.title { font-size: 17px; font-weight: 600; fill: #1b2129 }
.label { font-size: 13px }
.paper { fill: #ffffff }
.grid { stroke: #e3e7ec }
.axis { stroke: #8b95a1; fill: none }
.line { fill: none; stroke-width: 2.5 }
@media (prefers-color-scheme: dark) {
text { fill: #b4bdc8 }
.title { fill: #eef1f5 }
.paper { fill: #14181d }
.grid { stroke: #2b323b }
.axis { stroke: #6d7783 }
}
</style>`

const hueOf = (index: number): string => hues[index % hues.length] ?? ''

const drawn = (
  { points }: Line,
  index: number,
  x: (rows: number) => number,
  y: (perSecond: number) => number,
): readonly string[] => [
  `<path class="line" stroke="${hueOf(index)}" d="M${points.map(({ rows, perSecond }) => `${x(rows)} ${y(perSecond)}`).join('L')}"/>`,
  ...points.map(({ rows, perSecond }) => markAt(index, x(rows), y(perSecond))),
]

const legendOf = ({ name }: Line, index: number): readonly string[] => {
  const at = plot.top + 14 + index * 26
  const left = plot.right + 24
  return [
    `<path class="line" stroke="${hueOf(index)}" d="M${left} ${at}h28"/>`,
    markAt(index, left + 14, at),
    `<text x="${left + 38}" y="${at + 4}">${escaped(name)}</text>`,
  ]
}

const markAt = (index: number, x: number, y: number): string => {
  const fill = `fill="${hueOf(index)}"`
  switch (marks[index % marks.length]) {
    case 'square':
      return `<rect ${fill} x="${round(x - 4)}" y="${round(y - 4)}" width="8" height="8"/>`
    case 'diamond':
      return `<path ${fill} d="M${x} ${round(y - 5.5)}l5.5 5.5-5.5 5.5-5.5-5.5z"/>`
    case 'triangle':
      return `<path ${fill} d="M${x} ${round(y - 5.5)}l5.5 10h-11z"/>`
    default:
      return `<circle ${fill} cx="${x}" cy="${y}" r="4.5"/>`
  }
}

/** Rounds up to 1, 2, 2.5, 5 or 10 times a power of ten. */
export const niceAbove = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const inWords = (value: number): string => Math.round(value).toLocaleString('en')
const round = (value: number): number => Math.round(value * 10) / 10
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
