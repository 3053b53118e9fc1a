export { drawKey, isWellFormed, keyPattern } from './key.ts'
export { type IssuedKey, type IssueRequest, type KeyParts, type Keys, openKeys } from './keys.ts'
export { type Grant, type KeyRing, type KeyRingParts, openKeyRing, type Refusal } from './ring.ts'
export type { KeyRecord } from './table.ts'
