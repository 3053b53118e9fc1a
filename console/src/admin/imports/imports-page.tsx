import { Link } from 'wouter'
import type { OperatorImport, OperatorPage } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { FilterBar, useFilters } from '../filters.tsx'
import { UnitState } from '../intake/intake-page.tsx'
import { importLink, ownerText, unitTitle } from '../intake/unit-title.ts'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged } from '../reading.ts'
import { type Column, PagedTable } from '../table.tsx'

/** The units that have ended, with what each changed. */
export const ImportsPage = () => {
  const words = adminTexts().imports
  const filters = useFilters(['brand'])
  const list = usePaged<OperatorPage<OperatorImport>>('/imports', filters.values)
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
      <FilterBar filters={filters}>
        <BrandFilter
          value={filters.values.brand}
          hasShared
          onChange={(brand) => filters.set({ brand })}
        />
      </FilterBar>
      <PagedTable
        label={words.title}
        columns={columns()}
        list={list}
        rowKey={({ id }) => id}
        isFiltered={filters.isActive}
        empty={<p>{words.noImports}</p>}
      />
    </Page>
  )
}

const columns = (): readonly Column<OperatorImport>[] => {
  const words = adminTexts().intake
  const counts = ['added', 'changed', 'removed', 'quarantined'] as const
  return [
    {
      key: 'unit',
      title: words.unit,
      cell: (each) => (
        <>
          <Link className="admin-name" href={importLink(each)}>
            {unitTitle(each)}
          </Link>{' '}
          {each.isDryRun && <span className="chip chip-quiet">{words.dryRun}</span>}
          <span className="admin-note">{each.source}</span>
        </>
      ),
    },
    { key: 'brand', title: words.brand, cell: ({ brand }) => ownerText(brand) },
    { key: 'state', title: words.state, cell: ({ state }) => <UnitState state={state} /> },
    {
      key: 'finished',
      title: words.finished,
      cell: ({ finishedAt }) => <Moment at={finishedAt} />,
    },
    ...counts.map((name) => ({
      ...{ key: name, title: words[name], isNumber: true },
      cell: (each: OperatorImport) => countText(each[name]),
    })),
    {
      key: 'problems',
      title: adminTexts().imports.problems,
      isNumber: true,
      cell: ({ problems }) => countText(problems),
    },
  ]
}
