import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { RowProblem, SourceRow, Sources } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { countText, momentText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { Failure, Loading } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { Command } from './command.tsx'
import { singularOf, titleOf } from './group-title.ts'

interface QuarantinedRowsProps {
  readonly api: Api
  readonly quarantine: Sources['quarantine']
}

/** The rows that cannot be stored now: why, and what they wait for. */
export const QuarantinedRows = ({ api, quarantine }: QuarantinedRowsProps) => {
  const words = texts().sources
  const [chosen, setGroup] = useState<string | undefined>()
  // The last row of a group may be stored while it is shown.
  const group = quarantine.groups.some((each) => each.group === chosen) ? chosen : undefined
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['quarantined rows', api.brand, group],
      queryFn: ({ signal, pageParam }) => api.sourceRows({ group, cursor: pageParam, signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    },
  )
  const rows = data?.pages.flatMap(({ items }) => items)
  return (
    <section aria-labelledby="sources-rows">
      <div className="sources-section">
        <h2 id="sources-rows">{words.quarantinedRows}</h2>
        <p>{words.rowsMeaning(quarantine.rows, quarantine.waiting)}</p>
      </div>
      <GroupChoice quarantine={quarantine} group={group} onGroup={setGroup} />
      {error && !rows && <Failure error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Loading />}
      {rows && (
        <ul className="sources-rows">
          {rows.map((row) => (
            <li key={row.id}>
              <Row brand={api.brand} row={row} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.moreRows}
        </button>
      )}
      <Command sentence={words.howToCorrect} command={words.rowsCommand(api.brand)} />
    </section>
  )
}

interface GroupChoiceProps extends Pick<QuarantinedRowsProps, 'quarantine'> {
  readonly group: string | undefined
  readonly onGroup: (group: string | undefined) => void
}

/** Shows the rows of one group, if there are several. */
const GroupChoice = ({ quarantine, group, onGroup }: GroupChoiceProps) => {
  const counts = new Map<string, number>()
  for (const { group: path, rows } of quarantine.groups) {
    counts.set(path, (counts.get(path) ?? 0) + rows)
  }
  if (counts.size < 2) return null
  const choices: readonly (readonly [path: string | undefined, title: string, rows: number])[] = [
    [undefined, texts().sources.allGroups, quarantine.rows],
    ...[...counts].map(([path, rows]) => [path, titleOf(path), rows] as const),
  ]
  return (
    <fieldset className="sources-groups">
      <legend className="unseen">{texts().sources.group}</legend>
      {choices.map(([path, title, rows]) => (
        <button
          key={title}
          type="button"
          aria-pressed={path === group}
          onClick={() => onGroup(path)}
        >
          {title} <span className="count">{countText(rows)}</span>
        </button>
      ))}
    </fieldset>
  )
}

const Row = ({ brand, row }: { brand: string; row: SourceRow }) => {
  const words = texts().sources
  const { group, title, key, source, file, line, problems, waitsFor, parent, since } = row
  const place = [source?.name, line === null ? file : words.line(file, line)]
  // What it waits for is said below.
  const shown = waitsFor ? problems.filter(({ severity }) => severity === 'error') : problems
  const name = title ?? problems.find((problem) => problem.key !== null)?.key
  return (
    <article className="source-row">
      <h3>
        {singularOf(group)}{' '}
        {name ?? (key === null ? words.unreadable : <span className="mono">{key}</span>)}
      </h3>
      <p className="sources-quiet">
        {place.filter(Boolean).join(' · ')} ·{' '}
        <time dateTime={since}>{words.since(momentText(since))}</time>
      </p>
      <ul>
        {shown.map((problem) => (
          <Problem key={JSON.stringify(problem)} problem={problem} />
        ))}
      </ul>
      {waitsFor && (
        <p className="source-waits">
          {words.waitsFor(singularOf(waitsFor.group), nameOf(waitsFor.value, problems))}
        </p>
      )}
      {parent && (
        <p>
          {words.partOf}{' '}
          <Link href={recordLink(brand, parent.group, parent.id)}>
            {singularOf(parent.group)} {parent.id}
          </Link>
        </p>
      )}
    </article>
  )
}

/** What the sender calls a missing record, if the problem of the reference says so. */
const nameOf = (id: string, problems: readonly RowProblem[]): string => {
  const suffix = `, id ${id}`
  const named = problems.find(({ value }) => value.endsWith(suffix))
  return named ? named.value.slice(0, -suffix.length) : id
}

/** Reasons are in English: they come from the server. */
const Problem = ({ problem }: { problem: RowProblem }) => {
  const { column, field, value, reason } = problem
  const place = column ?? field.replace(/^\//, '')
  return (
    <li>
      {place !== '' && <code>{place}</code>} {value !== '' && <q>{value}</q>}{' '}
      <span lang="en">{reason}</span>
    </li>
  )
}
