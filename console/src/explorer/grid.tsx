import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Row } from '../api.ts'
import type { Field, Group } from '../contract.ts'
import { Copy, copyText } from '../copy.tsx'
import { recordLink } from '../links.ts'
import { hasTextTitle, nameOf } from '../names.ts'
import { isNumeric, Value } from '../value.tsx'
import { asText, withoutIncluded } from '../values.ts'

interface GridProps {
  readonly brand: string
  readonly group: Group
  readonly fields: readonly Field[]
  readonly rows: readonly Row[]
  readonly baseCurrency: string | null
  /** True while the requested page is loading. */
  readonly isStale: boolean
}

interface Place {
  readonly row: number
  readonly column: number
}

/** A page of records. One cell has the focus: arrows move it, Enter opens its link. */
export const Grid = ({ brand, group, fields, rows, baseCurrency, isStale }: GridProps) => {
  const [at, setAt] = useState<Place>({ row: 0, column: 0 })
  const [touched, setTouched] = useState(false)
  const [said, setSaid] = useState('')
  const [, navigate] = useLocation()
  const table = useRef<HTMLTableElement>(null)
  const place = {
    row: Math.min(at.row, rows.length - 1),
    column: Math.min(at.column, fields.length - 1),
  }
  const row = rows[place.row]
  const field = fields[place.column]

  useEffect(() => {
    if (touched) cellAt(table.current, at)?.focus()
  }, [at, touched])

  const open = (each: Row) => {
    const link = linkOf(brand, group, each)
    if (link) navigate(link)
  }
  const copy = async (text: string, what: string) => {
    setSaid((await copyText(text)) ? `${what} was copied.` : `${what} could not be copied.`)
    setTimeout(() => setSaid(''), 1_500)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !row || !field) return
    const target = moveBy(event.key, place, rows.length, fields.length)
    if (target) {
      setTouched(true)
      setAt(target)
    } else if (event.key === 'Enter') {
      const link = cellAt(table.current, place)?.querySelector('a')
      if (link) link.click()
      else open(row)
    } else if (event.key === 'c') void copy(asText(row[field.name]), 'The cell')
    else if (event.key === 'j') void copy(jsonOf(row, group), 'The row')
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="grid-scroll" role="region" aria-label={`${group.title}, table`}>
        <table
          ref={table}
          role="grid"
          className="grid"
          aria-rowcount={rows.length}
          aria-busy={isStale}
          onKeyDown={onKeyDown}
        >
          <thead>
            <tr role="row">
              {fields.map((each) => (
                <th
                  key={each.name}
                  scope="col"
                  title={each.meaning}
                  className={isRight(group, each) ? 'right' : undefined}
                >
                  {isNamedBy(group, each) ? group.singular : each.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((each, index) => (
              <tr
                key={group.key.map((name) => String(each[name])).join(' ')}
                className={each['deletedAt'] ? 'deleted' : undefined}
                onDoubleClick={() => open(each)}
              >
                {fields.map((column, number) => {
                  const isHere = index === place.row && number === place.column
                  return (
                    <td
                      key={column.name}
                      role="gridcell"
                      tabIndex={isHere ? 0 : -1}
                      data-here={isHere && touched}
                      className={isRight(group, column) ? 'right' : undefined}
                      onClick={() => {
                        setTouched(true)
                        setAt({ row: index, column: number })
                      }}
                    >
                      {column.name === group.titleField || (number === 0 && !column.to) ? (
                        <TitleCell {...{ brand, group, row: each, field: column, baseCurrency }} />
                      ) : (
                        <Value {...{ brand, row: each, field: column, baseCurrency }} inTable />
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="grid-foot">
        {row && field && touched ? (
          <>
            <p className="grid-meaning">
              <strong>{field.label}</strong> <span className="quiet">{field.meaning}</span>
            </p>
            <span className="grid-actions">
              <span role="status">{said}</span>
              <Copy label="Copy cell" text={() => asText(row[field.name])} />
              <Copy label="Copy row as JSON" text={() => jsonOf(row, group)} />
            </span>
          </>
        ) : (
          <p className="quiet">
            Select a cell to see what it means, or to copy the cell or its row.
          </p>
        )}
      </div>
    </>
  )
}

interface TitleCellProps {
  readonly brand: string
  readonly group: Group
  readonly row: Row
  readonly field: Field
  readonly baseCurrency: string | null
}

/** The cell with the name of the record links to it. */
const TitleCell = ({ brand, group, row, field, baseCurrency }: TitleCellProps) => {
  const link = linkOf(brand, group, row)
  const name = nameOf(group, row)
  const value = isNamedBy(group, field) ? (
    name
  ) : (
    <Value {...{ brand, row, field, baseCurrency }} inTable />
  )
  if (link === null) return value
  return (
    <Link href={link} tabIndex={-1} className="title-link" aria-label={name}>
      {value}
    </Link>
  )
}

/** If the title is only a number, its column shows the names of the records instead. */
const isNamedBy = (group: Group, { name }: Field): boolean =>
  name === group.titleField && !hasTextTitle(group)

const isRight = (group: Group, field: Field): boolean =>
  isNumeric(field) && !isNamedBy(group, field)

const linkOf = (brand: string, group: Group, row: Row): string | null =>
  group.hasRecord && group.idField !== null
    ? recordLink(brand, group.path, String(row[group.idField]))
    : null

const jsonOf = (row: Row, group: Group): string =>
  JSON.stringify(withoutIncluded(row, group), null, 2)

const cellAt = (table: HTMLTableElement | null, { row, column }: Place): HTMLElement | undefined =>
  table?.tBodies[0]?.rows[row]?.cells[column]

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
