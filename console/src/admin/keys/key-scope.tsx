import type { OperatorKey } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { groupNameText } from './groups.ts'

/** What a key is for: its brands, and what limits it. */
export const KeyScope = ({ operatorKey: key }: { operatorKey: OperatorKey }) => {
  const words = adminTexts().keys
  const { global, brands, onlyGroups, withoutGroups, addresses, collections } = key
  const limits = [
    onlyGroups && words.only(onlyGroups.map(groupNameText).join(', ') || words.brandOnly),
    withoutGroups && words.without(withoutGroups.map(groupNameText).join(', ')),
    collections && words.sends(collections.map(groupNameText).join(', ')),
    addresses && words.from(addresses.join(', ')),
  ].filter((limit) => limit !== null)
  return (
    <>
      {global ? words.everyBrand : brands.join(', ')}
      {limits.map((limit) => (
        <span key={limit} className="admin-note">
          {limit}
        </span>
      ))}
    </>
  )
}
