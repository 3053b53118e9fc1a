export { type AddressList, canonicalAddress, createAddressList } from './addresses.ts'
export { generateKey, signingKeyOf, signingSecretOf } from './key.ts'
export {
  type Grant,
  type KeyVerifier,
  openKeyVerifier,
  type Refusal,
} from './key-verifier.ts'
export { createKeys, type IssuedKey, type IssueRequest, type Keys } from './keys.ts'
export { createLinkTable, type LinkRecord } from './link-table.ts'
export {
  createLinks,
  findLink,
  type IssuedLink,
  isLinkToken,
  type Links,
  linksPerKey,
  type NewLink,
  removeLinksOf,
} from './links.ts'
export { moveKeys } from './move.ts'
export { createKeyTable, type KeyLimits, type KeyRecord } from './table.ts'
