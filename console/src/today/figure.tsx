import { Link } from 'wouter'
import type { Figure } from '../../../client/src/index.ts'
import type { Tone } from '../charts/tone.ts'
import { countText, signedText } from '../figures.ts'
import { linkOfQuery } from '../links.ts'
import { texts } from '../texts/index.ts'

interface LeadProps {
  readonly label: string
  readonly figure: Figure
  /** The default is the number of records. */
  readonly amounts?: readonly string[]
  readonly tone?: Tone
  readonly notes: readonly (string | null | undefined | false)[]
}

/** One of the main figures at the top. */
export const Lead = ({ label, figure, amounts, tone = 'plain', notes }: LeadProps) => (
  <li>
    <Link className="today-lead" href={linkOfQuery(figure.url)}>
      <span className="today-lead-label">{label}</span>
      <span className={`today-lead-value lead-${tone}`}>
        <Amount figure={figure} amounts={amounts} />
      </span>
      <Change figure={figure} />
      {notes
        .filter((note) => note)
        .map((note) => (
          <span key={String(note)} className="today-lead-note">
            {note}
          </span>
        ))}
    </Link>
  </li>
)

interface RowProps {
  readonly label: string
  readonly figure: Figure
  readonly amounts?: readonly string[]
  readonly note?: string
  /** The colour of a number above 0. */
  readonly tone?: Tone
  /** Whether the figure covers a period, which is compared with the previous one. */
  readonly isPeriod?: boolean
}

export const Row = ({
  label,
  figure,
  amounts,
  note,
  tone = 'plain',
  isPeriod = false,
}: RowProps) => (
  <li>
    <Link className="today-row" href={linkOfQuery(figure.url)}>
      <span className="today-row-label">
        <span>{label}</span>
        {note && <span className="today-row-note">{note}</span>}
        <Change figure={figure} isPeriod={isPeriod} />
      </span>
      <span className={`today-row-value lead-${figure.items > 0 ? tone : 'plain'}`}>
        <Amount figure={figure} amounts={amounts} />
      </span>
    </Link>
  </li>
)

/** The number of records, or one amount. Several amounts are below each other and not bold. */
const Amount = ({ figure, amounts }: { figure: Figure; amounts: readonly string[] | undefined }) =>
  amounts && amounts.length > 1 ? (
    <span className="today-amounts">
      {amounts.map((amount) => (
        <span key={amount}>{amount}</span>
      ))}
    </span>
  ) : (
    (amounts?.[0] ?? countText(figure.items))
  )

/** The change within a week, if known. */
const Change = ({ figure, isPeriod = false }: { figure: Figure; isPeriod?: boolean }) => {
  const { items, weekAgo } = figure
  if (!weekAgo) return null
  const words = texts().today
  const change = items - weekAgo.items
  const then = countText(weekAgo.items)
  return (
    <span className="today-change">
      {change === 0 ? words.same : signedText(change)},{' '}
      {isPeriod ? words.weekBefore(then) : words.weekAgo(then)}
    </span>
  )
}
