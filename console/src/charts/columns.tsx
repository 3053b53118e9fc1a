import { useLayoutEffect, useRef } from 'react'
import { Link } from 'wouter'
import { countText } from '../figures.ts'
import type { Tone } from './bars.tsx'

export type Column = {
  key: string
  /** Below the column, in two short lines. */
  label: string
  under: string
  /** The accessible name and the tooltip. */
  title: string
  value: number
  /** From the bottom up. */
  layers: readonly { tone: Tone; value: number }[]
  href: string
}

/** Vertical columns over time, each a link, in layers of different tones. */
export const Columns = ({ columns, label }: { columns: readonly Column[]; label: string }) => {
  const most = Math.max(1, ...columns.map(({ value }) => value))
  const scroller = useRef<HTMLElement>(null)
  // If there is no room for all of them, the latest are visible.
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollLeft = scroller.current.scrollWidth
  }, [])
  return (
    <section ref={scroller} className="chart-columns-scroll" aria-label={label} tabIndex={0}>
      <ul className="chart-columns">
        {columns.map(({ key, label: name, under, title, value, layers, href }) => (
          <li key={key}>
            <Link className="chart-column" href={href} title={title}>
              <span className="charts-unseen">{title}</span>
              <span className="chart-column-value" aria-hidden="true">
                {value === 0 ? '' : countText(value)}
              </span>
              <span className="chart-column-stack" aria-hidden="true">
                {layers.map(({ tone, value: each }) => (
                  <span
                    key={tone}
                    className={`chart-column-layer tone-${tone}`}
                    style={{ height: `${(each / most) * 100}%` }}
                  />
                ))}
              </span>
              <span className="chart-column-label" aria-hidden="true">
                {name}
                <span>{under}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
