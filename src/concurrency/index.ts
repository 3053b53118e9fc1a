export { createTimeLimit, type Deadline, openDeadline, withTimeout } from './deadline.ts'
export { createMutex, type Mutex } from './mutex.ts'
export { createSemaphore, type Release, type Semaphore } from './semaphore.ts'
export type { SharedTimeout } from './shared-timeouts.ts'
