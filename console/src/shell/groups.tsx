import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Api } from '../api.ts'
import { type Domain, domains, type Group, groupAt, groupsOf } from '../contract.ts'
import { countText } from '../figures.ts'
import { brandLink, listLink } from '../links.ts'
import { totalQuery } from '../totals.ts'

export const domainTitles: Record<Domain, string> = {
  network: 'Network',
  reference: 'Reference',
  catalog: 'Catalog',
  sourcing: 'Sourcing',
  orders: 'Orders',
  logistics: 'Logistics',
  finance: 'Finance',
  documents: 'Documents',
}

/** In the order of the supply chain. */
const shownOrder: readonly Domain[] = [
  ...(['orders', 'catalog', 'sourcing', 'logistics', 'finance'] as const),
  ...domains.filter((each) => ['network', 'documents', 'reference'].includes(each)),
]

const collectionIn = (path: string): string | undefined => path.split('/')[3]

/** All groups by domain. The totals of a domain are loaded when it is opened. */
export const Groups = ({ api }: { api: Api }) => {
  const [path] = useLocation()
  const current = collectionIn(path)
  const domain = current === undefined ? undefined : groupAt(current)?.domain
  const [open, setOpen] = useState<ReadonlySet<Domain>>(() => new Set([domain ?? 'orders']))
  useEffect(() => {
    if (domain) setOpen((before) => (before.has(domain) ? before : new Set([...before, domain])))
  }, [domain])

  return (
    <>
      <Link
        className="groups-overview"
        href={brandLink(api.brand)}
        aria-current={current === undefined ? 'page' : undefined}
      >
        Overview
      </Link>
      {shownOrder.map((each) => (
        <details
          key={each}
          open={open.has(each)}
          onToggle={(event) => {
            const isOpen = event.currentTarget.open
            setOpen((before) => {
              const others = [...before].filter((other) => other !== each)
              return new Set(isOpen ? [...others, each] : others)
            })
          }}
        >
          <summary>
            {domainTitles[each]} <span className="count">{groupsOf(each).length}</span>
          </summary>
          {open.has(each) && (
            <ul>
              {groupsOf(each).map((group) => (
                <li key={group.path}>
                  <GroupLink api={api} group={group} isCurrent={group.path === current} />
                </li>
              ))}
            </ul>
          )}
        </details>
      ))}
    </>
  )
}

interface GroupLinkProps {
  readonly api: Api
  readonly group: Group
  readonly isCurrent: boolean
}

const GroupLink = ({ api, group, isCurrent }: GroupLinkProps) => {
  const { data } = useQuery({ ...totalQuery(api, group.path), enabled: group.hasList })
  return (
    <Link href={listLink(api.brand, group.path)} aria-current={isCurrent ? 'page' : undefined}>
      <span className="group-title">{group.title}</span>
      <span className="count">{data !== undefined && countText(data)}</span>
    </Link>
  )
}
