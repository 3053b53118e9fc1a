import { useState } from 'react'
import { Link } from 'wouter'
import type {
  OperatorKeys,
  OperatorUsage,
  OperatorUsageItem,
} from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { groupAt } from '../../contract.ts'
import { countText, dayText, momentText } from '../../figures.ts'
import { Empty, Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { groupTitle } from '../../texts/contract.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { bytesText } from '../bytes.ts'
import { FilterBar, FilterSelect, FilterText, useFilters } from '../filters.tsx'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { useRead } from '../reading.ts'
import { type Column, Table } from '../table.tsx'
import { refusedOf, UsageChart } from './usage-chart.tsx'

const parts = ['key', 'brand', 'operation', 'group', 'day'] as const
type Part = (typeof parts)[number]

/** Requests by day, and by key, brand, operation or group. */
export const UsagePage = () => {
  const words = adminTexts().usage
  const filters = useFilters(['from', 'to', 'key', 'brand', 'by'])
  const { from, to, key, brand, by } = filters.values
  const part = parts.find((each) => each === by) ?? 'key'
  const limits = { from, to, key, brand }
  return (
    <Page title={words.title} about={words.about}>
      <FilterBar filters={filters}>
        <FilterText
          label={words.from}
          type="date"
          value={from}
          onChange={(value) => filters.set({ from: value })}
        />
        <FilterText
          label={words.to}
          type="date"
          value={to}
          onChange={(value) => filters.set({ to: value })}
        />
        <KeyFilter value={key} onChange={(value) => filters.set({ key: value })} />
        <BrandFilter value={brand} onChange={(value) => filters.set({ brand: value })} />
      </FilterBar>
      <section aria-label={words.chart}>
        <UsageChart query={limits} />
      </section>
      <fieldset className="admin-parts">
        <legend>{words.by}</legend>
        {parts.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === part}
            onClick={() => filters.set({ by: each })}
          >
            {words.parts[each]}
          </button>
        ))}
      </fieldset>
      <UsageTable key={part} part={part} query={limits} />
    </Page>
  )
}

interface KeyFilterProps {
  readonly value: string
  readonly onChange: (key: string) => void
}

/** Filters by key: a choice, or a field for its id if there are more keys than one page. */
const KeyFilter = ({ value, onChange }: KeyFilterProps) => {
  const { data } = useRead<OperatorKeys>('/keys')
  const label = adminTexts().usage.parts.key
  if (data?.nextCursor) return <FilterText label={label} value={value} onChange={onChange} />
  const options = (data?.items ?? []).map(({ id, name }) => [id, name || id] as const)
  return <FilterSelect label={label} value={value} options={options} onChange={onChange} />
}

type Limits = { readonly [name in 'from' | 'to' | 'key' | 'brand']: string }

const UsageTable = ({ part, query }: { part: Part; query: Limits }) => {
  const words = adminTexts().usage
  const [opened, setOpened] = useState<string | null>(null)
  const { data, error, refetch } = useRead<OperatorUsage>('/usage', { ...query, by: part })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  if (data.items.length === 0) return <Empty>{words.noRequests}</Empty>
  const items =
    part === 'day'
      ? data.items.toReversed()
      : data.items.toSorted((one, other) => other.requests - one.requests)
  return (
    <>
      <Totals items={data.items} />
      <Table
        label={words.byPart(words.parts[part])}
        columns={columnsOf(part, opened, (id) => setOpened(id === opened ? null : id))}
        rows={items}
        rowKey={(item) => idOf(part, item)}
        details={(item) => (idOf(part, item) === opened ? <UsageDetails item={item} /> : null)}
      />
      {data.isCut && <p className="quiet">{words.isCut}</p>}
    </>
  )
}

const idOf = (part: Part, item: OperatorUsageItem): string => item[part] ?? ''

const Totals = ({ items }: { items: readonly OperatorUsageItem[] }) => {
  const words = adminTexts().usage
  const sum = (count: (item: OperatorUsageItem) => number) =>
    items.reduce((total, item) => total + count(item), 0)
  const facts: readonly (readonly [string, string])[] = [
    [words.requests, countText(sum(({ requests }) => requests))],
    [words.refused, countText(sum(refusedOf))],
    [words.records, countText(sum(({ records }) => records))],
    [words.bytes, bytesText(sum(({ bytes }) => bytes))],
  ]
  return (
    <dl className="admin-facts admin-totals">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const columnsOf = (
  part: Part,
  opened: string | null,
  onOpen: (id: string) => void,
): readonly Column<OperatorUsageItem>[] => {
  const words = adminTexts().usage
  const { details, hideDetails } = adminTexts().tables
  return [
    { key: 'part', title: words.parts[part], cell: (item) => <PartName part={part} item={item} /> },
    {
      key: 'requests',
      title: words.requests,
      isNumber: true,
      cell: ({ requests }) => countText(requests),
    },
    {
      key: 'refused',
      title: words.refused,
      isNumber: true,
      cell: (item) => countText(refusedOf(item)),
    },
    {
      key: 'records',
      title: words.records,
      isNumber: true,
      cell: ({ records }) => countText(records),
    },
    { key: 'bytes', title: words.bytes, isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
    { key: 'last', title: words.last, cell: ({ lastAt }) => <Moment at={lastAt} /> },
    {
      key: 'details',
      title: details,
      isUntitled: true,
      cell: (item) => {
        const isOpen = idOf(part, item) === opened
        return (
          <div className="admin-row-actions">
            <button type="button" aria-expanded={isOpen} onClick={() => onOpen(idOf(part, item))}>
              {isOpen ? hideDetails : details}
            </button>
          </div>
        )
      },
    },
  ]
}

const PartName = ({ part, item }: { part: Part; item: OperatorUsageItem }) => {
  const words = adminTexts().usage
  const value = item[part]
  if (!value) return <span className="quiet">{words.without[part]}</span>
  if (part === 'day') return dayText(value)
  if (part === 'key') {
    return (
      <>
        <span className="admin-name">{item.name || value}</span>
        {item.name && <span className="admin-note mono">{value}</span>}
      </>
    )
  }
  if (part === 'brand') {
    return <Link href={`/keys?${new URLSearchParams({ brand: value })}`}>{value}</Link>
  }
  const group = part === 'group' ? groupAt(value) : undefined
  return group ? groupTitle(group) : <code>{value}</code>
}

/** Errors and addresses, most frequent first. */
const UsageDetails = ({ item }: { item: OperatorUsageItem }) => {
  const words = adminTexts().usage
  const { refusals, addresses, otherAddresses, firstAt } = item
  return (
    <div className="admin-usage-details">
      <Counts title={words.refusals} counts={refusals} none={words.noRefusals} />
      <Counts
        title={words.addresses}
        counts={{ ...addresses, ...(otherAddresses > 0 && { [words.others]: otherAddresses }) }}
        none={words.noAddresses}
      />
      <p className="quiet small">{words.first(momentText(firstAt))}</p>
    </div>
  )
}

interface CountsProps {
  readonly title: string
  readonly counts: { readonly [name: string]: number }
  readonly none: string
}

const Counts = ({ title, counts, none }: CountsProps) => {
  const sorted = Object.entries(counts).toSorted(([, one], [, other]) => other - one)
  return (
    <section>
      <h2>{title}</h2>
      {sorted.length === 0 ? (
        <p className="quiet">{none}</p>
      ) : (
        <ul className="admin-counts">
          {sorted.map(([name, count]) => (
            <li key={name}>
              <code>{name}</code> <span className="number">{countText(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
