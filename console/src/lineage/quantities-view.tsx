import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { NotShown } from '../charts/not-shown.tsx'
import { Refusal } from '../charts/part.tsx'
import { countText, moneyText, signedText, words } from '../figures.ts'
import { recordLink } from '../links.ts'
import {
  type Counts,
  gapsOf,
  type Line,
  type Quantities,
  type Station,
  stations,
} from './quantities.ts'

/** What is counted: an order, or a SKU over all its orders. */
export type Subject = { kind: 'orders' | 'skus'; id: string; name: string }

type QuantitiesViewProps = {
  api: Api
  subjects: readonly Subject[]
  subject: Subject | undefined
  query: UseQueryResult<Quantities>
  onChoose: (id: string) => void
  /** True while the walk may still find an order. */
  isLooking: boolean
}

/** The pieces ordered, made, shipped and received, and the differences between them. */
export const QuantitiesView = ({
  api,
  subjects,
  subject,
  query,
  onChoose,
  isLooking,
}: QuantitiesViewProps) => {
  const { data, error } = query
  return (
    <section className="quantities" aria-label="Quantities">
      <ol className="stations" aria-busy={!data && !error}>
        {stations.map((station, place) => (
          <StationFigure key={station} station={station} isFirst={place === 0} data={data} />
        ))}
      </ol>
      <div className="quantities-side">
        {subjects.length > 1 ? (
          <label>
            Counted for{' '}
            <select value={subject?.id} onChange={(event) => onChoose(event.target.value)}>
              {subjects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <p>{subject ? `Counted for ${subject.name}` : sentenceWithout(isLooking)}</p>
        )}
        {data && <MoneyLine data={data} />}
        {data && <NotShown brand={api.brand} tooLong={data.tooLong} />}
      </div>
      {error && <Refusal error={error} onRetry={() => void query.refetch()} />}
      {data && data.lines.length > 0 ? (
        <Lines api={api} data={data} />
      ) : (
        <p className="lines lines-none">
          {data && data.tooLong.length === 0 ? 'No lines.' : '\u00a0'}
        </p>
      )}
    </section>
  )
}

const sentenceWithout = (isLooking: boolean): string =>
  isLooking ? 'Looking for the order …' : 'This lineage has no order whose pieces could be counted.'

type FigureProps = { station: Station; isFirst: boolean; data: Quantities | undefined }

const StationFigure = ({ station, isFirst, data }: FigureProps) => {
  const count = data?.totals[station]
  const gap = data && gapsOf(data.totals).find(({ to }) => to === station)
  return (
    <li className="station">
      <span className="station-name">{words(station)}</span>
      <span className="station-count">{typeof count === 'number' ? countText(count) : '–'}</span>
      <span className={gap ? gapClass(gap.pieces, data.settled) : 'station-gap'}>
        {gap && `${signedText(gap.pieces)} ${gapWord(gap.pieces, data.settled)}`}
        {!gap && !isFirst && typeof count === 'number' && 'all'}
        {station === 'received' && !!data?.damaged && `, ${data.damaged} damaged`}
      </span>
    </li>
  )
}

const gapClass = (pieces: number, settled: boolean): string =>
  `station-gap ${pieces > 0 ? 'gap-over' : settled ? 'gap-short' : 'gap-open'}`

const gapWord = (pieces: number, settled: boolean): string =>
  pieces > 0 ? 'over' : settled ? 'short' : 'to come'

const MoneyLine = ({ data: { money } }: { data: Quantities }) =>
  money && (
    <p>
      Ordered for {moneyText(money.ordered, null)}, invoiced {moneyText(money.invoiced, null)}, paid{' '}
      {moneyText(money.paid, money.currency)}
    </p>
  )

const Lines = ({ api, data }: { api: Api; data: Quantities }) => {
  const [all, setAll] = useState(false)
  const differing = data.lines.filter(differs)
  const shown = all ? data.lines : differing
  return (
    <details className="lines">
      <summary>
        {differing.length === 0
          ? `No differences on ${data.lines.length} lines`
          : `${differing.length} of ${data.lines.length} lines differ`}
      </summary>
      <div className="lines-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Line</th>
              {stations.map((station) => (
                <th key={station} scope="col" className="lines-number">
                  {words(station)}
                </th>
              ))}
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <LineRow key={line.orderItemId} api={api} line={line} settled={data.settled} />
            ))}
          </tbody>
        </table>
      </div>
      {differing.length < data.lines.length && (
        <button type="button" className="charts-button" onClick={() => setAll(!all)}>
          {all ? 'Show only lines that differ' : `Show all ${data.lines.length} lines`}
        </button>
      )}
    </details>
  )
}

const differs = ({ counts, damaged }: Line): boolean => gapsOf(counts).length > 0 || damaged > 0

const LineRow = ({ api, line, settled }: { api: Api; line: Line; settled: boolean }) => {
  const { orderItemId, title, counts, damaged, reasons } = line
  return (
    <tr>
      <th scope="row">
        <Link href={recordLink(api.brand, 'order-items', orderItemId)}>{title}</Link>
      </th>
      {stations.map((station) => (
        <td key={station} className="lines-number">
          {counts[station] === null ? '–' : countText(counts[station])}
          <GapAt counts={counts} station={station} settled={settled} />
        </td>
      ))}
      <td>{whyOf(reasons, damaged)}</td>
    </tr>
  )
}

const whyOf = (reasons: readonly string[], damaged: number): string => {
  const others = reasons.filter((reason) => damaged === 0 || reason !== 'damaged').map(words)
  return [...others, ...(damaged > 0 ? [`${countText(damaged)} damaged`] : [])].join(', ') || '–'
}

const GapAt = ({
  counts,
  station,
  settled,
}: {
  counts: Counts
  station: Station
  settled: boolean
}) => {
  const gap = gapsOf(counts).find(({ to }) => to === station)
  return gap ? (
    <span className={gapClass(gap.pieces, settled)}> {signedText(gap.pieces)}</span>
  ) : null
}
