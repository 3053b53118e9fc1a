import type { ReactNode } from 'react'
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
    <Target className="today-lead" url={figure.url}>
      <span className="today-lead-label">{label}</span>
      <span className={`today-lead-value lead-${tone}`}>
        <Amount figure={figure} amounts={amounts} />
      </span>
      <Change figure={figure} />
      {(figure.items === null ? [] : notes)
        .filter((note) => note)
        .map((note) => (
          <span key={String(note)} className="today-lead-note">
            {note}
          </span>
        ))}
    </Target>
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
    <Target className="today-row" url={figure.url}>
      <span className="today-row-label">
        <span>{label}</span>
        {note && figure.items !== null && <span className="today-row-note">{note}</span>}
        <Change figure={figure} isPeriod={isPeriod} />
      </span>
      <span className={`today-row-value lead-${figure.items ? tone : 'plain'}`}>
        <Amount figure={figure} amounts={amounts} />
      </span>
    </Target>
  </li>
)

interface TargetProps {
  readonly className: string
  readonly url: string | undefined
  readonly children: ReactNode
}

/** A link to the list behind a figure, if there is one. */
export const Target = ({ className, url, children }: TargetProps) =>
  url === undefined ? (
    <div className={className}>{children}</div>
  ) : (
    <Link className={className} href={linkOfQuery(url)}>
      {children}
    </Link>
  )

interface AmountProps {
  readonly figure: Figure
  readonly amounts: readonly string[] | undefined
}

/** The number of records, or one amount. Several amounts are below each other and not bold. */
const Amount = ({ figure: { items }, amounts }: AmountProps) => {
  if (items === null) return <span className="today-unknown">{texts().today.unknown}</span>
  if (!amounts || amounts.length <= 1) return amounts?.[0] ?? countText(items)
  return (
    <span className="today-amounts">
      {amounts.map((amount) => (
        <span key={amount}>{amount}</span>
      ))}
    </span>
  )
}

/** The change within a week, if known. */
const Change = ({ figure, isPeriod = false }: { figure: Figure; isPeriod?: boolean }) => {
  const { items, weekAgo } = figure
  if (items === null || weekAgo.items === null) return null
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
