/** The console in a real browser: signing in and out, figures, names, menus, and what is missing. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { basePath } from '#contract'
import { openPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, rows } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'
const numbered = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

describe('in the console', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string
  let orderBody: { [name: string]: unknown }

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    orderBody = (await service.get(`orders/${order}`)).body
    const { id: _, ...like } = (await service.get('tags?limit=1')).body.items[0]
    const tags = Array.from({ length: 60 }, (_each, number) => ({ ...like, id: numbered(number) }))
    await service.write('aldermoor', { tags })
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const goTo = (path: string, options: ConsoleOptions = {}) =>
    openConsole(browser, service.url, path, { with: key, ...options })

  it('a brand that the key may not read is requested once and reported', async () => {
    for (const [brand, sentence, own] of [
      ['birkholm', 'The API key may not read this brand.', key],
      ['nosuch', 'There is no such brand.', await service.key()],
    ] as const) {
      const page = await openPage(browser, service.url)
      const urls: string[] = []
      page.on('request', (request) => {
        if (request.url().includes(basePath)) urls.push(request.url())
      })
      await page.goto(`${service.url}/brands/${brand}/orders#key=${own}`)
      await page.getByText(sentence).waitFor()
      await page.waitForLoadState('networkidle')
      assert.deepEqual(urls, [`${service.url}${basePath}/brands/${brand}`])
      assert.match(await page.title(), /^Brand not available · /)
      await page.getByRole('link', { name: 'Aldermoor' }).click()
      await page.waitForURL('**/brands/aldermoor')
      await leave(page)
    }
  })

  it('amounts and times use the locale of the viewer and the zone of the brand', async () => {
    const page = await goTo('/brands/aldermoor/orders', {
      locale: 'de-DE',
      timezoneId: 'Asia/Shanghai',
    })
    const row = rows(page).first()
    await row.getByRole('link', { name: 'PO-5512' }).waitFor()
    assert.match(await row.innerText(), /15\.872,00\s€/)
    await page.goto(`${service.url}/brands/aldermoor/orders/${order}?tab=fields`)
    const created = page.locator(`.fields time[title="${orderBody['createdAt']}"]`).first()
    await created.waitFor()
    assert.equal(orderBody['createdAt'], '2026-02-02T09:00:00.000Z')
    assert.equal(await created.innerText(), '2. Feb. 2026, 04:00 GMT-5')
    await leave(page)
  })

  it('records are named by what they are, in lists, on their pages and in titles', async () => {
    const page = await goTo('/brands/aldermoor/shipment-items')
    const link = rows(page)
      .first()
      .getByRole('link', { name: /^AM-1042-\w+-\w+ × \d+$/ })
    await link.waitFor()
    assert.equal(await page.title(), 'Shipment Items · aldermoor · Selvedge')
    const name = await link.innerText()
    await link.click()
    await page.getByRole('heading', { name }).waitFor()
    assert.equal(await page.title(), `${name} · Shipment Items · aldermoor · Selvedge`)
    await page.getByRole('link', { name: 'Lineage', exact: true }).click()
    await page.getByRole('heading', { name: `Lineage of ${name}` }).waitFor()
    assert.equal(await page.title(), `Lineage of ${name} · Shipment Items · aldermoor · Selvedge`)
    await page.goto(`${service.url}/brands/aldermoor`)
    await page.getByRole('heading', { name: 'Today', exact: true }).waitFor()
    assert.equal(await page.title(), 'Today · Aldermoor · Selvedge')
    await leave(page)
  })

  it('a menu is closed by Escape, by a click outside it and by another menu', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    await rows(page).first().waitFor()
    const columns = page.getByRole('checkbox', { name: 'Incoterm place' })
    const csv = page.getByRole('button', { name: 'CSV', exact: true })
    const [openColumns, openDownload] = [
      page.getByRole('button', { name: /^Columns/ }),
      page.getByRole('button', { name: 'Download', exact: true }),
    ]
    await openColumns.click()
    await columns.check()
    await page.keyboard.press('Escape')
    await columns.waitFor({ state: 'hidden' })
    assert.match(String(await page.evaluate('document.activeElement.textContent')), /^Columns/)
    await openColumns.click()
    await columns.waitFor()
    await openDownload.click()
    await csv.waitFor()
    await columns.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Orders', exact: true }).click()
    await csv.waitFor({ state: 'hidden' })
    await openColumns.focus()
    await page.keyboard.press('Enter')
    await columns.waitFor()
    await openDownload.focus()
    await columns.waitFor({ state: 'hidden' })
    await leave(page)
  })
})
