import { useState } from 'react'
import type {
  OperatorIssuedKey,
  OperatorKey,
  OperatorKeys,
} from '../../../../src/contract/index.ts'
import { momentText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { BrandFilter } from '../brand-filter.tsx'
import { FilterBar, useFilters } from '../filters.tsx'
import { Confirm } from '../form-dialog.tsx'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { usePaged, useReload } from '../reading.ts'
import { RowMenu } from '../row-menu.tsx'
import { type Column, PagedTable } from '../table.tsx'
import { findingText } from './finding-text.ts'
import { IssueKey } from './issue-key.tsx'
import { type KeyAction, keyActions } from './key-actions.ts'
import { KeyDetails } from './key-details.tsx'
import { KeyScope } from './key-scope.tsx'
import { NewKey } from './new-key.tsx'
import { RotateKey } from './rotate-key.tsx'
import { UpdateKey } from './update-key.tsx'

/** What is done in a dialog. */
type Opened =
  | { readonly is: 'issue' }
  | { readonly is: KeyAction; readonly key: OperatorKey }
  /** Shows a new key, once. It is in no cache and in no storage of the browser. */
  | { readonly is: 'issued'; readonly issued: OperatorIssuedKey }

/** The API keys: who can read and send what, and which of them to look at. */
export const KeysPage = () => {
  const words = adminTexts().keys
  const { api, report } = useAdmin()
  const reload = useReload()
  const filters = useFilters(['brand'])
  const list = usePaged<OperatorKeys>('/keys', filters.values)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [detailed, setDetailed] = useState<string | null>(null)
  const close = () => setOpened(null)
  const show = (issued: OperatorIssuedKey) => {
    setOpened({ is: 'issued', issued })
    void reload('/keys')
  }
  const revoke = async ({ id, name }: OperatorKey) => {
    await api.change('POST', `/keys/${id}/revoke`)
    await reload('/keys')
    report(words.revoked(name || id))
    close()
  }
  const reviewedDays = list.first?.reviewedDays
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <button type="button" className="primary" onClick={() => setOpened({ is: 'issue' })}>
          {words.issue}
        </button>
      }
    >
      <FilterBar filters={filters}>
        <BrandFilter value={filters.values.brand} onChange={(brand) => filters.set({ brand })} />
      </FilterBar>
      <PagedTable
        label={words.title}
        columns={columnsOf({
          useDays: reviewedDays?.use ?? 0,
          detailed,
          onDetails: (id) => setDetailed(id === detailed ? null : id),
          onOpen: setOpened,
        })}
        rowKey={({ id }) => id}
        list={list}
        isFiltered={filters.isActive}
        empty={<p>{words.empty}</p>}
        details={(key) => (key.id === detailed ? <KeyDetails operatorKey={key} /> : null)}
      />
      {opened?.is === 'issue' && <IssueKey onIssued={show} onClose={close} />}
      {opened?.is === 'issued' && <NewKey issued={opened.issued} onClose={close} />}
      {opened?.is === 'update' && <UpdateKey operatorKey={opened.key} onClose={close} />}
      {opened?.is === 'rotate' && (
        <RotateKey operatorKey={opened.key} onIssued={show} onClose={close} />
      )}
      {opened?.is === 'revoke' && (
        <Confirm
          title={words.revokeTitle(opened.key.name || opened.key.id)}
          action={words.revokeNow}
          onSubmit={() => revoke(opened.key)}
          onClose={close}
        >
          <p>{words.revokeSentence}</p>
          <p className="quiet">
            {opened.key.lastUsedAt
              ? words.lastUsedOn(momentText(opened.key.lastUsedAt))
              : words.neverUsed}
          </p>
        </Confirm>
      )}
    </Page>
  )
}

interface ColumnParts {
  /** The days of the review. */
  readonly useDays: number
  /** The key whose details are shown. */
  readonly detailed: string | null
  readonly onDetails: (id: string) => void
  readonly onOpen: (opened: Opened) => void
}

const tones = { good: 'good', replaced: 'warn', expired: 'quiet', revoked: 'quiet' } as const

const columnsOf = (parts: ColumnParts): readonly Column<OperatorKey>[] => {
  const words = adminTexts().keys
  const { never } = adminTexts().tables
  return [
    {
      key: 'name',
      title: words.name,
      cell: ({ id, name, kind }) => (
        <>
          <span className="admin-name">{name || words.unnamed}</span>{' '}
          {kind === 'ingest' && <span className="chip">{words.kinds.ingest}</span>}
          <span className="admin-note mono">{id}</span>
        </>
      ),
    },
    { key: 'scope', title: words.scope, cell: (key) => <KeyScope operatorKey={key} /> },
    {
      key: 'state',
      title: words.state,
      cell: ({ state }) => (
        <span className={`chip chip-${tones[state]}`}>{words.states[state]}</span>
      ),
    },
    {
      key: 'used',
      title: words.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} /> : never),
    },
    {
      key: 'expires',
      title: words.expires,
      cell: ({ revokedAt, expiresAt }) => {
        if (revokedAt) return words.revokedOn(momentText(revokedAt))
        return expiresAt ? <Moment at={expiresAt} /> : never
      },
    },
    {
      key: 'findings',
      title: words.lookAt,
      cell: ({ findings }) =>
        findings.length === 0 ? (
          <span className="quiet">{adminTexts().tables.nothing}</span>
        ) : (
          <ul className="admin-findings">
            {findings.map((finding) => (
              <li key={finding.finding}>{findingText(finding, parts.useDays)}</li>
            ))}
          </ul>
        ),
    },
    {
      key: 'actions',
      title: words.actions,
      isUntitled: true,
      cell: (key) => <KeyActions {...parts} operatorKey={key} />,
    },
  ]
}

const KeyActions = (props: ColumnParts & { readonly operatorKey: OperatorKey }) => {
  const { operatorKey: key, detailed, onDetails, onOpen } = props
  const words = adminTexts().keys
  const { details, hideDetails, actionsOf } = adminTexts().tables
  const isOpen = key.id === detailed
  const items = keyActions(key).map((is) => [words[is], () => onOpen({ is, key })] as const)
  return (
    <div className="admin-row-actions">
      <button type="button" aria-expanded={isOpen} onClick={() => onDetails(key.id)}>
        {isOpen ? hideDetails : details}
      </button>
      {items.length > 0 && <RowMenu label={actionsOf(key.name || key.id)} items={items} />}
    </div>
  )
}
