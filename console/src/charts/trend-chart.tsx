import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { Link } from 'wouter'
import { texts } from '../texts/index.ts'
import {
  axisGap,
  axisWidthFor,
  labelHeight,
  plotHeight,
  ticksFor,
  tipCenter,
  top,
  useWidth,
} from './column-chart.tsx'
import type { Tone } from './tone.ts'

export interface TrendPoint {
  readonly key: string
  /** Below the chart, where there is room. */
  readonly label: string
  readonly title: string
  /** Determines the height only; null is a gap. The chart shows `text`. */
  readonly value: number | null
  readonly text: string
  readonly href: string
}

interface TrendChartProps {
  readonly label: string
  readonly tone: Tone
  readonly points: readonly TrendPoint[]
  /** Formats a value of the axis. */
  readonly tick: (value: number) => string
}

/** Room for the first and the last point. */
const edge = 5
/** The least distance of two labels. */
const labelDistance = 72

/**
 * A line over days. The plot is one link, to the day that the pointer or the arrow keys chose: a day
 * is narrower than what a finger hits, and ninety stops of the Tab key would be too many.
 */
export const TrendChart = ({ label, tone, points, tick }: TrendChartProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const [active, setActive] = useState<number | null>(null)
  const ticks = ticksFor(Math.max(0, ...points.map(({ value }) => value ?? 0)))
  const most = ticks.at(-1) ?? 1
  const axisWidth = axisWidthFor(ticks.map(tick))
  const dayWidth = (width - 2 * edge) / Math.max(1, points.length)
  const bottom = top + plotHeight
  const xOf = (at: number) => edge + (at + 0.5) * dayWidth
  const yOf = (value: number) => bottom - (value / most) * plotHeight
  const last = points.length - 1
  const chosen = active ?? last
  const point = points[chosen]
  const everyDays = Math.max(1, Math.ceil(labelDistance / Math.max(dayWidth, 0.1)))

  const onPointer = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const x = clientX - currentTarget.getBoundingClientRect().left - edge
    setActive(Math.min(last, Math.max(0, Math.floor(x / dayWidth))))
  }
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const next = keys[event.key]?.(chosen, last)
    if (next === undefined) return
    event.preventDefault()
    setActive(Math.min(last, Math.max(0, next)))
  }
  if (!point) return null
  return (
    <figure className="chart">
      <div className="chart-frame">
        <svg
          className="chart-axis"
          width={axisWidth}
          height={bottom + labelHeight}
          aria-hidden="true"
        >
          {ticks.map((value) => (
            <text key={value} x={axisWidth - axisGap} y={yOf(value)} dy="0.32em">
              {tick(value)}
            </text>
          ))}
        </svg>
        <div className={`days-plot tone-${tone}`} ref={frame}>
          <svg width={width} height={bottom + labelHeight} aria-hidden="true">
            {ticks.map((value) => (
              <line
                key={value}
                className={value === 0 ? 'chart-base' : 'chart-line'}
                x1={0}
                x2={width}
                y1={yOf(value)}
                y2={yOf(value)}
              />
            ))}
            {stretchesOf(points).map((stretch) => (
              <path
                key={stretch[0]?.at}
                className="days-line"
                d={`M${stretch.map(({ at, value }) => `${xOf(at).toFixed(1)} ${yOf(value).toFixed(1)}`).join('L')}h0.01`}
              />
            ))}
            {active !== null && (
              <line className="days-day" x1={xOf(active)} x2={xOf(active)} y1={top} y2={bottom} />
            )}
            {point.value !== null && (
              <circle className="days-point" cx={xOf(chosen)} cy={yOf(point.value)} r={4} />
            )}
            {points.map(({ key, label: day }, at) => {
              const isShown = (last - at) % everyDays === 0
              if (!isShown) return null
              const x = Math.min(Math.max(xOf(at), labelDistance / 3), width - labelDistance / 3)
              return (
                <text key={key} className="chart-label" x={x} y={bottom + 16}>
                  {day}
                </text>
              )
            })}
          </svg>
          <Link
            href={point.href}
            className="chart-link"
            aria-label={`${label}, ${point.title}, ${point.text}`}
            aria-description={texts().today.trendKeys}
            onPointerMove={onPointer}
            onPointerDown={onPointer}
            onPointerLeave={() => setActive(null)}
            onFocus={() => setActive(chosen)}
            onBlur={() => setActive(null)}
            onKeyDown={onKey}
          />
        </div>
        {active !== null && (
          <div
            className="chart-tip"
            role="status"
            style={{ left: axisWidth + tipCenter(active, dayWidth, frame.current) }}
          >
            <strong>{point.title}</strong>
            <span className="chart-tip-line">{point.text}</span>
          </div>
        )}
      </div>
      <TrendTable label={label} points={points} />
    </figure>
  )
}

const keys: { readonly [key: string]: (chosen: number, last: number) => number } = {
  ArrowLeft: (chosen) => chosen - 1,
  ArrowRight: (chosen) => chosen + 1,
  PageUp: (chosen) => chosen - 7,
  PageDown: (chosen) => chosen + 7,
  Home: () => 0,
  End: (_, last) => last,
}

interface Known {
  readonly at: number
  readonly value: number
}

/** The known points, apart where some between them are not known. */
export const stretchesOf = (
  points: readonly Pick<TrendPoint, 'value'>[],
): readonly (readonly Known[])[] => {
  const stretches: Known[][] = []
  for (const [at, { value }] of points.entries()) {
    if (value === null) continue
    const current = stretches.at(-1)
    if (current?.at(-1)?.at === at - 1) current.push({ at, value })
    else stretches.push([{ at, value }])
  }
  return stretches
}

/** The values as a table, the latest day first; its rows are made when it is opened. */
const TrendTable = ({ label, points }: Pick<TrendChartProps, 'label' | 'points'>) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      className="chart-table days-table"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{texts().today.table}</summary>
      {isOpen && (
        <table aria-label={label}>
          <tbody>
            {points.toReversed().map(({ key, title, text, href }) => (
              <tr key={key}>
                <th scope="row">
                  <Link href={href}>{title}</Link>
                </th>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
