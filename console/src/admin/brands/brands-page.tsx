import { useState } from 'react'
import { Link } from 'wouter'
import type { Checks, OperatorBrand, OperatorBrands } from '../../../../src/contract/index.ts'
import { countText, momentText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { bytesText } from '../bytes.ts'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged } from '../reading.ts'
import { RowMenu } from '../row-menu.tsx'
import { type Column, PagedTable } from '../table.tsx'
import { AddBrand } from './add-brand.tsx'
import { ChangeChecks } from './change-checks.tsx'
import { RemoveBrand } from './remove-brand.tsx'

/** What is done in a dialog. */
type Opened =
  | { readonly is: 'add' }
  | { readonly is: 'checks'; readonly slug: string; readonly name: string; readonly checks: Checks }
  | { readonly is: 'remove'; readonly slug: string; readonly name: string }

/** `PATCH /api/brands/*` changes the checks of shared records. */
const sharedSlug = '*'

/** The brands: what they have, where it comes from, and what is wrong with it. */
export const BrandsPage = () => {
  const words = adminTexts().brands
  const { session, refreshSession } = useAdmin()
  const list = usePaged<OperatorBrands>('/brands')
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  const { first } = list
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <button type="button" className="primary" onClick={() => setOpened({ is: 'add' })}>
          {words.add}
        </button>
      }
    >
      <PagedTable
        label={words.title}
        columns={columnsOf(setOpened)}
        rowKey={({ slug }) => slug}
        list={list}
        empty={
          <>
            <p>{words.empty}</p>
            <Link className="button" href="/first">
              {adminTexts().first.begin}
            </Link>
          </>
        }
      />
      {first && (
        <p className="quiet">
          {words.shared} {checksText(first.sharedChecks)}{' '}
          <button
            type="button"
            onClick={() =>
              setOpened({
                is: 'checks',
                slug: sharedSlug,
                name: words.sharedName,
                checks: first.sharedChecks,
              })
            }
          >
            {words.changeChecks}
          </button>
        </p>
      )}
      {opened?.is === 'add' && (
        <AddBrand
          onClose={close}
          onAdded={() => {
            if (session.isEmpty) refreshSession()
          }}
        />
      )}
      {opened?.is === 'checks' && (
        <ChangeChecks {...opened} checkNames={first?.checkNames ?? []} onClose={close} />
      )}
      {opened?.is === 'remove' && <RemoveBrand {...opened} onClose={close} />}
    </Page>
  )
}

const columnsOf = (open: (opened: Opened) => void): readonly Column<OperatorBrand>[] => {
  const words = adminTexts().brands
  return [
    {
      key: 'brand',
      title: words.brand,
      cell: ({ slug, name }) => (
        <>
          <span className="admin-name">{name}</span>
          <span className="admin-note mono">{slug}</span>
        </>
      ),
    },
    {
      key: 'records',
      title: words.records,
      isNumber: true,
      cell: ({ records, own }) => (
        <>
          {countText(records)}
          <span className="admin-note">{words.own(own)}</span>
        </>
      ),
    },
    {
      key: 'size',
      title: words.size,
      isNumber: true,
      cell: ({ aboutBytes }) =>
        aboutBytes === null ? words.unknown : words.aboutSize(bytesText(aboutBytes)),
    },
    { key: 'changed', title: words.changed, cell: (brand) => <Freshness brand={brand} /> },
    { key: 'sources', title: words.sources, cell: (brand) => <Sources brand={brand} /> },
    { key: 'checks', title: words.checks, cell: ({ checks }) => checksText(checks) },
    { key: 'findings', title: words.findings, cell: (brand) => <Findings brand={brand} /> },
    {
      key: 'actions',
      title: words.actions,
      isUntitled: true,
      cell: ({ slug, name, checks }) => (
        <div className="admin-row-actions">
          <RowMenu
            label={adminTexts().tables.actionsOf(name)}
            items={[
              [words.changeChecks, () => open({ is: 'checks', slug, name, checks })],
              [words.remove, () => open({ is: 'remove', slug, name })],
            ]}
          />
        </div>
      ),
    },
  ]
}

const Freshness = ({ brand: { changedAt, lastImport } }: { brand: OperatorBrand }) => {
  const words = adminTexts().brands
  return (
    <>
      {changedAt === null ? words.unknown : <Moment at={changedAt} />}
      {lastImport && (
        <span className="admin-note">
          {words.lastImport(momentText(lastImport.at), lastImport.changed)}
        </span>
      )}
    </>
  )
}

const Sources = ({ brand: { slug, sources } }: { brand: OperatorBrand }) => {
  const words = adminTexts().brands
  const { total, failing, waiting, quarantined, quarantinedRows } = sources
  const query = `?${new URLSearchParams({ brand: slug })}`
  return (
    <>
      {total === 0 ? <span className="quiet">{words.noSources}</span> : words.sourceCount(total)}
      {waiting > 0 && <span className="admin-note">{words.waiting(waiting)}</span>}
      <span className="admin-chips">
        {failing > 0 && <span className="chip chip-bad">{words.failing(failing)}</span>}
        {quarantined > 0 && (
          <Link className="chip chip-bad" href={`/intake${query}`}>
            {words.quarantinedUnits(quarantined)}
          </Link>
        )}
        {quarantinedRows > 0 && (
          <Link className="chip chip-warn" href={`/quarantine${query}`}>
            {words.quarantinedRows(quarantinedRows)}
          </Link>
        )}
      </span>
    </>
  )
}

const Findings = ({ brand: { slug, findings } }: { brand: OperatorBrand }) => {
  const words = adminTexts().brands
  if (!findings) return <span className="quiet">{words.unchecked}</span>
  const { errors, warnings, checkedAt } = findings
  return (
    <>
      <span className="admin-chips">
        {errors + warnings === 0 && <span className="chip chip-good">{words.noFindings}</span>}
        {errors + warnings > 0 && (
          <Link
            className={errors > 0 ? 'chip chip-bad' : 'chip chip-warn'}
            href={`/checks?${new URLSearchParams({ brand: slug })}`}
          >
            {[errors > 0 && words.errors(errors), warnings > 0 && words.warnings(warnings)]
              .filter(Boolean)
              .join(', ')}
          </Link>
        )}
      </span>
      <span className="admin-note">
        <Moment at={checkedAt} />
      </span>
    </>
  )
}

const checksText = ({ default: mode, exceptions }: Checks): string => {
  const words = adminTexts().brands
  const count = Object.keys(exceptions).length
  return count === 0 ? words.modes[mode] : words.withExceptions(words.modes[mode], count)
}
