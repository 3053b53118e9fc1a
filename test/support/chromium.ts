/** The browser of the tests of the console. */
import type { Browser } from 'playwright-core'
import { findChromium, openBrowser } from './browser.ts'

const program = await findChromium()

/** Why there is no browser to test in; false where there is one. */
export const missingBrowser = typeof program === 'string' ? false : program.missing
if (missingBrowser) {
  process.stderr.write(`\nTHE CONSOLE IS NOT TESTED IN A BROWSER: ${missingBrowser}\n\n`)
}

export const openChromium = (): Promise<Browser> => {
  if (typeof program !== 'string') throw new Error(program.missing)
  return openBrowser(program)
}
