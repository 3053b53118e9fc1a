import { Link } from 'wouter'
import type { OperatorPage, OperatorUnit } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { FilterBar, FilterSelect, useFilters } from '../filters.tsx'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged } from '../reading.ts'
import { type Column, PagedTable } from '../table.tsx'
import { ownerText, unitLink, unitTitle, unitTones } from './unit-title.ts'
import './intake.css'

/** Units of work: what is on its way in, and what became of it. */
export const IntakePage = () => {
  const words = adminTexts().intake
  const filters = useFilters(['brand', 'state'])
  const list = usePaged<OperatorPage<OperatorUnit>>('/units', filters.values)
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
        <FilterSelect
          label={words.state}
          value={filters.values.state}
          options={Object.entries(words.states)}
          onChange={(state) => filters.set({ state })}
        />
      </FilterBar>
      <PagedTable
        label={words.title}
        columns={columns()}
        list={list}
        rowKey={({ id }) => id}
        isFiltered={filters.isActive}
        empty={<p>{words.noUnits}</p>}
      />
    </Page>
  )
}

const columns = (): readonly Column<OperatorUnit>[] => {
  const words = adminTexts().intake
  return [
    {
      key: 'unit',
      title: words.unit,
      cell: (unit) => (
        <>
          <Link className="admin-name" href={unitLink(unit.id)}>
            {unitTitle(unit)}
          </Link>
          <span className="admin-note">{unit.source}</span>
          {unit.lastError && unit.state !== 'done' && (
            <span className="admin-note admin-error" lang="en">
              {unit.lastError}
            </span>
          )}
        </>
      ),
    },
    { key: 'brand', title: words.brand, cell: ({ brand }) => ownerText(brand) },
    { key: 'state', title: words.state, cell: ({ state }) => <UnitState state={state} /> },
    {
      key: 'attempts',
      title: words.attempts,
      isNumber: true,
      cell: ({ attempts }) => countText(attempts),
    },
    {
      key: 'received',
      title: words.received,
      cell: ({ receivedAt }) => <Moment at={receivedAt} />,
    },
    {
      key: 'finished',
      title: words.finished,
      cell: ({ finishedAt }) => <Moment at={finishedAt} />,
    },
  ]
}

export const UnitState = ({ state }: Pick<OperatorUnit, 'state'>) => (
  <span className={`chip chip-${unitTones[state]}`}>{adminTexts().intake.states[state]}</span>
)
