import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { countOf, dayText, monthText } from '../figures.ts'
import { recordLink } from '../links.ts'
import type { Lineage } from './lineage.ts'
import { type Moment, placeOn, type Timeline, type TimelineRow, timelineOf } from './timeline.ts'

/** The same records on one axis of time: a dot for each date, hollow where it was planned. */
export const TimelineView = ({ api, lineage }: { api: Api; lineage: Lineage }) => {
  const timeline = timelineOf(lineage)
  const { rows, undated, ticks } = timeline
  if (rows.length === 0) return <p className="part-empty">None of these records has a date.</p>
  return (
    <>
      <p className="timeline-key">
        <span className="moment-key" aria-hidden="true" /> happened{' '}
        <span className="moment-key moment-planned" aria-hidden="true" /> planned or due. Dates are
        in UTC.
      </p>
      <section className="timeline-scroll" aria-label="Timeline" tabIndex={0}>
        <div className="timeline">
          <div className="timeline-axis" aria-hidden="true">
            <div>
              {ticks.map(({ at, label }, place) => (
                <span key={at} style={{ left: `${placeOn(timeline, at)}%` }}>
                  {monthText(label, place === 0 || label.endsWith('-01'))}
                </span>
              ))}
            </div>
          </div>
          <ul>
            {rows.map((row) => (
              <Row key={row.node.key} {...{ api, row, timeline }} />
            ))}
          </ul>
        </div>
      </section>
      {undated.length > 0 && (
        <p className="timeline-undated">{countOf(undated.length, 'record')} without any date.</p>
      )}
    </>
  )
}

const Row = ({ api, row, timeline }: { api: Api; row: TimelineRow; timeline: Timeline }) => {
  const { node, name, moments } = row
  const [first, last] = [moments[0], moments.at(-1)]
  const left = placeOn(timeline, first?.at ?? 0)
  return (
    <li className="timeline-row">
      <span className="timeline-label">
        {node.group.hasRecord && !node.isMissing ? (
          <Link href={recordLink(api.brand, node.group.path, node.id)}>{name}</Link>
        ) : (
          name
        )}
        <span>{node.group.singular}</span>
      </span>
      <div className="timeline-track">
        {timeline.ticks.map(({ at }) => (
          <span key={at} className="timeline-tick" style={{ left: `${placeOn(timeline, at)}%` }} />
        ))}
        <span
          className="timeline-span"
          style={{ left: `${left}%`, width: `${placeOn(timeline, last?.at ?? 0) - left}%` }}
        />
        <ul>
          {moments.map((moment) => (
            <li
              key={moment.field}
              className={moment.planned ? 'moment moment-planned' : 'moment'}
              style={{ left: `${placeOn(timeline, moment.at)}%` }}
              title={momentTitle(moment)}
            >
              <span className="charts-unseen">{momentTitle(moment)}</span>
            </li>
          ))}
        </ul>
      </div>
      <span className="timeline-dates" aria-hidden="true">
        {first && dayText(first.value)}
        {last && last.at !== first?.at && ` – ${dayText(last.value)}`}
      </span>
    </li>
  )
}

const momentTitle = ({ label, value }: Moment): string => `${label}: ${dayText(value)} (${value})`
