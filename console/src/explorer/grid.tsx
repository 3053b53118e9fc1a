import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { copyText } from '../copy-text.ts'
import { useLater } from '../later.ts'
import { nameOf } from '../names.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { asText, withoutIncluded } from '../values.ts'
import { Cell, linkOf } from './cell.tsx'
import { type CellContext, type CellProps, derivedValueOf } from './cell-text.ts'
import type { Column } from './column.ts'
import { type Density, rowsOnScreen } from './density.ts'
import { useListKeys } from './list-keys.ts'
import { nextSort } from './list-order.ts'
import type { Sorting } from './list-state.ts'
import {
  identityOf,
  isPageSelected,
  isSelected,
  type Selection,
  toggled,
  toggledPage,
} from './selection.ts'

interface GridProps extends CellContext {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly density: Density
  readonly sorting: Sorting | null
  /** The order without `sort` in the URL. */
  readonly usual: string | null
  /** Receives a value for `sort`; null for the usual order. */
  readonly onSort: (sort: string | null) => void
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
  /** True while the requested page is loading. */
  readonly isStale: boolean
}

interface Place {
  readonly row: number
  readonly column: number
}

/**
 * A page of records as a grid. One cell has the focus: arrow keys move it, Enter opens its link. The
 * first cell of each row selects it.
 */
export const Grid = (props: GridProps) => {
  const { columns, rows, density, sorting, usual, onSort, ...others } = props
  const { selection, onSelect, isStale, ...context } = others
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
  const select = (at: number, isRange: boolean) =>
    onSelect(toggled(group, selection, rows, at, isRange))
  useListKeys({
    move: (by) => {
      const next = Math.max(0, Math.min(place.row + by, rows.length - 1))
      setTouched(true)
      setAt(touched ? { ...place, row: next } : place)
    },
    select: (isRange) => {
      setTouched(true)
      setAt(place)
      select(place.row, isRange)
    },
  })
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
    } else if (event.key === 'c') void copy(exactText({ ...context, row, column }), t.cellCopied)
    else if (event.key === 'C') void copy(jsonOf(row, group), t.rowCopied)
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
          aria-multiselectable="true"
          aria-busy={isStale}
          onKeyDown={onKeyDown}
          onClick={(event) => {
            const clicked = placeOf(event.target)
            if (!clicked || clicked.column < 0) return
            setTouched(true)
            setAt(clicked)
          }}
          onDoubleClick={(event) => {
            const at = placeOf(event.target)
            const clicked = at && at.column >= 0 ? rows[at.row] : undefined
            if (clicked) open(clicked)
          }}
        >
          <thead>
            <tr>
              <td className="select">
                <input
                  type="checkbox"
                  aria-label={t.selectPage}
                  checked={isPageSelected(group, selection, rows)}
                  onChange={() => onSelect(toggledPage(group, selection, rows))}
                />
              </td>
              {columns.map((each) => (
                <ColumnHead key={each.key} column={each} {...{ sorting, usual, onSort }} />
              ))}
            </tr>
          </thead>
          <tbody>
            {(isLater ? rows : rows.slice(0, first)).map((each, index) => (
              <tr
                key={identityOf(group, each)}
                className={each['deletedAt'] ? 'row-deleted' : undefined}
                aria-selected={isSelected(group, selection, each)}
              >
                <td className="select">
                  <input
                    type="checkbox"
                    // The keyboard selects the row of the focused cell.
                    tabIndex={-1}
                    aria-label={t.selectRow(nameOf(group, each))}
                    checked={isSelected(group, selection, each)}
                    onChange={({ nativeEvent }) =>
                      select(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
                    }
                  />
                </td>
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
              <Copy label={t.copyCell} text={() => exactText({ ...context, row, column })} />
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
  readonly usual: string | null
  readonly onSort: (sort: string | null) => void
}

/** The head of a column. It is a button if the column can sort the list. */
const ColumnHead = ({ column, sorting, usual, onSort }: ColumnHeadProps) => {
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
          onClick={() => onSort(nextSort(sorting, sort, isRight || !fields.every(isText), usual))}
        >
          {label}
        </button>
      )}
    </th>
  )
}

const isText = (field: Column['fields'][number]): boolean => field.kind === 'text'

/** The text to copy: the exact value, or the values of the cell's fields. */
const exactText = (props: CellProps): string => {
  const { column, row } = props
  if (column.derived !== null) {
    const value = derivedValueOf(props)
    return value?.title ?? value?.text ?? ''
  }
  return column.fields
    .map(({ name }) => asText(row[name]))
    .filter((text) => text !== '')
    .join(' ')
}

const jsonOf = (row: Row, group: Group): string =>
  JSON.stringify(withoutIncluded(row, group), null, 2)

const cellAt = (table: HTMLTableElement | null, { row, column }: Place): HTMLElement | undefined =>
  table?.tBodies[0]?.rows[row]?.cells[column + selectCells]

/** The cells of a row before those of its columns. */
const selectCells = 1

/** The position of the body cell around an element; column -1 selects the row. */
const placeOf = (target: EventTarget): Place | null => {
  const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('tbody td') : null
  const row = cell?.closest('tr')
  return cell && row ? { row: row.sectionRowIndex, column: cell.cellIndex - selectCells } : null
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
