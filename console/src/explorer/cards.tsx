import { Link } from 'wouter'
import type { Row } from '../api.ts'
import { nameOf } from '../names.ts'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { Cell, isEmptyIn, linkOf } from './cell.tsx'
import type { CellContext } from './cell-text.ts'
import type { Column } from './column.ts'
import { identityOf, isSelected, type Selection, toggled } from './selection.ts'

interface CardsProps extends CellContext {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly isStale: boolean
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
}

/** Facts below the head of a card. */
const factsMax = 3

/** A page of records on a narrow screen: name, status, a few facts, and the amount. */
export const Cards = ({ columns, rows, isStale, selection, onSelect, ...context }: CardsProps) => {
  const { api, group } = context
  const t = texts().explorer
  const parts = partsOf(columns)
  return (
    <ul className="cards" aria-label={t.table(groupTitle(group))} aria-busy={isStale}>
      {rows.map((row, index) => {
        const cell = (column: Column | undefined) =>
          column && !isEmptyIn(column, [row]) && <Cell {...context} column={column} row={row} />
        const link = linkOf(api.brand, group, row)
        return (
          <li
            key={identityOf(group, row)}
            className={row['deletedAt'] ? 'card row-deleted' : 'card'}
          >
            {parts.picture && <div className="card-picture">{cell(parts.picture)}</div>}
            <div className="card-head">
              <span className="card-title">{cell(parts.title)}</span>
              {cell(parts.status)}
              <label className="card-select">
                <input
                  type="checkbox"
                  aria-label={t.selectRow(nameOf(group, row))}
                  checked={isSelected(group, selection, row)}
                  onChange={() => onSelect(toggled(group, selection, rows, index, false))}
                />
              </label>
            </div>
            <dl>
              {parts.facts
                .filter((column) => !isEmptyIn(column, [row]))
                .slice(0, factsMax)
                .map((column) => (
                  <div key={column.key}>
                    <dt>{column.label}</dt>
                    <dd>{cell(column)}</dd>
                  </div>
                ))}
              {parts.amount && !isEmptyIn(parts.amount, [row]) && (
                <div className="card-amount">
                  <dt>{parts.amount.label}</dt>
                  <dd>{cell(parts.amount)}</dd>
                </div>
              )}
            </dl>
            {link && <Link href={link} className="card-link" tabIndex={-1} aria-hidden="true" />}
          </li>
        )
      })}
    </ul>
  )
}

interface CardParts {
  readonly picture: Column | undefined
  readonly title: Column | undefined
  readonly status: Column | undefined
  readonly amount: Column | undefined
  readonly facts: readonly Column[]
}

/** Assigns the shown columns to the parts of a card. */
export const partsOf = (columns: readonly Column[]): CardParts => {
  const isOf = (test: (field: Column['fields'][number]) => boolean) => (column: Column) =>
    column.show === 'value' && column.fields.some(test)
  const picture = columns.find(({ show }) => show === 'picture')
  const title = columns.find(({ show }) => show === 'name' || show === 'subject') ?? columns[0]
  const status =
    columns.find(isOf(({ name }) => name === 'status')) ??
    columns.find(isOf(({ lifecycle }) => lifecycle.length > 0))
  const amount = columns.findLast(isOf(({ measure }) => measure === 'money'))
  const used = [picture, title, status, amount]
  // A card has one title: the subject of the record or its name.
  const facts = columns.filter((each) => !used.includes(each) && each.show !== 'name')
  return { picture, title, status, amount, facts }
}
