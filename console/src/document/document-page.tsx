import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from 'wouter'
import type { Api } from '../api.ts'
import { useBaseCurrency } from '../brand.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { Copy } from '../copy.tsx'
import { lineageLink, recordLink } from '../links.ts'
import { nameOf } from '../names.ts'
import { useRememberRecord } from '../recent-records.ts'
import { Crumbs } from '../record/crumbs.tsx'
import { FieldGroups } from '../record/field-groups.tsx'
import { Incoming } from '../record/incoming.tsx'
import { StatusChips } from '../record/status-chips.tsx'
import { Failure, Loading } from '../states.tsx'
import { fieldLabel, groupSingular, groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { Value } from '../value.tsx'
import { withoutIncluded } from '../values.ts'
import { documentQuery, factFields, mainDeadline, type PageDocument } from './document.ts'
import { GoodsPicture, goodsWords, hasPicture } from './goods.tsx'
import { latenessOf } from './lateness.ts'
import { Progress } from './progress.tsx'
import { Scorecard } from './scorecard.tsx'
import { Sections } from './sections.tsx'
import { gridGroups, PrefetchGrid, SizeGrid } from './size-grid.tsx'
import '../record/record.css'
import './document.css'

const tabs = ['document', 'fields', 'call'] as const
type Tab = (typeof tabs)[number]

interface DocumentPageProps {
  readonly api: Api
  readonly group: Group
  readonly id: string
}

/** The page of an order, shipment, invoice, payment, SKU, style or supplier, from one request. */
export const DocumentPage = ({ api, group, id }: DocumentPageProps) => {
  const query = documentQuery(api, group.path, id)
  // Sends the request while the page renders.
  usePrefetchQuery(query)
  const { data, error, refetch } = useQuery(query)
  const parameter = new URLSearchParams(useSearch()).get('tab')
  const tab = tabs.find((each) => each === parameter) ?? 'document'
  const kind = groupSingular(group)
  const title = data ? nameOf(group, data.record) : ''
  useRememberRecord(api.brand, group.path, id, data ? title : null)
  useTitle(error ? texts().record.notFound(kind) : title || kind, groupTitle(group), api.brand)
  return (
    <article className="document" aria-labelledby="page-title" aria-busy={!data && !error}>
      {gridGroups.has(group.path) && <PrefetchGrid {...{ api, id }} group={group.path} />}
      <header className="page-head">
        <Crumbs brand={api.brand} group={group} />
        {data ? (
          <Head {...{ api, group, id, title }} document={data} />
        ) : (
          <h1 id="page-title">{error ? texts().record.notAvailable(kind) : kind}</h1>
        )}
      </header>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <>
          <Tabs current={tab} path={recordLink(api.brand, group.path, id)} />
          <TabBody {...{ api, group, id, tab }} document={data} />
        </>
      ) : (
        <Loading />
      )}
    </article>
  )
}

const Tabs = ({ current, path }: { current: Tab; path: string }) => (
  <nav className="tabs" aria-label={texts().document.tabs}>
    {tabs.map((tab) => (
      <Link
        key={tab}
        href={tab === 'document' ? path : `${path}?tab=${tab}`}
        replace
        aria-current={tab === current ? 'page' : undefined}
      >
        {texts().document.tab[tab]}
      </Link>
    ))}
  </nav>
)

interface PartProps extends DocumentPageProps {
  readonly document: PageDocument
}

const TabBody = ({ api, group, id, tab, document }: PartProps & { tab: Tab }) => {
  const baseCurrency = useBaseCurrency()
  if (tab === 'fields') {
    return (
      <div className="record-columns">
        <FieldGroups brand={api.brand} group={group} row={document.record} {...{ baseCurrency }} />
        <aside className="record-aside">
          <Incoming api={api} group={group} id={id} />
        </aside>
      </div>
    )
  }
  if (tab === 'call') {
    return <Call brand={api.brand} api="query" path={`/${group.path}/${id}/document`} />
  }
  return (
    <div className="document-body">
      <Progress document={document} />
      {document.scorecard && <Scorecard figures={document.scorecard} />}
      {gridGroups.has(group.path) && <SizeGrid {...{ api, id }} group={group.path} hasLines />}
      <Sections brand={api.brand} {...{ baseCurrency, document }} />
    </div>
  )
}

const Head = ({ api, group, id, title, document }: PartProps & { title: string }) => {
  const { record, goods, pictures } = document
  const deadline = mainDeadline(document.deadlines)
  const lateness = deadline && latenessOf(deadline)
  const words = goods?.sku || goods?.option ? goodsWords(goods) : ''
  return (
    <div className="document-head">
      {goods && hasPicture(goods, pictures) && <GoodsPicture {...{ goods, pictures }} />}
      <div className="document-title">
        <h1 id="page-title">
          {title} <StatusChips group={group} row={record} />
        </h1>
        {(words !== '' || lateness) && (
          <p className="document-words">
            {words !== '' && <span>{words}</span>}
            {lateness && (
              <span className={`lateness lateness-${lateness.tone}`}>{lateness.text}</span>
            )}
          </p>
        )}
        <Facts {...{ api, group, document }} />
      </div>
      <div className="page-actions">
        <Link className="button primary" href={lineageLink(api.brand, group.path, id)}>
          {texts().lineage.title}
        </Link>
        <button type="button" onClick={() => window.print()}>
          {texts().document.print}
        </button>
        <Copy
          label={texts().record.copyJson}
          text={() => JSON.stringify(withoutIncluded(record, group), null, 2)}
        />
      </div>
    </div>
  )
}

const Facts = ({ api, group, document }: Omit<PartProps, 'id'>) => {
  const baseCurrency = useBaseCurrency()
  const row = document.record
  const fields = (factFields[group.path] ?? []).flatMap((name) => {
    const field = group.fields.find((each) => each.name === name)
    return field && (row[name] ?? null) !== null ? [field] : []
  })
  return (
    <dl className="facts">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>{fieldLabel(field)}</dt>
          <dd>
            <Value brand={api.brand} {...{ row, field, baseCurrency }} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
