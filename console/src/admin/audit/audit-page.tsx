import { useState } from 'react'
import { Link } from 'wouter'
import type { OperatorAudit, OperatorAuditEntry } from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { Marked } from '../../marked.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { FilterBar, FilterSelect, FilterText, useFilters } from '../filters.tsx'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged } from '../reading.ts'
import { type Column, PagedTable } from '../table.tsx'
import { endOf, startOf } from './day-limits.ts'
import { VerifyAudit } from './verify-audit.tsx'

/** Who changed what, latest first. */
export const AuditPage = () => {
  const words = adminTexts().audit
  const filters = useFilters(['since', 'until', 'brand', 'action'])
  const { since, until, brand, action } = filters.values
  const list = usePaged<OperatorAudit>('/audit', {
    ...{ brand, action },
    since: startOf(since),
    until: endOf(until),
  })
  const [opened, setOpened] = useState<number | null>(null)
  const [isVerifying, setVerifying] = useState(false)
  const actions = list.first?.actions ?? {}
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <button type="button" onClick={() => setVerifying(true)}>
          {words.verify}
        </button>
      }
    >
      <FilterBar filters={filters}>
        <FilterText
          label={words.since}
          type="date"
          value={since}
          onChange={(value) => filters.set({ since: value })}
        />
        <FilterText
          label={words.until}
          type="date"
          value={until}
          onChange={(value) => filters.set({ until: value })}
        />
        <FilterSelect
          label={words.action}
          value={action}
          options={Object.keys(actions).map((each) => [each, each] as const)}
          onChange={(value) => filters.set({ action: value })}
        />
        <BrandFilter value={brand} onChange={(value) => filters.set({ brand: value })} />
      </FilterBar>
      <PagedTable
        label={words.title}
        columns={columnsOf(actions, opened, (number) =>
          setOpened(number === opened ? null : number),
        )}
        rowKey={({ number }) => String(number)}
        list={list}
        isFiltered={filters.isActive}
        empty={<p>{words.empty}</p>}
        details={(entry) => (entry.number === opened ? <EntryDetails entry={entry} /> : null)}
      />
      {isVerifying && <VerifyAudit onClose={() => setVerifying(false)} />}
    </Page>
  )
}

const columnsOf = (
  actions: OperatorAudit['actions'],
  opened: number | null,
  onOpen: (number: number) => void,
): readonly Column<OperatorAuditEntry>[] => {
  const words = adminTexts().audit
  const { details, hideDetails } = adminTexts().tables
  return [
    { key: 'at', title: words.at, cell: ({ at }) => <Moment at={at} /> },
    {
      key: 'actor',
      title: words.actor,
      cell: ({ actor, actorKind }) => (
        <>
          <span className="admin-name">{actor}</span>
          <span className="admin-note">{words.actorKinds[actorKind]}</span>
        </>
      ),
    },
    {
      key: 'action',
      title: words.action,
      cell: ({ action }) => (
        <>
          <code>{action}</code>
          <span className="admin-note" lang="en">
            <Marked text={actions[action] ?? ''} />
          </span>
        </>
      ),
    },
    {
      key: 'brand',
      title: adminTexts().tables.brand,
      cell: ({ brand }) => brand ?? <span className="quiet">–</span>,
    },
    {
      key: 'subject',
      title: words.subject,
      cell: ({ subject }) => <span className="admin-subject mono">{subject ?? '–'}</span>,
    },
    {
      key: 'details',
      title: details,
      isUntitled: true,
      cell: ({ number }) => (
        <div className="admin-row-actions">
          <button type="button" aria-expanded={number === opened} onClick={() => onOpen(number)}>
            {number === opened ? hideDetails : details}
          </button>
        </div>
      ),
    },
  ]
}

const EntryDetails = ({ entry }: { entry: OperatorAuditEntry }) => {
  const words = adminTexts().audit
  const { number, user, host, program, action, details } = entry
  const facts: readonly (readonly [string, string])[] = [
    [words.number, countText(number)],
    [words.program, program],
    [words.user, words.userAt(user, host)],
  ]
  return (
    <div className="admin-entry">
      <dl className="admin-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {Object.keys(details).length > 0 && (
        <pre className="json">{JSON.stringify(details, null, 2)}</pre>
      )}
      {action.startsWith('key.') && <Link href="/keys">{adminTexts().keys.title}</Link>}
    </div>
  )
}
