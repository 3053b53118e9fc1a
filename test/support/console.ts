/** What visitors of the console do in every test of it. */
import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { openPage, type WatchedPage } from './browser.ts'

export type ConsoleOptions = BrowserContextOptions & { with?: string }

/** A page of a visitor who came by a link with a key, as `npm start` prints it. */
export const openConsole = async (
  browser: Browser,
  url: string,
  path: string,
  { with: key, ...options }: ConsoleOptions,
): Promise<WatchedPage> => {
  const page = await openPage(browser, url, options)
  await page.goto(`${url}${path}#key=${key}`)
  return page
}

/** Nothing happened that must not, and the page's profile is gone. */
export const leave = async (page: WatchedPage): Promise<void> => {
  assert.equal(await page.evaluate('window.hacked'), undefined)
  assert.deepEqual(page.faults, [])
  await page.context().close()
}

/** Signs out with the menu of the header, or of the page on a phone. */
export const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^(Settings and help|Menu)/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

export const rows = (page: WatchedPage): Locator => page.locator('.grid tbody tr')

export const total = (page: WatchedPage, text: string): Promise<void> =>
  page.locator('.pager').getByText(text, { exact: true }).waitFor()
