/** What `node --test --test-global-setup` runs before the first test file. */
import { compileCache } from './compile-cache.ts'

export const globalSetup = (): void => {
  // Test files inherit the environment of the process that starts them.
  process.env['NODE_COMPILE_CACHE'] = compileCache
}
