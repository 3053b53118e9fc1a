import { Link } from 'wouter'
import type { Group } from '../contract.ts'
import { listLink } from '../links.ts'
import { domainTitle, groupTitle } from '../texts/contract.ts'

/** Where a record is: its area, unless it is called like the group, and the list of the group. */
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
