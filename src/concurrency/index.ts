export { createSemaphore, OverloadedError, type Release, type Semaphore } from './semaphore.ts'
