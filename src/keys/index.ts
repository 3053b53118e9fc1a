export { drawKey, isWellFormed, keyPattern } from './key.ts'
export {
  type Grant,
  type KeyRing,
  type KeyRingParts,
  openKeyRing,
  type Refusal,
} from './key-verifier.ts'
export { type IssuedKey, type IssueRequest, type KeyParts, type Keys, openKeys } from './keys.ts'
export { moveKeys } from './move.ts'
export type { KeyRecord } from './table.ts'
