export { createSemaphore, Overloaded, type Release, type Semaphore } from './semaphore.ts'
