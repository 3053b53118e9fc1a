import { Fragment, type ReactNode } from 'react'
import type { OperatorPage } from '../../../src/contract/index.ts'
import { Skeleton } from '../charts/part.tsx'
import { useIsNarrow } from '../shell/narrow.ts'
import { Empty, Failure } from '../states.tsx'
import { adminTexts } from '../texts/admin.ts'
import type { Paged } from './reading.ts'
import '../charts/charts.css'

export interface Column<T> {
  readonly key: string
  readonly title: string
  readonly cell: (row: T) => ReactNode
  readonly isNumber?: boolean
  /** A heading that only screen readers have, as that of buttons. */
  readonly isUntitled?: boolean
}

interface TableProps<T> {
  /** What the table contains. */
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  /** What is shown below a row; null for nothing. */
  readonly details?: (row: T) => ReactNode | null
}

/** A table; on a phone, a list with a card for each row. The first column names the row. */
export const Table = <T,>(props: TableProps<T>) =>
  useIsNarrow() ? <Cards {...props} /> : <WideTable {...props} />

const WideTable = <T,>({ label, columns, rows, rowKey, details }: TableProps<T>) => (
  <div className="admin-table-scroll">
    <table className="admin-table" aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ key, title, isNumber, isUntitled }) => (
            <th key={key} scope="col" className={isNumber ? 'number' : undefined}>
              {isUntitled ? <span className="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const below = details?.(row) ?? null
          return (
            <Fragment key={rowKey(row)}>
              <tr data-open={below !== null}>
                {columns.map(({ key, cell, isNumber }, at) =>
                  at === 0 ? (
                    <th key={key} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={key} className={isNumber ? 'number' : undefined}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
              {below !== null && (
                <tr className="admin-details">
                  <td colSpan={columns.length}>{below}</td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  </div>
)

const Cards = <T,>({ label, columns, rows, rowKey, details }: TableProps<T>) => {
  const [first, ...others] = columns
  return (
    <ul className="admin-cards" aria-label={label}>
      {rows.map((row) => (
        <li key={rowKey(row)}>
          <div className="admin-card-title">{first?.cell(row)}</div>
          <dl>
            {others
              .filter(({ isUntitled }) => !isUntitled)
              .map(({ key, title, cell }) => (
                <div key={key}>
                  <dt>{title}</dt>
                  <dd>{cell(row)}</dd>
                </div>
              ))}
          </dl>
          {others
            .filter(({ isUntitled }) => isUntitled)
            .map(({ key, cell }) => (
              <div key={key}>{cell(row)}</div>
            ))}
          {details?.(row)}
        </li>
      ))}
    </ul>
  )
}

interface PagedTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly list: Pick<
    Paged<OperatorPage<T>>,
    'rows' | 'error' | 'isReadingMore' | 'readMore' | 'retry'
  >
  /** Whether filters hide rows. */
  readonly isFiltered?: boolean
  /** What to do if there is nothing at all. */
  readonly empty: ReactNode
}

/** The rows of a list with its states: loading, failed, empty, and more to read. */
export const PagedTable = <T,>({ list, isFiltered, empty, ...table }: PagedTableProps<T>) => {
  const { rows, error, isReadingMore, readMore, retry } = list
  const words = adminTexts().tables
  return (
    <>
      {rows && rows.length > 0 && <Table {...table} rows={rows} />}
      {rows?.length === 0 && <Empty>{isFiltered ? <p>{words.nothingFound}</p> : empty}</Empty>}
      {!rows && !error && <Skeleton lines={8} />}
      {error && <Failure error={error} onRetry={retry} />}
      {readMore && (
        <button type="button" className="admin-more" disabled={isReadingMore} onClick={readMore}>
          {isReadingMore ? words.working : words.more}
        </button>
      )}
    </>
  )
}
