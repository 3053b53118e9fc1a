export { readOrigin } from './address.ts'
export {
  type Pulled,
  type PulledCollection,
  type PullOptions,
  type PullProgress,
  pullBrand,
} from './pull.ts'
export { PullRefused, printable } from './refusal.ts'
export { openRemote, type Remote } from './remote.ts'
