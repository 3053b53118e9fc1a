import { Link, useParams } from 'wouter'
import type { OperatorImportChange, OperatorImportDetails } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { groupAt } from '../../contract.ts'
import { recordLink } from '../../links.ts'
import { titleOf } from '../../sources/group-title.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { fieldLabel } from '../../texts/contract.ts'
import { asText, type Tone } from '../../values.ts'
import { useAdmin } from '../admin.ts'
import { sharedOwner } from '../brand-filter.tsx'
import { UnitState } from '../intake/intake-page.tsx'
import { UnitCounts, UnitProblems } from '../intake/unit-report.tsx'
import { ownerText, unitLink, unitTitle } from '../intake/unit-title.ts'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { useRead } from '../reading.ts'
import { Facts, Section } from '../section.tsx'
import { type Column, Table } from '../table.tsx'

/** What a unit changed: counts by group, and records with their fields as far as they are kept. */
export const ImportPage = () => {
  const { id = '' } = useParams()
  const words = adminTexts().imports
  const { data, error, refetch } = useRead<OperatorImportDetails>(
    `/imports/${encodeURIComponent(id)}`,
  )
  const crumb = (
    <Link className="crumbs" href="/imports">
      {words.title}
    </Link>
  )
  if (!data) {
    return (
      <Page title={adminTexts().intake.unit} about={crumb}>
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Page>
    )
  }
  const { brand, source, finishedAt } = data
  const labels = adminTexts().intake
  return (
    <Page
      title={unitTitle(data)}
      about={crumb}
      actions={
        <Link className="button" href={unitLink(data.id)}>
          {words.unit}
        </Link>
      }
    >
      <Facts
        facts={[
          [labels.state, <UnitState key="state" state={data.state} />],
          [labels.brand, ownerText(brand)],
          [labels.source, source],
          [labels.finished, <Moment key="finished" at={finishedAt} />],
        ]}
      />
      <UnitCounts collections={data.collections} />
      <Differences details={data} />
      <UnitProblems {...data} />
    </Page>
  )
}

const Differences = ({ details }: { details: OperatorImportDetails }) => {
  const words = adminTexts().imports
  const { changes, hasMoreChanges, isDryRun, brand } = details
  return (
    <Section
      title={words.differences}
      about={hasMoreChanges && changes ? words.firstOnly(changes.length) : null}
    >
      {isDryRun && <p>{words.wouldMeaning}</p>}
      {changes?.some(({ operation }) => operation === 'stored') && (
        <p className="quiet">{words.storedMeaning}</p>
      )}
      {changes === null && <p className="quiet">{words.notKept}</p>}
      {changes?.length === 0 && <p className="quiet">{words.noDifferences}</p>}
      {changes && changes.length > 0 && (
        <Table
          label={words.differences}
          columns={changeColumns(brand)}
          rows={changes}
          rowKey={({ collection, id, operation }) => `${collection} ${id} ${operation}`}
        />
      )}
    </Section>
  )
}

const tones: Record<OperatorImportChange['operation'], Tone> = {
  added: 'good',
  changed: 'plain',
  removed: 'bad',
  stored: 'plain',
}

const changeColumns = (brand: string): readonly Column<OperatorImportChange>[] => {
  const words = adminTexts().imports
  const labels = adminTexts().intake
  return [
    { key: 'record', title: labels.record, cell: (each) => <RecordName brand={brand} {...each} /> },
    { key: 'group', title: labels.group, cell: ({ collection }) => titleOf(collection) },
    {
      key: 'operation',
      title: words.operation,
      cell: ({ operation }) => (
        <span className={`chip chip-${tones[operation]}`}>{words.operations[operation]}</span>
      ),
    },
    {
      key: 'fields',
      title: words.fields,
      cell: ({ collection, fields }) =>
        fields.length === 0 ? '–' : <Fields {...{ collection, fields }} />,
    },
  ]
}

/** The name of a record, which leads to the console if the record has a page there. */
const RecordName = (change: OperatorImportChange & { readonly brand: string }) => {
  const { brand, collection, id, title, operation } = change
  const { apiUrl } = useAdmin().session
  // A record with a composite identity has no page, and shared records have no brand.
  const hasPage = operation !== 'removed' && !id.includes(':') && brand !== sharedOwner
  const name = <span className="admin-name">{title ?? id}</span>
  return hasPage ? <a href={`${apiUrl}${recordLink(brand, collection, id)}`}>{name}</a> : name
}

const Fields = ({ collection, fields }: Pick<OperatorImportChange, 'collection' | 'fields'>) => {
  const group = groupAt(collection)
  return (
    <ul className="admin-plain-list">
      {fields.map(({ field, before, after }) => {
        const definition = group?.fields.find(({ name }) => name === field.replace(/^\//, ''))
        return (
          <li key={field}>
            {definition ? fieldLabel(definition) : <code>{field}</code>}{' '}
            {before !== undefined && <Value value={before} />}
            {after !== undefined && (
              <>
                {' → '}
                <Value value={after} />
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

const Value = ({ value }: { value: unknown }) =>
  value === null ? <span className="null">–</span> : <q>{asText(value)}</q>
