export { memoryQuota } from './memory.ts'
export { limitHeader, type Policy, policyHeader, type Quota, type Taken } from './quota.ts'
