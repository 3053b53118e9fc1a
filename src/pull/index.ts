export {
  type Pulled,
  type PulledCollection,
  type PullOptions,
  type PullProgress,
  pullBrand,
} from './pull.ts'
export { PullRefused } from './refusal.ts'
