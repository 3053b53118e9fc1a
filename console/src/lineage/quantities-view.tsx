import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { daysBetween } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { countText, daysText, dayText, moneyText, signedText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { Failure } from '../states.tsx'
import { valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { dayOf } from './plans.ts'
import {
  type Counts,
  differs,
  gapsOf,
  type Line,
  type Money,
  type Quantities,
  type Station,
  stations,
} from './quantities.ts'

/** The subject of the counts: an order, or a SKU in all its orders. */
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

/** The pieces ordered, made, shipped and received, the paid and open amounts, and the differences. */
export const QuantitiesView = ({
  api,
  subjects,
  subject,
  query,
  onChoose,
  isLooking,
}: QuantitiesViewProps) => {
  const { data, error } = query
  const words = texts().lineage
  return (
    <section className="quantities" aria-label={words.quantities}>
      <ol className="stations" aria-busy={!data && !error}>
        {stations.map((station, place) => (
          <StationFigure key={station} station={station} isFirst={place === 0} data={data} />
        ))}
        {data?.money && <MoneyFigures money={data.money} />}
      </ol>
      {error && <Failure error={error} onRetry={() => void query.refetch()} />}
      <div className="quantities-side">
        {subjects.length > 1 ? (
          <label>
            {words.countedFor}{' '}
            <select value={subject?.id} onChange={(event) => onChoose(event.target.value)}>
              {subjects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <p>
            {subject
              ? `${words.countedFor} ${subject.name}`
              : isLooking
                ? words.lookingForOrder
                : words.noOrder}
          </p>
        )}
        {data && data.lines.length > 0 && <Lines api={api} data={data} />}
      </div>
    </section>
  )
}

type FigureProps = { station: Station; isFirst: boolean; data: Quantities | undefined }

const StationFigure = ({ station, isFirst, data }: FigureProps) => {
  const count = data?.totals[station]
  const gap = data && gapsOf(data.totals).find(({ to }) => to === station)
  const words = texts().lineage
  return (
    <li className="station">
      <span className="station-name">{words.stations[station]}</span>
      <span className="station-count">{typeof count === 'number' ? countText(count) : '–'}</span>
      <span className={gap ? gapClass(gap.pieces, data.settled) : 'station-gap'}>
        {gap && gapText(gap.pieces, data.settled)}
        {!gap && !isFirst && typeof count === 'number' && words.all}
        {station === 'received' && !!data?.damaged && `, ${words.damaged(data.damaged)}`}
      </span>
    </li>
  )
}

const gapClass = (pieces: number, settled: boolean): string =>
  `station-gap ${pieces > 0 ? 'gap-over' : settled ? 'gap-short' : 'gap-open'}`

const gapText = (pieces: number, settled: boolean): string => {
  const { over, short, toCome } = texts().lineage
  return `${signedText(pieces)} ${pieces > 0 ? over : settled ? short : toCome}`
}

/** The invoiced, paid and open amounts of the order, and the due date. */
const MoneyFigures = ({ money }: { money: Money }) => {
  const { currency, ordered, invoiced, paid, open, dueDate } = money
  const words = texts().lineage
  const today = dayOf(new Date().toISOString())
  const days = dueDate === null ? null : daysBetween(dueDate, today)
  return (
    <>
      <li className="station station-money">
        <span className="station-name">{words.invoiced}</span>
        <span className="station-count">{moneyText(invoiced, currency)}</span>
        <span className="station-gap">{words.ofOrdered(moneyText(ordered, currency))}</span>
      </li>
      <li className="station">
        <span className="station-name">{words.open}</span>
        <span className="station-count">{moneyText(open, currency)}</span>
        <span className={days !== null && days > 0 ? 'station-gap gap-short' : 'station-gap'}>
          {days === null || dueDate === null
            ? words.paid(moneyText(paid, currency))
            : `${words.due(dayText(dueDate))}, ${daysText(days)}`}
        </span>
      </li>
    </>
  )
}

const Lines = ({ api, data }: { api: Api; data: Quantities }) => {
  const [all, setAll] = useState(false)
  const differing = data.lines.filter(differs)
  const shown = all ? data.lines : differing
  const words = texts().lineage
  return (
    <details className="lines">
      <summary>
        {differing.length === 0
          ? words.noDifferences(data.lines.length)
          : words.differences(differing.length, data.lines.length)}
      </summary>
      <div className="lines-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              {stations.map((station) => (
                <th key={station} scope="col" className="lines-number">
                  {words.stations[station]}
                </th>
              ))}
              <th scope="col">{words.reason}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => (
              <LineRow key={line.orderItemId} api={api} line={line} settled={data.settled} />
            ))}
          </tbody>
        </table>
      </div>
      {data.otherLines > 0 && <p className="quiet">{words.otherLines(data.otherLines)}</p>}
      {differing.length < data.lines.length && (
        <button type="button" onClick={() => setAll(!all)}>
          {all ? words.showDiffering : words.showAll(data.lines.length)}
        </button>
      )}
    </details>
  )
}

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
  const others = reasons.filter((reason) => damaged === 0 || reason !== 'damaged').map(valueLabel)
  return [...others, ...(damaged > 0 ? [texts().lineage.damaged(damaged)] : [])].join(', ') || '–'
}

type GapProps = { counts: Counts; station: Station; settled: boolean }

const GapAt = ({ counts, station, settled }: GapProps) => {
  const gap = gapsOf(counts).find(({ to }) => to === station)
  return gap ? (
    <span className={gapClass(gap.pieces, settled)}> {signedText(gap.pieces)}</span>
  ) : null
}
