import { Link } from 'wouter'
import { countText } from '../figures.ts'

export type Bar = {
  key: string
  label: string
  value: number
  /** The text at the end of the bar; the value by default. */
  text?: string
  /** A note after the text, such as a difference. */
  note?: string
  tone?: Tone
  href: string
}

export type Tone = 'plain' | 'quiet' | 'good' | 'warn' | 'bad'

/** Horizontal bars, each a link. An empty bar keeps its line, so that charts can be compared. */
export const Bars = ({ bars, label }: { bars: readonly Bar[]; label: string }) => {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ul className="chart-bars" aria-label={label}>
      {bars.map(({ key, label: name, value, text, note, tone = 'plain', href }) => (
        <li key={key}>
          <Link className={value === 0 ? 'chart-bar chart-bar-none' : 'chart-bar'} href={href}>
            <span className="chart-bar-label">{name}</span>
            <span className="chart-bar-track" aria-hidden="true">
              <span
                className={`chart-bar-fill tone-${tone}`}
                style={{ width: `${value === 0 ? 0 : Math.max(1.5, (value / most) * 100)}%` }}
              />
            </span>
            <span className="chart-bar-value">
              {text ?? countText(value)}
              {note && <span className={`chart-bar-note note-${tone}`}> {note}</span>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
