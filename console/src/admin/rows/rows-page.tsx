import { useState } from 'react'
import type { OperatorRow, OperatorRows } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { countText } from '../../figures.ts'
import { titleOf } from '../../sources/group-title.ts'
import { Empty, Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import { useAdmin } from '../admin.ts'
import { BrandFilter, sharedOwner, useBrands } from '../brand-filter.tsx'
import { FilterBar, FilterSelect, type Filters, useFilters } from '../filters.tsx'
import { Confirm } from '../form-dialog.tsx'
import { Page } from '../page.tsx'
import { usePaged, useReload } from '../reading.ts'
import { Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'
import { Corrections } from './corrections.tsx'
import { RowList } from './row-list.tsx'
import { rowPaths } from './row-paths.ts'
import './rows.css'

/** The rows of a brand that cannot be stored now. */
export const RowsPage = () => {
  const words = adminTexts().quarantine
  const filters = useFilters(['brand', 'source', 'collection'])
  const brands = useBrands()
  const brand = filters.values.brand || (brands.rows && (brands.rows[0]?.slug ?? sharedOwner))
  return (
    <Page title={words.title} about={words.about}>
      {brand ? (
        <BrandRows key={brand} brand={brand} filters={filters} />
      ) : brands.error ? (
        <Failure error={brands.error} onRetry={brands.retry} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  )
}

interface BrandRowsProps {
  readonly brand: string
  readonly filters: Filters<'brand' | 'source' | 'collection'>
}

const BrandRows = ({ brand, filters }: BrandRowsProps) => {
  const words = adminTexts().quarantine
  const { source, collection } = filters.values
  const selection = { brand, source, collection }
  const list = usePaged<OperatorRows>('/rows', selection)
  const { first, rows, error, retry } = list
  // The filters stay while another selection is read.
  const [counts, setCounts] = useState<OperatorRows['counts']>([])
  if (first && first.counts !== counts) setCounts(first.counts)
  const sources = new Set(counts.flatMap((each) => each.source?.name ?? []))
  const collections = new Set(counts.map((each) => each.collection))
  return (
    <>
      <FilterBar
        filters={{
          isActive: source + collection !== '',
          reset: () => filters.set({ source: '', collection: '' }),
        }}
      >
        <BrandFilter
          value={brand}
          needsOne
          hasShared
          onChange={(next) => filters.set({ brand: next, source: '', collection: '' })}
        />
        <FilterSelect
          label={words.source}
          value={source}
          options={[...sources].map((name) => [name, name])}
          onChange={(next) => filters.set({ source: next })}
        />
        <FilterSelect
          label={words.group}
          value={collection}
          options={[...collections].map((path) => [path, titleOf(path)])}
          onChange={(next) => filters.set({ collection: next })}
        />
      </FilterBar>
      {error && <Failure error={error} onRetry={retry} />}
      {!first && !error && <Skeleton lines={8} />}
      {first && first.counts.length === 0 && (
        <Empty>
          <p>{words.noRows}</p>
        </Empty>
      )}
      {first && first.counts.length > 0 && (
        <>
          <Section title={words.bySource}>
            <Table
              label={words.bySource}
              columns={countColumns(filters)}
              rows={first.counts}
              rowKey={(each) => `${each.source?.kind} ${each.source?.name} ${each.collection}`}
            />
          </Section>
          <Section
            title={words.shownRows(first.total)}
            actions={
              first.total > 0 && (
                <DiscardAll
                  key={JSON.stringify(selection)}
                  selection={selection}
                  total={first.total}
                />
              )
            }
          >
            {rows && <RowList brand={brand} rows={rows} />}
            {list.readMore && (
              <button type="button" disabled={list.isReadingMore} onClick={list.readMore}>
                {list.isReadingMore ? adminTexts().tables.working : adminTexts().tables.more}
              </button>
            )}
          </Section>
          <Corrections key={JSON.stringify(selection)} selection={selection} />
        </>
      )}
    </>
  )
}

type Count = OperatorRows['counts'][number]

const countColumns = (
  filters: Filters<'brand' | 'source' | 'collection'>,
): readonly Column<Count>[] => {
  const words = adminTexts().quarantine
  return [
    { key: 'source', title: words.source, cell: ({ source }) => <SourceText source={source} /> },
    {
      key: 'group',
      title: words.group,
      cell: ({ source, collection }) => (
        <button
          type="button"
          className="admin-link"
          onClick={() => filters.set({ source: source?.name ?? '', collection })}
        >
          {titleOf(collection)}
        </button>
      ),
    },
    { key: 'rows', title: words.rows, isNumber: true, cell: ({ rows }) => countText(rows) },
    {
      key: 'waiting',
      title: words.waiting,
      isNumber: true,
      cell: ({ waiting }) => countText(waiting),
    },
  ]
}

/** The name of a source and its kind. */
export const SourceText = ({ source }: Pick<OperatorRow, 'source'>) => (
  <>
    <span className="admin-name">{source?.name ?? adminTexts().quarantine.byCommand}</span>
    {source && <span className="admin-note">{texts().sources.kinds[source.kind]}</span>}
  </>
)

export interface Selection {
  readonly [name: string]: string
  readonly brand: string
  readonly source: string
  readonly collection: string
}

/** Deletes all rows of a selection, once the operator has typed whose they are. */
const DiscardAll = ({ selection, total }: { selection: Selection; total: number }) => {
  const [isAsking, setAsking] = useState(false)
  const { api, report } = useAdmin()
  const reload = useReload()
  const words = adminTexts().quarantine
  const { brand, source, collection } = selection
  const discard = async () => {
    const { discarded } = await api.change<{ discarded: number }>('POST', '/rows/discard', {
      ...{ brand, ids: null },
      ...(source && { source }),
      ...(collection && { collection }),
    })
    report(words.discarded(discarded))
    setAsking(false)
    await reload(...rowPaths)
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {words.discardThese(total)}
      </button>
      {isAsking && (
        <Confirm
          title={words.discardTheseTitle(total)}
          action={words.discardThese(total)}
          typed={brand}
          onSubmit={discard}
          onClose={() => setAsking(false)}
        >
          <p>{words.discardMeaning}</p>
        </Confirm>
      )}
    </>
  )
}
