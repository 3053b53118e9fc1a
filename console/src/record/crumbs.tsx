import { Link } from 'wouter'
import type { Group } from '../contract.ts'
import { listLink } from '../links.ts'
import { domainTitle, groupTitle } from '../texts/contract.ts'

/** Links to the domain, unless it has the same name as the group, and to the list of the group. */
export const Crumbs = ({ brand, group }: { brand: string; group: Group }) => (
  <p className="crumbs">
    {domainTitle(group.domain) !== groupTitle(group) && `${domainTitle(group.domain)} › `}
    {group.hasList ? (
      <Link href={listLink(brand, group.path)}>{groupTitle(group)}</Link>
    ) : (
      groupTitle(group)
    )}
  </p>
)
