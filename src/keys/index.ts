export { type AddressList, canonicalAddress, createAddressList } from './addresses.ts'
export { generateKey, signingKeyOf, signingSecretOf } from './key.ts'
export {
  type Grant,
  type KeyVerifier,
  openKeyVerifier,
  type Refusal,
} from './key-verifier.ts'
export { createKeys, type IssuedKey, type IssueRequest, type Keys } from './keys.ts'
export { moveKeys } from './move.ts'
export type { KeyLimits, KeyRecord } from './table.ts'
