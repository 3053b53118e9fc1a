import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Api, recordPath } from '../api.ts'
import { useBaseCurrency } from '../brand.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { gridGroups, SizeGrid } from '../document/size-grid.tsx'
import { lineageLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { useRememberRecord } from '../recent-records.ts'
import { Failure, Loading } from '../states.tsx'
import { groupSingular, groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { includesOf, withoutIncluded } from '../values.ts'
import { Crumbs } from './crumbs.tsx'
import { FieldGroups } from './field-groups.tsx'
import { Images } from './images.tsx'
import { Incoming } from './incoming.tsx'
import { StatusChips } from './status-chips.tsx'
import './record.css'

/**
 * One record: its fields with their descriptions, its references, and the records that refer to it.
 */
export const RecordPage = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const include = includesOf(group.fields)
  const baseCurrency = useBaseCurrency()
  const { data, error, refetch } = useQuery({
    queryKey: ['record', api.brand, group.path, id, include],
    queryFn: ({ signal }) => api.get(group.path, id, { include, signal }),
  })
  const title = data ? nameOf(group, data) : ''
  useRememberRecord(api.brand, group.path, id, data ? title : null)
  const kind = groupSingular(group)
  useTitle(error ? texts().record.notFound(kind) : title || kind, groupTitle(group), api.brand)

  return (
    <article className="record-page" aria-labelledby="page-title" aria-busy={!data && !error}>
      <header className="page-head">
        <Crumbs brand={api.brand} group={group} />
        <h1 id="page-title">
          {error ? texts().record.notAvailable(kind) : title || kind}{' '}
          {data && <StatusChips group={group} row={data} />}
        </h1>
        {data && (
          <div className="page-actions">
            {group.hasList && (
              <Link className="button primary" href={lineageLink(api.brand, group.path, id)}>
                {texts().lineage.title}
              </Link>
            )}
            <Copy label={texts().record.copyId} text={id} />
            <Copy
              label={texts().record.copyJson}
              text={() => JSON.stringify(withoutIncluded(data, group), null, 2)}
            />
          </div>
        )}
      </header>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className="record-columns">
          <div className="record-main">
            {gridGroups.has(group.path) && (
              <SizeGrid api={api} group={group.path} id={id} hasLines={false} />
            )}
            <FieldGroups brand={api.brand} group={group} row={data} {...{ baseCurrency }} />
            <details className="raw">
              <summary>{texts().record.rawJson}</summary>
              <pre>{JSON.stringify(withoutIncluded(data, group), null, 2)}</pre>
            </details>
            <Call brand={api.brand} path={recordPath(group.path, id)} />
          </div>
          <aside className="record-aside">
            <Images api={api} group={group} id={id} />
            <Incoming api={api} group={group} id={id} />
          </aside>
        </div>
      ) : (
        <Loading />
      )}
    </article>
  )
}
