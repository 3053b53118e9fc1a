import type { OperatorFeed, OperatorFeedReader } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { durationText } from '../../sources/duration.ts'
import { titleOf } from '../../sources/group-title.ts'
import { adminTexts } from '../../texts/admin.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { FilterBar, useFilters } from '../filters.tsx'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged } from '../reading.ts'
import { type Column, PagedTable } from '../table.tsx'

/** The readers of the change feed, and how far each is behind. */
export const FeedPage = () => {
  const words = adminTexts().feed
  const filters = useFilters(['brand'])
  const list = usePaged<OperatorFeed>('/feed', filters.values)
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <button type="button" onClick={list.retry}>
          {adminTexts().tables.refresh}
        </button>
      }
    >
      {list.first?.isRecording === false && <p className="admin-warn-note">{words.off}</p>}
      <FilterBar filters={filters}>
        <BrandFilter value={filters.values.brand} onChange={(brand) => filters.set({ brand })} />
      </FilterBar>
      <PagedTable
        label={words.title}
        columns={columns()}
        list={list}
        rowKey={({ keyId, brand, collection }) => `${keyId} ${brand} ${collection}`}
        isFiltered={filters.isActive}
        empty={<p>{words.noReaders}</p>}
      />
    </Page>
  )
}

const columns = (): readonly Column<OperatorFeedReader>[] => {
  const words = adminTexts().feed
  return [
    {
      key: 'key',
      title: words.key,
      cell: ({ keyName, keyId }) => (
        <>
          <span className="admin-name">{keyName ?? words.deletedKey}</span>
          <code className="admin-note">{keyId}</code>
        </>
      ),
    },
    { key: 'brand', title: words.brand, cell: ({ brand }) => brand },
    {
      key: 'collection',
      title: words.collection,
      cell: ({ collection }) => (collection === null ? words.all : titleOf(collection)),
    },
    { key: 'lag', title: words.lag, cell: (reader) => <Lag reader={reader} /> },
    { key: 'readAt', title: words.readAt, cell: ({ readAt }) => <Moment at={readAt} /> },
    {
      key: 'position',
      title: words.position,
      isNumber: true,
      cell: ({ position }) => countText(position),
    },
  ]
}

/** A reader that is behind for longer than this needs attention. */
const slowSeconds = 3_600

const Lag = ({ reader }: { reader: OperatorFeedReader }) => {
  const words = adminTexts().feed
  const { lagChanges, hasMoreChanges, lagSeconds } = reader
  if (lagChanges === 0) {
    return hasMoreChanges ? (
      <span className="chip chip-bad">{words.mustRestart}</span>
    ) : (
      <span className="chip chip-good">{words.upToDate}</span>
    )
  }
  const isSlow = lagSeconds === null || lagSeconds > slowSeconds
  return (
    <>
      <span className={isSlow ? 'chip chip-warn' : 'chip'}>
        {words.changes(lagChanges, hasMoreChanges)}
      </span>
      <span className="admin-note">
        {lagSeconds === null
          ? words.neverCaughtUp
          : words.forTime(durationText(lagSeconds * 1_000))}
      </span>
    </>
  )
}
