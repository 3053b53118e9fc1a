import { useQuery } from '@tanstack/react-query'
import type { Source, Sources } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { countText, momentText } from '../figures.ts'
import { Failure, Loading } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { attentionNotes } from './attention.tsx'
import { Command } from './command.tsx'
import { durationText } from './duration.ts'
import { QuarantinedRows } from './quarantined-rows.tsx'
import { sourcesQuery } from './sources-data.ts'
import { Units } from './units.tsx'
import './sources.css'

/** Where the records of a brand come from, what waits, and what the last units changed. */
export const SourcesPage = ({ api }: { api: Api }) => {
  const words = texts().sources
  useTitle(words.title, api.brand)
  const { data, error, refetch } = useQuery(sourcesQuery(api))
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <div className="sources">
      <header>
        <h1>{words.title}</h1>
        <p className={data.needsAttention ? 'sources-warn' : 'sources-quiet'}>{stateOf(data)}</p>
      </header>
      {data.sources.length > 0 && (
        <section aria-label={words.title}>
          <ul className="sources-list">
            {data.sources.toSorted(failingFirst).map((source) => (
              <li key={`${source.kind} ${source.name}`}>
                <SourceFacts source={source} />
              </li>
            ))}
          </ul>
          {data.sources.some(({ state }) => state === 'failing') && (
            <Command sentence={words.whyFailing} command={words.failingCommand(api.brand)} />
          )}
        </section>
      )}
      {data.quarantine.rows > 0 && <QuarantinedRows api={api} quarantine={data.quarantine} />}
      <Units api={api} />
    </div>
  )
}

const stateOf = (data: Sources): string => {
  const words = texts().sources
  if (data.needsAttention) return attentionNotes(data).join(' · ')
  return data.sources.length === 0 ? words.noSources : words.allWell(data.sources.length)
}

const failingFirst = (one: Source, other: Source): number =>
  Number(other.state === 'failing') - Number(one.state === 'failing')

const tones = { idle: 'good', working: 'quiet', failing: 'bad' } as const

type Fact = readonly [label: string, value: string, isBad?: boolean]

/** A key that is limited to groups does not learn what a source has of all of them. */
const counted = (label: string, count: number | null, isBad = false): readonly Fact[] =>
  count === null ? [] : [[label, countText(count), isBad && count > 0]]

const SourceFacts = ({ source }: { source: Source }) => {
  const words = texts().sources
  const { kind, name, state, succeededAt, failedAt, behindSince } = source
  const lag = behindSince === null ? null : Math.max(0, Date.now() - Date.parse(behindSince))
  const facts: readonly Fact[] = [
    [words.lastSuccess, succeededAt === null ? words.never : momentText(succeededAt)],
    [
      words.lastFailure,
      failedAt === null ? words.never : momentText(failedAt),
      failedAt !== null && state === 'failing',
    ],
    [words.lag, lag === null ? words.none : durationText(lag)],
    ...counted(words.waiting, source.waiting),
    ...counted(words.processed, source.processed),
    ...counted(words.failed, source.failed),
    ...counted(words.units, source.quarantinedUnits, true),
    [words.rows, countText(source.quarantinedRows), source.quarantinedRows > 0],
  ]
  return (
    <article className="source">
      <h2>
        {name} <span className="source-kind">{words.kinds[kind]}</span>{' '}
        <span className={`chip chip-${tones[state]}`}>{words.states[state]}</span>
      </h2>
      <dl>
        {facts.map(([label, value, isBad]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd className={isBad ? 'sources-warn' : undefined}>{value}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
