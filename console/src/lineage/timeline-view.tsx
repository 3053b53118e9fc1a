import { useLayoutEffect, useMemo, useRef } from 'react'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { dayText, monthText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { zone } from '../locale.ts'
import { fieldLabel, groupSingular } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { drawingOf, type OpenHeads } from './drawing.ts'
import type { Lineage } from './lineage.ts'
import type { Deviation } from './plans.ts'
import { type Moment, placeOn, type Timeline, type TimelineRow, timelineOf } from './timeline.ts'

type TimelineViewProps = { api: Api; lineage: Lineage; open: OpenHeads }

/** The records on one time axis: a dot for each date, hollow if it is planned. */
export const TimelineView = ({ api, lineage, open }: TimelineViewProps) => {
  const timeline = useMemo(
    () => timelineOf(lineage, drawingOf(lineage, open).nodes, Date.now()),
    [lineage, open],
  )
  const { rows, undated, ticks, today } = timeline
  const words = texts().lineage
  const box = useRef<HTMLElement>(null)
  const mark = useRef<HTMLSpanElement>(null)
  // Narrow screens start near today instead of years earlier.
  useLayoutEffect(() => {
    const [frame, now] = [box.current, mark.current]
    if (!frame || !now) return
    const { left, width } = frame.getBoundingClientRect()
    frame.scrollLeft += now.getBoundingClientRect().left - left - width * todayPlace
  }, [])
  if (rows.length === 0) return <p className="quiet">{words.noDates}</p>
  return (
    <>
      <p className="timeline-key">
        <span className="moment-key" aria-hidden="true" /> {words.happened}{' '}
        <span className="moment-key moment-planned" aria-hidden="true" /> {words.planned}{' '}
        <span className="delay-key" aria-hidden="true" /> {words.delay}. {words.datesIn(zone())}
      </p>
      <section ref={box} className="timeline-scroll" aria-label={words.views.timeline} tabIndex={0}>
        <div className="timeline">
          <div className="timeline-axis" aria-hidden="true">
            <div>
              {ticks.map(({ at, label }) => (
                <span
                  key={at}
                  className="timeline-month"
                  style={{ left: `${placeOn(timeline, at)}%` }}
                >
                  {monthText(label, false)}
                </span>
              ))}
              {ticks
                .filter(({ label }, place) => place === 0 || label.endsWith('-01'))
                .map(({ at, label }) => (
                  <span
                    key={at}
                    className="timeline-year"
                    style={{ left: `${placeOn(timeline, at)}%` }}
                  >
                    {label.slice(0, 4)}
                  </span>
                ))}
              {today !== null && (
                <span
                  ref={mark}
                  className="timeline-today"
                  style={{ left: `${placeOn(timeline, today)}%` }}
                >
                  {words.today}
                </span>
              )}
            </div>
          </div>
          <ul>
            {rows.map((row) => (
              <Row key={row.node.key} {...{ api, row, timeline }} />
            ))}
          </ul>
        </div>
      </section>
      {undated.length > 0 && <p className="quiet">{words.undated(undated.length)}</p>}
    </>
  )
}

/** The share of the width before today. The labels stay at the left. */
const todayPlace = 0.75

const Row = ({ api, row, timeline }: { api: Api; row: TimelineRow; timeline: Timeline }) => {
  const { node, name, moments, deviations } = row
  const [first, last] = [moments[0], moments.at(-1)]
  const left = placeOn(timeline, first?.at ?? 0)
  const worst = deviations.toSorted((a, b) => b.days - a.days)[0]
  return (
    <li className="timeline-row">
      <span className="timeline-label">
        {node.group.hasRecord && !node.isMissing ? (
          <Link href={recordLink(api.brand, node.group.path, node.id)}>{name}</Link>
        ) : (
          name
        )}
        <span>{groupSingular(node.group)}</span>
      </span>
      <div className="timeline-track">
        {timeline.ticks.map(({ at }) => (
          <span key={at} className="timeline-tick" style={{ left: `${placeOn(timeline, at)}%` }} />
        ))}
        {timeline.today !== null && (
          <span
            className="timeline-now"
            style={{ left: `${placeOn(timeline, timeline.today)}%` }}
          />
        )}
        <span
          className="timeline-span"
          style={{ left: `${left}%`, width: `${placeOn(timeline, last?.at ?? 0) - left}%` }}
        />
        {deviations.map((each) => (
          <Delay key={each.planned} deviation={each} timeline={timeline} />
        ))}
        <ul>
          {moments.map((moment) => (
            <li
              key={moment.field}
              className={moment.planned ? 'moment moment-planned' : 'moment'}
              style={{ left: `${placeOn(timeline, moment.at)}%` }}
              title={momentTitle(moment)}
            >
              <span className="unseen">{momentTitle(moment)}</span>
            </li>
          ))}
        </ul>
      </div>
      <span className="timeline-dates">
        {worst && <span className={`deviation-${toneOf(worst)}`}>{deviationText(worst)}</span>}
        <span aria-hidden="true">
          {first && dayText(first.value)}
          {last && last.at !== first?.at && ` – ${dayText(last.value)}`}
        </span>
      </span>
    </li>
  )
}

/** A bar from the planned date to the actual one, or to today. */
const Delay = ({ deviation, timeline }: { deviation: Deviation; timeline: Timeline }) => {
  const { planned, actual, days } = deviation
  const end = actual === null ? timeline.today : Date.parse(actual)
  if (days === 0 || end === null) return null
  const [from, to] = [Date.parse(planned), end].toSorted((a, b) => a - b)
  const left = placeOn(timeline, from ?? 0)
  return (
    <span
      className={`delay delay-${toneOf(deviation)}`}
      style={{ left: `${left}%`, width: `${placeOn(timeline, to ?? 0) - left}%` }}
    />
  )
}

const toneOf = ({ days }: Deviation): 'bad' | 'good' => (days > 0 ? 'bad' : 'good')

const deviationText = ({ days, actual }: Deviation): string => {
  const { late, early, onTime, overdue } = texts().lineage
  if (actual === null) return overdue(days)
  return days === 0 ? onTime : days > 0 ? late(days) : early(-days)
}

const momentTitle = ({ label, value }: Moment): string =>
  `${fieldLabel({ label })}: ${dayText(value)}`
