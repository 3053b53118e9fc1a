import { useState } from 'react'
import type { OperatorView, OperatorViews } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { savedViewLink } from '../../explorer/saved-view.ts'
import { titleOf } from '../../sources/group-title.ts'
import { Empty, Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { BrandFilter, useBrands } from '../brand-filter.tsx'
import { FilterBar, useFilters } from '../filters.tsx'
import { Confirm } from '../form-dialog.tsx'
import { Page } from '../page.tsx'
import { usePaged, useReload } from '../reading.ts'
import { RowMenu } from '../row-menu.tsx'
import { type Column, PagedTable } from '../table.tsx'
import { PublishView, viewsPath } from './publish-view.tsx'

/** The views that are published for a brand, a brand at a time. */
export const ViewsPage = () => {
  const words = adminTexts().views
  const filters = useFilters(['brand'])
  const brands = useBrands()
  const brand = filters.values.brand || brands.rows?.[0]?.slug
  const [isPublishing, setIsPublishing] = useState(false)
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        brand !== undefined && (
          <button type="button" className="primary" onClick={() => setIsPublishing(true)}>
            {words.publish}
          </button>
        )
      }
    >
      <FilterBar filters={{ isActive: false, reset: filters.reset }}>
        <BrandFilter
          value={brand ?? ''}
          needsOne
          onChange={(next) => filters.set({ brand: next })}
        />
      </FilterBar>
      {brand !== undefined ? (
        <BrandViews key={brand} brand={brand} />
      ) : brands.error ? (
        <Failure error={brands.error} onRetry={brands.retry} />
      ) : brands.rows ? (
        <Empty>
          <p>{words.noBrands}</p>
        </Empty>
      ) : (
        <Skeleton lines={8} />
      )}
      {isPublishing && brand !== undefined && (
        <PublishView brand={brand} onClose={() => setIsPublishing(false)} />
      )}
    </Page>
  )
}

const BrandViews = ({ brand }: { brand: string }) => {
  const words = adminTexts().views
  const { apiUrl } = useAdmin().session
  const list = usePaged<OperatorViews>(viewsPath(brand))
  const [removed, setRemoved] = useState<string | null>(null)
  const columns: readonly Column<OperatorView>[] = [
    {
      key: 'name',
      title: words.name,
      cell: (view) => (
        <a className="admin-name" href={apiUrl + savedViewLink(brand, view)}>
          {view.name}
        </a>
      ),
    },
    { key: 'group', title: words.group, cell: ({ group }) => titleOf(group) },
    {
      key: 'query',
      title: words.parameters,
      cell: ({ query, problem }) => (
        <>
          <code className="admin-query">{decoded(query)}</code>
          {problem !== null && (
            <span className="admin-note">
              <span className="chip chip-bad">{words.hidden}</span> {problem}
            </span>
          )}
        </>
      ),
    },
    {
      key: 'actions',
      title: words.actions,
      isUntitled: true,
      cell: ({ name }) => (
        <div className="admin-row-actions">
          <RowMenu
            label={adminTexts().tables.actionsOf(name)}
            items={[[words.remove, () => setRemoved(name)]]}
          />
        </div>
      ),
    },
  ]
  return (
    <>
      <PagedTable
        label={words.title}
        columns={columns}
        list={list}
        rowKey={({ name }) => name}
        empty={<p>{words.empty}</p>}
      />
      {removed !== null && (
        <RemoveView brand={brand} name={removed} onClose={() => setRemoved(null)} />
      )}
    </>
  )
}

/** The parameters as people read them: one after the other, without percent signs. */
const decoded = (query: string): string =>
  [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`).join(' & ')

interface RemoveViewProps {
  readonly brand: string
  readonly name: string
  readonly onClose: () => void
}

const RemoveView = ({ brand, name, onClose }: RemoveViewProps) => {
  const words = adminTexts().views
  const { api, report } = useAdmin()
  const reload = useReload()
  const submit = async () => {
    await api.change('DELETE', viewsPath(brand), { name })
    await reload(viewsPath(brand))
    report(words.removed(name))
    onClose()
  }
  return (
    <Confirm
      title={words.removeTitle(name)}
      action={words.remove}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.removeSentence}</p>
    </Confirm>
  )
}
