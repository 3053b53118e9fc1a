/** A server with many orders, and a browser, for the tests of the console's lists. */
import type { Browser } from 'playwright-core'
import { addDays, dayIn } from '#contract'
import type { WatchedPage } from './browser.ts'
import { openChromium } from './chromium.ts'
import { type ConsoleOptions, openConsole, rows } from './console.ts'
import { openTestService, type TestService } from './service.ts'

export const idOf = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const statuses = ['sent', 'confirmed', 'in_production', 'received', 'closed']
export const statusOf = (number: number) => statuses[number % statuses.length] ?? ''

/** Orders beside that of the demo. */
export const ordersMax = 120

export interface Lists {
  readonly service: TestService
  readonly browser: Browser
  readonly today: string
  /** The order of the demo. */
  readonly order: { readonly [name: string]: string | number | null }
  /** Opens a path of the brand. */
  goTo(path: string, options?: ConsoleOptions): Promise<WatchedPage>
  close(): Promise<void>
}

export const openLists = async (): Promise<Lists> => {
  const service = await openTestService()
  const key = await service.key('aldermoor')
  const [brand, { items }] = await Promise.all(
    ['', 'orders'].map(async (path) => (await service.get(path)).body),
  )
  const today = dayIn(brand.timezone, Date.now())
  const orders = Array.from({ length: ordersMax }, (_, number) => ({
    ...items[0],
    id: idOf(number),
    orderNumber: `T-${1_000 + number}`,
    status: statusOf(number),
    confirmedExFactoryDate: number === 7 ? null : addDays(today, (number % 7) - 3),
    requestedExFactoryDate: addDays(today, -10),
    orderDate: addDays(today, -number),
    totalAmount: `${number * 10}.50`,
    memo: number === 0 ? '=HYPERLINK("http://example.org","free")' : null,
    deletedAt: number === 5 ? '2026-03-01T09:00:00.000Z' : null,
  }))
  await service.write('aldermoor', { orders })
  const browser = await openChromium()
  return {
    service,
    browser,
    today,
    order: items[0],
    goTo: (path, options = {}) =>
      openConsole(browser, service.url, `/brands/aldermoor/${path}`, { with: key, ...options }),
    close: async () => {
      await browser.close()
      await service.close()
    },
  }
}

/** Opens the filter of a field, with the keyboard. */
export const openFilter = async (page: WatchedPage, field: string) => {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Find a field').waitFor()
  await page.keyboard.type(field)
  await page.keyboard.press('Enter')
  return page.locator('.filter-editor')
}

export const firstNumber = (page: WatchedPage) =>
  rows(page).first().locator('td').nth(1).innerText()
