import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { copyText } from '../copy-text.ts'
import { useLater } from '../later.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { asText, withoutIncluded } from '../values.ts'
import { Cell, type CellContext, linkOf } from './cell.tsx'
import type { Column } from './column.ts'
import { type Density, rowsOnScreen } from './density.ts'
import { nextSort, type Sorting } from './list-state.ts'

interface GridProps extends CellContext {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly density: Density
  readonly sorting: Sorting | null
  /** Receives a value for `sort`; null for the default order. */
  readonly onSort: (sort: string | null) => void
  /** True while the requested page is loading. */
  readonly isStale: boolean
}

interface Place {
  readonly row: number
  readonly column: number
}

/**
 * A page of records as a grid. One cell has the focus: arrow keys move it, Enter opens its link.
 */
export const Grid = (props: GridProps) => {
  const { columns, rows, density, sorting, onSort, isStale, ...context } = props
  const { api, group } = context
  const [at, setAt] = useState<Place>({ row: 0, column: 0 })
  const [touched, setTouched] = useState(false)
  const [said, setSaid] = useState('')
  const [, navigate] = useLocation()
  const table = useRef<HTMLTableElement>(null)
  const t = texts().explorer
  const place = {
    row: Math.min(at.row, rows.length - 1),
    column: Math.min(at.column, columns.length - 1),
  }
  const isLater = useLater()
  const [first] = useState(() => rowsOnScreen(density))
  const row = rows[place.row]
  const column = columns[place.column]

  useEffect(() => {
    if (touched) cellAt(table.current, at)?.focus()
  }, [at, touched])

  const open = (each: Row) => {
    const link = linkOf(api.brand, group, each)
    if (link) navigate(link)
  }
  const copy = async (text: string, done: string) => {
    setSaid((await copyText(text)) ? done : t.notCopied)
    setTimeout(() => setSaid(''), 1_500)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const isInBody = event.target instanceof Element && event.target.closest('tbody') !== null
    if (event.ctrlKey || event.metaKey || event.altKey || !row || !column || !isInBody) return
    const target = moveBy(event.key, place, rows.length, columns.length)
    if (target) {
      setTouched(true)
      setAt(target)
    } else if (event.key === 'Enter') {
      const link = cellAt(table.current, place)?.querySelector('a')
      if (link) link.click()
      else open(row)
    } else if (event.key === 'c') void copy(cellText(row, column), t.cellCopied)
    else if (event.key === 'j') void copy(jsonOf(row, group), t.rowCopied)
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="grid-scroll" role="region" aria-label={t.table(groupTitle(group))}>
        <table
          ref={table}
          role="grid"
          className={`grid grid-${density}`}
          aria-rowcount={rows.length}
          aria-busy={isStale}
          onKeyDown={onKeyDown}
          onClick={(event) => {
            const clicked = placeOf(event.target)
            if (!clicked) return
            setTouched(true)
            setAt(clicked)
          }}
          onDoubleClick={(event) => {
            const clicked = rows[placeOf(event.target)?.row ?? -1]
            if (clicked) open(clicked)
          }}
        >
          <thead>
            <tr>
              {columns.map((each) => (
                <ColumnHead key={each.key} column={each} sorting={sorting} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {(isLater ? rows : rows.slice(0, first)).map((each, index) => (
              <tr
                key={group.key.map((name) => String(each[name])).join(' ')}
                className={each['deletedAt'] ? 'row-deleted' : undefined}
              >
                {columns.map((one, number) => {
                  const isHere = index === place.row && number === place.column
                  return (
                    <td
                      key={one.key}
                      tabIndex={isHere ? 0 : undefined}
                      data-here={(isHere && touched) || undefined}
                      className={cellClass(one)}
                    >
                      <Cell {...context} column={one} row={each} />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="grid-foot">
        {row && column && touched ? (
          <>
            <p className="grid-meaning">
              <strong>{column.label}</strong>{' '}
              <span className="quiet" lang="en">
                {column.meaning}
              </span>
            </p>
            <span className="grid-actions">
              <span role="status">{said}</span>
              <Copy label={t.copyCell} text={() => cellText(row, column)} />
              <Copy label={t.copyRow} text={() => jsonOf(row, group)} />
            </span>
          </>
        ) : (
          <p className="quiet">{t.selectCell}</p>
        )}
      </div>
    </>
  )
}

interface ColumnHeadProps {
  readonly column: Column
  readonly sorting: Sorting | null
  readonly onSort: (sort: string | null) => void
}

/** The head of a column. It is a button if the column can sort the list. */
const ColumnHead = ({ column, sorting, onSort }: ColumnHeadProps) => {
  const { label, meaning, sort, isRight, fields } = column
  const current = sort !== null && sorting?.field === sort ? sorting : null
  const order = current ? (current.isDescending ? 'descending' : 'ascending') : 'none'
  return (
    <th
      scope="col"
      title={meaning}
      className={isRight ? 'right' : undefined}
      aria-sort={sort === null ? undefined : order}
    >
      {sort === null ? (
        label
      ) : (
        <button
          type="button"
          className="sort"
          // Sorts everything but text in descending order first: large and recent values matter
          // most.
          onClick={() => onSort(nextSort(sorting, sort, !fields.every(isText)))}
        >
          {label}
        </button>
      )}
    </th>
  )
}

const isText = (field: Column['fields'][number]): boolean => field.kind === 'text'

/** The text to copy: the values of the cell's fields. */
const cellText = (row: Row, { fields }: Column): string =>
  fields
    .map(({ name }) => asText(row[name]))
    .filter((text) => text !== '')
    .join(' ')

const jsonOf = (row: Row, group: Group): string =>
  JSON.stringify(withoutIncluded(row, group), null, 2)

const cellAt = (table: HTMLTableElement | null, { row, column }: Place): HTMLElement | undefined =>
  table?.tBodies[0]?.rows[row]?.cells[column]

/** The position of the body cell around an element. */
const placeOf = (target: EventTarget): Place | null => {
  const cell = target instanceof Element ? target.closest('td') : null
  const row = cell?.closest('tr')
  return cell && row ? { row: row.sectionRowIndex, column: cell.cellIndex } : null
}

const cellClass = ({ isRight, show }: Column): string | undefined =>
  isRight ? 'right' : show === 'route' ? 'route' : undefined

const moveBy = (key: string, { row, column }: Place, rows: number, columns: number) => {
  const targets: { readonly [key: string]: Place } = {
    ArrowDown: { row: Math.min(row + 1, rows - 1), column },
    ArrowUp: { row: Math.max(row - 1, 0), column },
    ArrowRight: { row, column: Math.min(column + 1, columns - 1) },
    ArrowLeft: { row, column: Math.max(column - 1, 0) },
    Home: { row, column: 0 },
    End: { row, column: columns - 1 },
  }
  return Object.hasOwn(targets, key) ? targets[key] : undefined
}
