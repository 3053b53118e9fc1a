import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { PublishedView } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { type Domain, domains, type Group, groupAt, groups, groupsOf } from '../contract.ts'
import { usePublishedViews } from '../explorer/published-views.ts'
import { savedViewLink } from '../explorer/saved-view.ts'
import { useSavedViews } from '../explorer/saved-views.ts'
import { countText } from '../figures.ts'
import { brandLink, calendarLink, listLink, qualityLink, sourcesLink } from '../links.ts'
import { domainTitle, groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { todayQuery } from '../today-data.ts'
import { useOpenSections } from './open-sections.ts'
import { groupsByKind, isConnection, workGroups, workTitle } from './places.ts'

/** The pages of the brand: those for daily work first, then all groups by domain. */
export const Navigation = ({ api }: { api: Api }) => {
  const [path] = useLocation()
  const current = path.split('/')[3]
  const { data: today } = useQuery(todayQuery(api))
  const totals: Totals = today?.totals ?? {}
  const sections = useOpenSections(sectionsOf(current))
  const words = texts().shell
  const shared = { api, current, totals }
  const canRead = ({ path: group }: Group) => api.canRead(group)
  const section = (name: string) => ({
    open: sections.isOpen(name),
    onToggle: (isOpen: boolean) => sections.toggle(name, isOpen),
  })
  return (
    <>
      <ul className="nav-work">
        <li>
          <Link
            href={brandLink(api.brand)}
            aria-current={current === undefined ? 'page' : undefined}
          >
            {words.today}
          </Link>
        </li>
        {api.canRead('orders') && (
          <li>
            <Link
              href={calendarLink(api.brand)}
              aria-current={current === 'calendar' ? 'page' : undefined}
            >
              {texts().calendar.title}
            </Link>
          </li>
        )}
        {workGroups.filter(canRead).map((group) => (
          <li key={group.path}>
            <GroupLink {...shared} group={group} title={workTitle(group)} />
          </li>
        ))}
        <li>
          <Link
            href={qualityLink(api.brand)}
            aria-current={current === 'quality' ? 'page' : undefined}
          >
            {texts().quality.title}
          </Link>
        </li>
        <li>
          <Link
            href={sourcesLink(api.brand)}
            aria-current={current === 'sources' ? 'page' : undefined}
          >
            {texts().sources.title}
          </Link>
        </li>
      </ul>
      <NamedViews api={api} current={current} />
      <Fold
        className="nav-all"
        title={words.allGroups}
        count={words.groups(groups.filter(canRead).length)}
        {...section('all')}
      >
        {domains
          .filter((domain) => groupsOf(domain).some(canRead))
          .map((domain) => (
            <Fold
              key={domain}
              className="nav-domain"
              title={domainTitle(domain)}
              count={words.groups(groupsOf(domain).filter(canRead).length)}
              {...section(domain)}
            >
              <DomainGroups
                {...shared}
                domain={domain}
                connections={section(`${domain} connections`)}
              />
            </Fold>
          ))}
      </Fold>
    </>
  )
}

/** The views of the brand, and those of this browser that are pinned. */
const NamedViews = ({ api, current }: { api: Api; current: string | undefined }) => {
  const words = texts().shell
  const pinned = useSavedViews(api.brand).views.filter(({ isPinned }) => isPinned)
  const published = usePublishedViews(api) ?? []
  const saved = new URLSearchParams(useSearch()).get('saved')
  const section = (title: string, views: readonly PublishedView[]) =>
    views.length > 0 && (
      <section className="nav-section">
        <h2>{title}</h2>
        <ul>
          {views.map((view) => (
            <li key={`${view.group} ${view.name}`}>
              <Link
                href={savedViewLink(api.brand, view)}
                aria-current={view.name === saved && view.group === current ? 'page' : undefined}
              >
                <span className="nav-title">{view.name}</span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )
  return (
    <>
      {section(words.brandViews, published)}
      {section(words.savedViews, pinned)}
    </>
  )
}

type Totals = { readonly [group: string]: number }

/** The sections that contain the current group. */
const sectionsOf = (current: string | undefined): readonly string[] => {
  const group = current === undefined ? undefined : groupAt(current)
  if (!group || workGroups.includes(group)) return []
  const { domain } = group
  return ['all', domain, ...(isConnection(group) ? [`${domain} connections`] : [])]
}

interface FoldProps {
  readonly className: string
  readonly title: string
  /** The number of its entries with a unit. */
  readonly count: string
  readonly open: boolean
  readonly onToggle: (isOpen: boolean) => void
  readonly children: ReactNode
}

const Fold = ({ className, title, count, open, onToggle, children }: FoldProps) => (
  <details
    className={className}
    open={open}
    onToggle={(event) => {
      // Ignores events of nested sections, which bubble up.
      if (event.target === event.currentTarget) onToggle(event.currentTarget.open)
    }}
  >
    <summary>
      <span className="nav-title">{title}</span> <span className="count">{count}</span>
    </summary>
    {open && children}
  </details>
)

interface GroupsProps {
  readonly api: Api
  readonly current: string | undefined
  readonly totals: Totals
}

const DomainGroups = ({
  domain,
  connections: fold,
  ...shared
}: GroupsProps & { domain: Domain; connections: Pick<FoldProps, 'open' | 'onToggle'> }) => {
  const { records, connections } = groupsByKind(domain, shared.api)
  return (
    <>
      <GroupList {...shared} groups={records} />
      {connections.length > 0 && (
        <Fold
          className="nav-connections"
          title={texts().shell.connections(connections.length)}
          count=""
          {...fold}
        >
          <GroupList {...shared} groups={connections} />
        </Fold>
      )}
    </>
  )
}

const GroupList = ({ groups, ...shared }: GroupsProps & { groups: readonly Group[] }) => (
  <ul>
    {groups.map((group) => (
      <li key={group.path}>
        <GroupLink {...shared} group={group} title={groupTitle(group)} />
      </li>
    ))}
  </ul>
)

type GroupLinkProps = GroupsProps & { group: Group; title: string }

const GroupLink = ({ api, group, title, current, totals }: GroupLinkProps) => {
  const total = totals[group.path]
  // A view has its own link.
  const query = new URLSearchParams(useSearch())
  const isView = query.has('view') || query.has('saved')
  return (
    <Link
      href={listLink(api.brand, group.path)}
      aria-current={group.path === current ? (isView ? 'true' : 'page') : undefined}
    >
      <span className="nav-title">{title}</span>
      {total !== undefined && (
        <span className="count" title={texts().shell.records(total)}>
          {countText(total)} <span className="unseen">{texts().shell.recordsWord(total)}</span>
        </span>
      )}
    </Link>
  )
}
