import { useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { texts } from '../texts/index.ts'
import type { Tone } from './tone.ts'

/** A part of a column. */
export type Layer = {
  /** The name in the legend. */
  name: string
  tone: Tone
  /** Determines the height only. The chart shows `text`. */
  value: number
  text: string
  /** Null if no list has its records. */
  href: string | null
}

export type ChartColumn = {
  key: string
  /** Below the column. */
  label: string
  /** The full name. */
  title: string
  isCurrent?: boolean
  /** From the bottom up. */
  layers: readonly Layer[]
}

interface ColumnChartProps {
  readonly label: string
  readonly columns: readonly ChartColumn[]
  /** Formats a value of the axis. */
  readonly tick: (value: number) => string
  /** The column to scroll to if not all columns fit. */
  readonly startAt?: number
}

export const plotHeight = 148
export const top = 10
export const labelHeight = 36
/** The minimum width of a column. Phones get wider columns, so that labels fit, and scroll. */
const columnMin = (width: number): number => (width < 420 ? 44 : 34)
/** Approximate widths of a label character, and of a digit or capital on the axis. */
const characterWidth = 6.6
const axisCharacterWidth = 7.2
export const axisGap = 8

/** The width of an axis with these labels. */
export const axisWidthFor = (labels: readonly string[]): number =>
  Math.ceil(Math.max(...labels.map(({ length }) => length)) * axisCharacterWidth) + axisGap

/** A column chart. Each part is a link; its values appear on hover and focus, and in a table. */
export const ColumnChart = ({ label, columns, tick, startAt = 0 }: ColumnChartProps) => {
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const [active, setActive] = useState<number | null>(null)
  const columnWidth = Math.max(columnMin(width), width / Math.max(1, columns.length))
  const totals = columns.map(({ layers }) => layers.reduce((sum, { value }) => sum + value, 0))
  const ticks = ticksFor(Math.max(0, ...totals))
  const most = ticks.at(-1) ?? 1
  const axisWidth = axisWidthFor(ticks.map(tick))
  const heightOf = (value: number) => (value / most) * plotHeight
  const bottom = top + plotHeight

  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollLeft = startAt * columnWidth
  }, [startAt, columnWidth])

  const hasLinks = columns.some(({ layers }) => layers.some(({ href }) => href !== null))
  const current = active === null ? undefined : columns[active]
  return (
    <figure className="chart">
      <figcaption className="chart-caption">
        {label}
        <Legend columns={columns} />
      </figcaption>
      <div className="chart-frame">
        <svg
          className="chart-axis"
          width={axisWidth}
          height={bottom + labelHeight}
          aria-hidden="true"
        >
          {ticks.map((value) => (
            <text key={value} x={axisWidth - axisGap} y={bottom - heightOf(value)} dy="0.32em">
              {tick(value)}
            </text>
          ))}
        </svg>
        {/* Without links, the chart itself takes the focus, so that the keyboard can scroll it. */}
        <div className="chart-scroll" ref={scroller} tabIndex={hasLinks ? undefined : 0}>
          <svg
            width={columnWidth * columns.length}
            height={bottom + labelHeight}
            role="group"
            aria-label={label}
          >
            {ticks.map((value) => (
              <line
                key={value}
                className={value === 0 ? 'chart-base' : 'chart-line'}
                x1={0}
                x2={columnWidth * columns.length}
                y1={bottom - heightOf(value)}
                y2={bottom - heightOf(value)}
              />
            ))}
            {columns.map((column, at) => (
              <Column
                key={column.key}
                column={column}
                x={at * columnWidth}
                width={columnWidth}
                heightOf={heightOf}
                isActive={active === at}
                onActive={(isActive) => setActive(isActive ? at : null)}
              />
            ))}
          </svg>
        </div>
        {current && active !== null && (
          <div
            className="chart-tip"
            aria-hidden="true"
            style={{ left: axisWidth + tipCenter(active, columnWidth, scroller.current) }}
          >
            <strong>{current.title}</strong>
            {current.layers.map(({ name, text, tone }) => (
              <span key={name} className={`chart-tip-line tone-${tone}`}>
                {name && <span className="chart-dot" />}
                {name && <span>{name}</span>}
                <span>{text}</span>
              </span>
            ))}
          </div>
        )}
      </div>
      <ChartTable label={label} columns={columns} />
    </figure>
  )
}

interface ColumnProps {
  readonly column: ChartColumn
  readonly x: number
  readonly width: number
  readonly heightOf: (value: number) => number
  readonly isActive: boolean
  readonly onActive: (isActive: boolean) => void
}

const Column = ({ column, x, width, heightOf, isActive, onActive }: ColumnProps) => {
  const { title, label, layers, isCurrent } = column
  const barWidth = Math.min(36, width * 0.56)
  const bottom = top + plotHeight
  let y = bottom
  const shown = layers.filter(({ value }) => value > 0)
  const links = shown.length > 0 ? shown : layers.slice(0, 1)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are what is operated.
    <g
      className={isActive ? 'chart-column chart-column-active' : 'chart-column'}
      onMouseEnter={() => onActive(true)}
      onMouseLeave={() => onActive(false)}
      onFocus={() => onActive(true)}
      onBlur={() => onActive(false)}
    >
      <rect className="chart-hover" x={x} y={top} width={width} height={plotHeight} />
      {links.map(({ name, tone, value, text, href }, at) => {
        const height = value === 0 ? 0 : Math.max(2, heightOf(value))
        y -= height
        const isLast = at === links.length - 1
        const spoken = [title, name, text].filter(Boolean).join(', ')
        const shape = (
          <>
            {/* The last part takes the whole height of the column: a short bar is hard to hit. */}
            <rect
              className="chart-target"
              x={x}
              y={isLast ? top : y}
              width={width}
              height={isLast ? Math.max(24, y + height - top) : Math.max(height, 1)}
            />
            <rect
              className="chart-bar-layer"
              x={x + (width - barWidth) / 2}
              y={y}
              width={barWidth}
              height={height}
              rx={isLast ? 2 : 0}
            />
          </>
        )
        return href === null ? (
          // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a group is not operated.
          <g key={name} className={`tone-${tone}`} role="img" aria-label={spoken}>
            {shape}
          </g>
        ) : (
          <Link key={name} href={href} className={`chart-link tone-${tone}`} aria-label={spoken}>
            {shape}
          </Link>
        )
      })}
      <text
        className={isCurrent ? 'chart-label chart-label-current' : 'chart-label'}
        y={bottom + 16}
      >
        {labelLines(label, width).map((line, at) => (
          <tspan key={line} x={x + width / 2} dy={at === 0 ? 0 : '1.15em'}>
            {line}
          </tspan>
        ))}
      </text>
    </g>
  )
}

/** Breaks the label into two lines if it does not fit into one. */
const labelLines = (label: string, width: number): readonly string[] => {
  const at = label.lastIndexOf(' ')
  if (label.length * characterWidth <= width || at === -1) return [label]
  return [label.slice(0, at), label.slice(at + 1)]
}

/** The meaning of the colours, if there are several. */
const Legend = ({ columns }: { columns: readonly ChartColumn[] }) => {
  const layers = columns.flatMap((column) => column.layers)
  const names = [...new Set(layers.map(({ name }) => name))].filter((name) => name !== '')
  return names.length === 0 ? null : (
    <span className="chart-legend">
      {names.map((name) => (
        <span key={name} className={`tone-${layers.find((each) => each.name === name)?.tone}`}>
          <span className="chart-dot" />
          {name}
        </span>
      ))}
    </span>
  )
}

/** The values as a table, for accessibility. */
const ChartTable = ({ label, columns }: { label: string; columns: readonly ChartColumn[] }) => {
  const names = [...new Set(columns.flatMap(({ layers }) => layers.map(({ name }) => name)))]
  return (
    <details className="chart-table">
      <summary>{texts().today.table}</summary>
      <table aria-label={label}>
        {names.some((name) => name !== '') && (
          <thead>
            <tr>
              <td />
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {columns.map(({ key, title, layers }) => (
            <tr key={key}>
              <th scope="row">{title}</th>
              {names.map((name) => (
                <td key={name}>{layers.find((each) => each.name === name)?.text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** Centers the tooltip above the column, within the chart. */
export const tipCenter = (
  at: number,
  columnWidth: number,
  scroller: HTMLDivElement | null,
): number => {
  const center = at * columnWidth + columnWidth / 2 - (scroller?.scrollLeft ?? 0)
  const most = (scroller?.clientWidth ?? 0) - tipHalf
  return Math.min(Math.max(center, tipHalf / 2), Math.max(most, tipHalf / 2))
}

const tipHalf = 96

/** Round values from 0 to at least the greatest value, in at most four steps. */
export const ticksFor = (greatest: number): readonly number[] => {
  if (greatest <= 0) return [0, 1]
  const rough = greatest / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(
    greatest < 4 ? 1 : 0,
    ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power,
  )
  const count = Math.ceil(greatest / step)
  return Array.from({ length: count + 1 }, (_, at) => at * step)
}

export const useWidth = (element: { readonly current: HTMLDivElement | null }): number => {
  const [width, setWidth] = useState(560)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    setWidth(current.clientWidth)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
