import { useState } from 'react'
import { Link } from 'wouter'
import { formatDecimal, multiplyDecimals, parseDecimal } from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import { type Field, type Group, groupAt } from '../contract.ts'
import { countText, dayText, momentText, moneyText } from '../figures.ts'
import { useLater } from '../later.ts'
import { linkOfQuery, recordLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { usePrinting } from '../printing.ts'
import { fieldLabel, groupSingular } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { Value } from '../value.tsx'
import { currencyOf, isNumeric } from '../values.ts'
import {
  type Column,
  type DocumentRow,
  type DocumentSection,
  type PageDocument,
  type SectionView,
  sectionViews,
} from './document.ts'
import { GoodsCell } from './goods.tsx'
import { Notes } from './note-list.tsx'

interface SectionsProps {
  readonly brand: string
  readonly baseCurrency: string | null
  readonly document: PageDocument
}

/** All sections of a document: full-width tables first, then cards. */
export const Sections = (props: SectionsProps) => {
  const { document } = props
  const views = sectionViews[document.group] ?? {}
  const all = Object.entries(document.sections).map(([name, section]) => ({
    name,
    section,
    view: views[name] ?? { columns: [{ kind: 'name' } as const] },
  }))
  const filled = all.filter(({ section }) => section.totalItems > 0)
  const empty = all.filter(({ section }) => section.totalItems === 0)
  const wide = filled.filter(({ view }) => view.isWide)
  const narrow = filled.filter(({ view }) => !view.isWide)
  const isWhole = useLater() || wide.length === 0
  const show = ({ name, section, view }: (typeof all)[number]) => (
    <SectionCard
      key={name}
      {...props}
      {...{ name, section, view }}
      rowsMax={isWhole ? Number.POSITIVE_INFINITY : firstRows}
    />
  )
  return (
    <>
      {(isWhole ? wide : wide.slice(0, 1)).map(show)}
      {isWhole && <div className="cards">{narrow.map(show)}</div>}
      {isWhole && empty.length > 0 && (
        <p className="quiet small">
          {texts().document.noneOf(
            empty.map(({ name }) => sectionTitle(document, name)).join(', '),
          )}
        </p>
      )}
    </>
  )
}

/** Rows of the first table in the first paint. */
const firstRows = 12

const sectionTitle = ({ group }: PageDocument, name: string): string => {
  const { sections } = texts().document
  return sections[`${group}.${name}`] ?? sections[name] ?? name
}

interface CardProps extends SectionsProps {
  readonly name: string
  readonly section: DocumentSection
  readonly view: SectionView
  readonly rowsMax: number
}

/** Rows of a card before the user asks for more. */
const cardRows = 8

const SectionCard = ({ name, section: whole, view, ...props }: CardProps) => {
  const [isUnfolded, setUnfolded] = useState(false)
  const isOpen = usePrinting() || isUnfolded
  const { totalItems, url } = whole
  const isFolded = !isOpen && !view.isWide && whole.items.length > cardRows + 1
  const section = isFolded ? { ...whole, items: whole.items.slice(0, cardRows) } : whole
  const { items } = section
  const hidden = totalItems - items.length
  const id = `section-${name}`
  return (
    <section className={`section ${view.isWide ? 'section-wide' : ''}`} aria-labelledby={id}>
      <h2 id={id}>
        {sectionTitle(props.document, name)} <span className="count">{countText(totalItems)}</span>
        {url && hidden > 0 && !isFolded && (
          <Link href={linkOfQuery(url)}>{texts().document.showAll}</Link>
        )}
      </h2>
      {view.isProse ? (
        <Notes rows={items.map(({ record }) => record)} />
      ) : (
        <SectionTable {...props} {...{ name, section, view }} />
      )}
      {isFolded ? (
        <button type="button" className="plain" onClick={() => setUnfolded(true)}>
          {texts().document.more(hidden)}
        </button>
      ) : (
        hidden > 0 && <p className="quiet small">{texts().document.more(hidden)}</p>
      )}
    </section>
  )
}

const SectionTable = ({ section, view, rowsMax, ...props }: CardProps) => {
  const group = groupAt(section.group)
  if (!group) return null
  const rows = section.items.slice(0, rowsMax).map((item) => ({
    item,
    record: withParent(group, item, props.document),
  }))
  const columns = view.columns.filter((column) => isNeeded(column, section.items))
  const identity = (row: Row) => group.key.map((field) => String(row[field])).join()
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={labelOf(column, group)} scope="col" className={alignment(column, group)}>
                {labelOf(column, group)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ item, record }) => (
            <tr key={identity(record)} className={record['deletedAt'] ? 'deleted' : ''}>
              {columns.map((column) => (
                <td
                  key={labelOf(column, group)}
                  data-label={labelOf(column, group)}
                  className={`${alignment(column, group)} cell-${column.kind}`}
                >
                  <Cell {...props} {...{ column, group, item, record }} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Adds the document's record to a row, which needs it for the currency of its amounts. */
const withParent = (group: Group, { record }: DocumentRow, document: PageDocument): Row => {
  const parents = group.fields.filter(
    ({ to, include, name }) =>
      to === document.group && include !== null && record[name] === document.id,
  )
  const own = parents.map(({ include }) => [include ?? '', document.record] as const)
  return { ...Object.fromEntries(own), ...record }
}

/** Omits columns that are empty in every row. */
const isNeeded = (column: Column, items: readonly DocumentRow[]): boolean =>
  column.kind !== 'field' || items.some(({ record }) => (record[column.field] ?? null) !== null)

const fieldOf = (group: Group, name: string): Field | undefined =>
  group.fields.find((field) => field.name === name)

/** The field of an included record. */
const includedField = (group: Group, of: string, name: string): Field | undefined => {
  const path = group.fields.find(({ include }) => include === of)?.to ?? null
  const target = path === null ? undefined : groupAt(path)
  return target && fieldOf(target, name)
}

const labelOf = (column: Column, group: Group): string => {
  const { figures, goods, amount, shortLabels } = texts().document
  switch (column.kind) {
    case 'field':
    case 'included': {
      const field =
        column.kind === 'field'
          ? fieldOf(group, column.field)
          : includedField(group, column.of, column.field)
      return shortLabels[column.field] ?? (field ? fieldLabel(field) : column.field)
    }
    case 'figure':
      return figures[column.figure] ?? column.figure
    case 'goods':
      return goods
    case 'amount':
      return amount
    case 'name':
      return groupSingular(group)
  }
}

const alignment = (column: Column, group: Group): string => {
  if (column.kind === 'figure' || column.kind === 'amount') return 'end'
  const field = column.kind === 'field' ? fieldOf(group, column.field) : undefined
  return field && isNumeric(field) ? 'end' : ''
}

interface CellProps extends SectionsProps {
  readonly column: Column
  readonly group: Group
  readonly item: DocumentRow
  readonly record: Row
}

const Cell = ({ column, group, item, record, ...props }: CellProps) => {
  const { brand, baseCurrency, document } = props
  switch (column.kind) {
    case 'goods':
      return (
        <GoodsCell
          {...{ brand, group, record }}
          goods={item.goods ?? null}
          pictures={document.pictures}
        />
      )
    case 'name':
      return <NameCell {...{ brand, group, record }} />
    case 'figure': {
      const pieces = item.figures?.[column.figure] ?? null
      const before = column.of === undefined ? null : (item.figures?.[column.of] ?? null)
      if (pieces === null) return <Dash />
      const isShort = before !== null && pieces < before && pieces > 0
      return <span className={isShort ? 'short' : ''}>{countText(pieces)}</span>
    }
    case 'amount':
      return <LineAmount {...{ group, record, baseCurrency }} />
    case 'included': {
      const field = includedField(group, column.of, column.field)
      const target = (record[column.of] ?? null) as Row | null
      return field && target && (target[field.name] ?? null) !== null ? (
        <FieldCell {...{ brand, record: target, field, baseCurrency }} />
      ) : (
        <Dash />
      )
    }
    case 'field': {
      const field = fieldOf(group, column.field)
      return field && (record[field.name] ?? null) !== null ? (
        <FieldCell {...{ brand, record, field, baseCurrency }} />
      ) : (
        <Dash />
      )
    }
  }
}

interface FieldCellProps {
  readonly brand: string
  readonly record: Row
  readonly field: Field
  readonly baseCurrency: string | null
}

/** Tables show timestamps as days, and prices without zeros beyond cents. */
const FieldCell = ({ brand, record, field, baseCurrency }: FieldCellProps) => {
  const value = String(record[field.name])
  if (field.kind === 'timestamp') {
    return (
      <time dateTime={value} title={momentText(value)}>
        {dayText(value)}
      </time>
    )
  }
  const row =
    field.measure === 'unitPrice'
      ? { ...record, [field.name]: formatDecimal(parseDecimal(value)) }
      : record
  return <Value {...{ brand, row, field, baseCurrency }} />
}

const Dash = () => <span className="quiet">–</span>

const NameCell = ({ brand, group, record }: { brand: string; group: Group; record: Row }) => {
  const name = nameOf(group, record, { short: true })
  const id = group.idField === null ? null : record[group.idField]
  return group.hasRecord && typeof id === 'string' ? (
    <Link href={recordLink(brand, group.path, id)}>{name}</Link>
  ) : (
    name
  )
}

/** The exact product of an order line's pieces and its price. */
const LineAmount = ({
  group,
  record,
  baseCurrency,
}: {
  group: Group
  record: Row
  baseCurrency: string | null
}) => {
  const price = fieldOf(group, 'unitPrice')
  const unitPrice = record['unitPrice']
  if (!price || typeof unitPrice !== 'string') return <Dash />
  const pieces = { units: BigInt(Number(record['qty'])), scale: 0 }
  const amount = formatDecimal(multiplyDecimals(pieces, parseDecimal(unitPrice)))
  return (
    <span className="number">{moneyText(amount, currencyOf(record, price, baseCurrency))}</span>
  )
}
