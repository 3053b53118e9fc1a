import { useState } from 'react'
import type { OperatorRow, OperatorRowCells } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { momentText } from '../../figures.ts'
import { singularOf, titleOf } from '../../sources/group-title.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import { useAdmin } from '../admin.ts'
import { Confirm } from '../form-dialog.tsx'
import { fieldOf } from '../intake/unit-report.tsx'
import { useRead, useReload } from '../reading.ts'
import { rowPaths } from './row-paths.ts'

/** Rows by source and reason, in the order in which each first appears. */
export const RowList = ({ brand, rows }: { brand: string; rows: readonly OperatorRow[] }) => {
  const words = adminTexts().quarantine
  const groups = Map.groupBy(rows, groupKey)
  return [...groups].map(([key, members]) => {
    const [first] = members
    const problem = first?.problems[0]
    return (
      <section key={key} className="admin-rows" aria-label={problem?.reason ?? words.noReason}>
        <h3>
          {problem && <code>{fieldOf(problem)}</code>}{' '}
          <span lang="en">{problem?.reason ?? words.noReason}</span>{' '}
          <span className="count">{words.shownRows(members.length)}</span>
        </h3>
        <p className="admin-note">
          {first?.source?.name ?? words.byCommand} · {first && titleOf(first.collection)}
        </p>
        <ul>
          {members.map((row) => (
            <li key={row.id}>
              <Row brand={brand} row={row} />
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

/** Reasons do not contain the values of a row, so that rows with one mistake have one reason. */
const groupKey = ({ source, collection, problems: [problem] }: OperatorRow): string =>
  JSON.stringify([source, collection, problem && fieldOf(problem), problem?.reason])

const Row = ({ brand, row }: { brand: string; row: OperatorRow }) => {
  const words = adminTexts().quarantine
  const { sources } = texts()
  const [isOpen, setOpen] = useState(false)
  const { title, key, file, line, problems, waitsFor, since, triedAt } = row
  const name = title ?? problems.find((problem) => problem.key !== null)?.key ?? key
  return (
    <article className="admin-row">
      <div className="admin-row-head">
        <h4>{name ?? sources.unreadable}</h4>
        <Discard brand={brand} row={row} />
      </div>
      <p className="admin-note">
        {line === null ? file : sources.line(file, line)} ·{' '}
        <time dateTime={since}>{sources.since(momentText(since))}</time> ·{' '}
        <time dateTime={triedAt}>{words.triedAt(momentText(triedAt))}</time>
      </p>
      <ul className="admin-row-problems">
        {problems.map((problem, at) => (
          <li key={JSON.stringify(problem)}>
            <code>{fieldOf(problem)}</code> {problem.value !== '' && <q>{problem.value}</q>}{' '}
            {/* The heading has the first reason. */}
            {at > 0 && <span lang="en">{problem.reason}</span>}
          </li>
        ))}
      </ul>
      {waitsFor && <p>{sources.waitsFor(singularOf(waitsFor.collection), waitsFor.value)}</p>}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.cells}</summary>
        {isOpen && <Cells brand={brand} id={row.id} />}
      </details>
    </article>
  )
}

/** What was received. Read when it is looked at: rows can be long. */
const Cells = ({ brand, id }: { brand: string; id: string }) => {
  const words = adminTexts().quarantine
  const path = `/rows/${encodeURIComponent(id)}`
  const { data, error, refetch } = useRead<OperatorRowCells>(path, { brand })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} />
  if (data.cells === null) return <p className="quiet">{words.noCells}</p>
  return (
    <>
      <dl className="admin-facts admin-cells">
        {data.cells.map(({ column, text }) => (
          <div key={column}>
            <dt>
              <code>{column}</code>
            </dt>
            <dd>{text === '' ? '–' : text}</dd>
          </div>
        ))}
      </dl>
      {data.hasMoreCells && <p className="quiet">{words.moreCells}</p>}
    </>
  )
}

const Discard = ({ brand, row }: { brand: string; row: OperatorRow }) => {
  const [isAsking, setAsking] = useState(false)
  const { api, report } = useAdmin()
  const reload = useReload()
  const words = adminTexts().quarantine
  const discard = async () => {
    const { discarded } = await api.change<{ discarded: number }>('POST', '/rows/discard', {
      ...{ brand, ids: [row.id] },
    })
    report(words.discarded(discarded))
    setAsking(false)
    await reload(...rowPaths)
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {words.discardRow}
      </button>
      {isAsking && (
        <Confirm
          title={words.discardRowTitle}
          action={words.discardRow}
          onSubmit={discard}
          onClose={() => setAsking(false)}
        >
          <p>{words.discardMeaning}</p>
        </Confirm>
      )}
    </>
  )
}
