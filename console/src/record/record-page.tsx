import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Api, type Row, recordPath } from '../api.ts'
import { useBaseCurrency } from '../brand-record.ts'
import { Call } from '../call/call.tsx'
import type { Field, Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { lineageLink, listLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { domainTitles } from '../shell/groups.tsx'
import { Failure } from '../states.tsx'
import { useTitle } from '../title.ts'
import { Value } from '../value.tsx'
import { asWords, includesOf, toneOf, withoutIncluded } from '../values.ts'
import { Images } from './images.tsx'
import { Incoming } from './incoming.tsx'
import './record.css'

/** One record: its fields and what they mean, what it refers to, and what refers to it. */
export const RecordPage = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const include = includesOf(group.fields)
  const baseCurrency = useBaseCurrency(api)
  const { data, error, refetch } = useQuery({
    queryKey: ['record', api.brand, group.path, id, include],
    queryFn: ({ signal }) => api.get(group.path, id, { include, signal }),
  })
  const title = data ? nameOf(group, data) : ''
  useTitle(error ? `${group.singular} not found` : title || group.singular, group.title, api.brand)

  return (
    <article className="record-page" aria-labelledby="page-title" aria-busy={!data && !error}>
      <header className="page-head">
        <p className="crumbs">
          {domainTitles[group.domain]} ›{' '}
          {group.hasList ? (
            <Link href={listLink(api.brand, group.path)}>{group.title}</Link>
          ) : (
            group.title
          )}
        </p>
        <h1 id="page-title">
          {error ? `${group.singular} not available` : title || ' '}{' '}
          {data && <StatusChips row={data} />}
        </h1>
        {!error && (
          <div className="page-actions">
            {group.hasList && (
              <Link className="button primary" href={lineageLink(api.brand, group.path, id)}>
                Lineage
              </Link>
            )}
            <Copy label="Copy identifier" text={id} />
            {data && (
              <Copy
                label="Copy as JSON"
                text={() => JSON.stringify(withoutIncluded(data, group), null, 2)}
              />
            )}
          </div>
        )}
      </header>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="record-columns">
          <div className="record-main">
            <Fields brand={api.brand} fields={group.fields} row={data} {...{ baseCurrency }} />
            {data && (
              <details className="raw">
                <summary>Raw JSON</summary>
                <pre>{JSON.stringify(withoutIncluded(data, group), null, 2)}</pre>
              </details>
            )}
            <Call brand={api.brand} path={recordPath(group.path, id)} />
          </div>
          <aside className="record-aside">
            <Images api={api} group={group} id={id} />
            <Incoming api={api} group={group} id={id} />
          </aside>
        </div>
      )}
    </article>
  )
}

const StatusChips = ({ row }: { row: Row }) => {
  const { status, deletedAt } = row
  return (
    <>
      {typeof status === 'string' && (
        <span className={`chip chip-${toneOf(status)}`}>{asWords(status)}</span>
      )}{' '}
      {typeof deletedAt === 'string' && <span className="chip chip-bad">deleted</span>}
    </>
  )
}

/** The part of the description that the label does not say. */
const meaningBeyond = ({ label, meaning }: Field): string =>
  meaning.startsWith(`${label}.`) ? meaning.slice(label.length + 1) : meaning

interface FieldsProps {
  readonly brand: string
  readonly fields: readonly Field[]
  /** True while loading: the labels are already in place. */
  readonly row: Row | undefined
  readonly baseCurrency: string | null
}

const Fields = ({ brand, fields, row, baseCurrency }: FieldsProps) => (
  <dl className="fields">
    {fields.map((field) => (
      <div key={field.name}>
        <dt title={field.name}>{field.label}</dt>
        <dd>
          {row ? (
            field.kind === 'object' && row[field.name] ? (
              <Fields
                brand={brand}
                fields={field.fields}
                row={row[field.name] as Row}
                baseCurrency={baseCurrency}
              />
            ) : (
              <Value {...{ brand, row, field, baseCurrency }} />
            )
          ) : (
            <span className="bone" />
          )}
          <p className="meaning">{meaningBeyond(field)}</p>
        </dd>
      </div>
    ))}
  </dl>
)
