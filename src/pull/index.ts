export { parseServerAddress } from './address.ts'
export {
  type Pulled,
  type PulledCollection,
  type PullOptions,
  pullBrand,
} from './pull.ts'
export { PullError } from './pull-error.ts'
export type { RunLimits } from './run-limits.ts'
export { createServerTransport } from './server-transport.ts'
