/** Operators who open the operator page in a browser. */
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { TestAdmin } from './admin-service.ts'
import { openPage, type WatchedPage } from './browser.ts'

/** A page of an operator who came by a link, as `selvedge admin` prints it. */
export const openAdminPage = async (
  browser: Browser,
  admin: Pick<TestAdmin, 'url' | 'sessions'>,
  path: string,
  options: BrowserContextOptions & { readonly as?: string } = {},
): Promise<WatchedPage> => {
  const { as = 'Ada', ...context } = options
  const page = await openPage(browser, admin.url, context)
  const { token } = await admin.sessions.issueLink(as)
  await page.goto(`${admin.url}${path}#token=${token}`)
  return page
}
