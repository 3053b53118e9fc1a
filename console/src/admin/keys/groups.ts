import { type Domain, domains, groupAt, groups } from '../../contract.ts'
import { adminTexts } from '../../texts/admin.ts'
import { domainTitle, groupTitle } from '../../texts/contract.ts'
import type { Choice } from '../check-list.tsx'

/** A domain in the limits of a key: `domain:finance`. */
const domainPrefix = 'domain:'

/** A group or a domain that a limit names. */
export const groupNameText = (name: string): string => {
  if (name.startsWith(domainPrefix)) {
    const domain = name.slice(domainPrefix.length) as Domain
    return domains.includes(domain) ? adminTexts().keys.domain(domainTitle(domain)) : name
  }
  const group = groupAt(name)
  return group ? groupTitle(group) : name
}

/** What limits of a read key can name: whole domains first, then groups. Every key reads its brand. */
export const groupChoices = (): readonly Choice[] =>
  [
    ...domains.map((domain) => domainPrefix + domain),
    ...groups.map(({ path }) => path).filter((path) => path !== 'brand'),
  ].map((value) => ({ value, name: groupNameText(value) }))

/** What an ingest key can send: the groups whose records belong to a brand. */
export const collectionChoices = (): readonly Choice[] =>
  groups
    .filter(({ isShared }) => !isShared)
    .map(({ path }) => ({ value: path, name: groupNameText(path) }))
