/** The console in a real browser: signing in and out, figures, names, menus, and what is missing. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { basePath } from '#contract'
import { openStory } from '#demo'
import { findChromium, openBrowser, openPage } from '../support/browser.ts'
import { type ConsoleOptions, leave, openConsole, rows, total } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const program = await findChromium()
const missing = typeof program === 'string' ? false : program.missing

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'
const numbered = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

describe('in the console', { skip: missing }, () => {
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
    browser = await openBrowser(program as string)
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

  it('a link with a key works in an open tab, and the key leaves the URL', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/`)
    await page.getByLabel('API key').waitFor()
    for (const [link, sentence] of [
      ['slv_wrong', (await service.get('/whoami', { key: 'slv_wrong' })).body.error],
      [key, ''],
    ] as const) {
      // As if it was typed into the address bar: only the fragment changes.
      await page.evaluate(`location.hash = '#key=${link}'`)
      await (sentence ? page.getByText(sentence) : page.locator('.shell')).waitFor()
      assert.doesNotMatch(page.url(), /slv_/)
    }
    await page.goBack().catch(() => null)
    assert.doesNotMatch(page.url(), /slv_/)
    await leave(page)
  })

  it('a link opened in a new tab gets the session of the open tab and from nowhere else', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    const context = page.context()
    const opened = context.waitForEvent('page')
    await rows(page)
      .first()
      .getByRole('link', { name: 'PO-5512' })
      .click({ modifiers: ['Control'] })
    const other = await opened
    await other.getByRole('heading', { name: 'PO-5512' }).waitFor()
    const reference = await context.newPage()
    await reference.goto(`${service.url}/docs`)
    await reference.getByText('Requests are sent with your key, for aldermoor.').waitFor()
    await reference.close()
    for (const each of [page, other]) {
      assert.doesNotMatch(String(await each.evaluate('JSON.stringify(localStorage)')), /slv_/)
      assert.equal(await each.evaluate('document.cookie'), '')
    }
    const stranger = await openPage(browser, service.url)
    await stranger.goto(`${service.url}/brands/aldermoor/orders`)
    await stranger.getByLabel('API key').waitFor()
    await leave(stranger)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByLabel('API key').waitFor()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    const late = await context.newPage()
    await late.goto(`${service.url}/brands/aldermoor/orders`)
    await late.getByLabel('API key').waitFor()
    await leave(page)
  })

  it('a key revoked during use leads back to the sign-in form, with one message', async () => {
    const rights = { global: false, perSecond: null, burst: null, expiresAt: null }
    const issued = await service.records.keys.issue({
      name: 'short',
      brands: ['aldermoor'],
      ...rights,
    })
    const page = await goTo('/brands/aldermoor', { with: issued.key })
    await page.locator('.overview-figures').waitFor()
    await page.waitForLoadState('networkidle')
    await service.records.keys.revoke(issued.id)
    const refused = async () => (await service.get('orders', { key: issued.key })).status === 401
    for (let tries = 0; tries < 100 && !(await refused()); tries += 1) await page.waitForTimeout(50)
    // The next request is refused, unless one that was under way has been already.
    const next = page.getByRole('link', { name: /^Order Items/ })
    await next.click({ timeout: 2_000 }).catch(() => null)
    await page
      .getByText(/You were signed out because the server no longer accepts the key\./)
      .waitFor()
    assert.equal(await page.getByText(/You were signed out/).count(), 1)
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    let requests = 0
    page.on('request', () => {
      requests += 1
    })
    await page.waitForTimeout(800)
    assert.equal(requests, 0)
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    await page.locator('.shell').waitFor()
    assert.equal(await page.getByText(/You were signed out/).count(), 0)
    await leave(page)
  })

  it('amounts and times use the locale of the viewer, exact and in UTC', async () => {
    const page = await goTo('/brands/aldermoor/orders', {
      locale: 'de-DE',
      timezoneId: 'America/New_York',
    })
    const row = rows(page).first()
    await row.getByRole('link', { name: 'PO-5512' }).waitFor()
    assert.match(await row.innerText(), /15\.872,00\s+EUR/)
    await page.goto(`${service.url}/brands/aldermoor/orders/${order}`)
    const created = page.locator(`.fields time[title="${orderBody['createdAt']}"]`).first()
    await created.waitFor()
    assert.equal(orderBody['createdAt'], '2026-02-02T09:00:00.000Z')
    assert.equal(await created.innerText(), '2. Feb. 2026, 09:00 UTC')
    await page.goto(`${service.url}/brands/aldermoor`)
    await page.getByText(/1\.450,00\s+overdue/).waitFor()
    await page.getByText(/15\.872,00 EUR/).waitFor()
    await leave(page)
  })

  it('a sum over a list that is too long is not shown, and the list is named', async () => {
    const [brand, invoice] = await Promise.all([
      service.get('').then(({ body }) => body),
      service.get('invoices?limit=1').then(({ body }) => body.items[0]),
    ])
    const invoices = Array.from({ length: 1_001 }, (_, number) => ({
      ...invoice,
      ...{ id: numbered(number), status: 'approved', balanceAmount: '1.00' },
    }))
    await service.write('lengthy', { brand: [{ ...brand, slug: 'lengthy' }], invoices })
    const page = await goTo('/brands/lengthy', { with: await service.key('lengthy') })
    const card = page.locator('.overview-card', { hasText: 'Open invoices by due date' })
    await card.getByText('Not shown: more than 1,000').waitFor()
    assert.equal(await card.locator('.chart-bar').count(), 0)
    assert.doesNotMatch(await card.innerText(), /1,000\.00|1,001/)
    await card.getByRole('link', { name: 'approved invoices' }).click()
    await total(page, '1–25 of 1,001')
    await leave(page)
  })

  it('the overview sends few requests, and reads each list once', async () => {
    const page = await openPage(browser, service.url)
    const urls: string[] = []
    page.on('request', (request) => {
      if (request.url().includes(basePath)) urls.push(request.url())
    })
    await page.goto(`${service.url}/brands/aldermoor#key=${key}`)
    await page.getByText(/640/).first().waitFor()
    await page.locator('main a[href*="/shipments?status=cancelled"]').waitFor()
    await page.waitForLoadState('networkidle')
    const whole = urls.filter((url) => url.includes('limit=100'))
    assert.equal(new Set(whole).size, whole.length)
    assert.ok(urls.length <= 50, `${urls.length} requests`)
    await page.getByText('Records by domain').scrollIntoViewIfNeeded()
    await page.getByText(/[\d,]+ records in 93 groups, including shared records$/).waitFor()
    await leave(page)
  })

  it('on a narrow screen the latest months are visible', async () => {
    const page = await goTo('/brands/aldermoor', { viewport: { width: 390, height: 800 } })
    const months = page.locator('.chart-columns-scroll')
    await months.waitFor()
    const left = await page.evaluate(
      '((box) => box.scrollWidth - box.clientWidth - box.scrollLeft)(document.querySelector(".chart-columns-scroll"))',
    )
    assert.ok(Number(left) <= 1, `${left} px are off to the right`)
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
    await page.getByRole('heading', { name: 'Aldermoor', exact: true }).waitFor()
    assert.equal(await page.title(), 'Aldermoor · Selvedge')
    await leave(page)
  })

  it('a menu is closed by Escape, by a click outside it and by another menu', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    await rows(page).first().waitFor()
    const columns = page.getByLabel('Incoterm place')
    const csv = page.getByRole('button', { name: 'CSV', exact: true })
    const [openColumns, openDownload] = [
      page.locator('summary', { hasText: 'Columns' }),
      page.locator('summary', { hasText: 'Download' }),
    ]
    await openColumns.click()
    await columns.check()
    await page.keyboard.press('Escape')
    await columns.waitFor({ state: 'hidden' })
    assert.equal(await openColumns.evaluate('document.activeElement?.tagName'), 'SUMMARY')
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

  it('Back restores the scroll position of the table', async () => {
    const page = await goTo('/brands/aldermoor/tags?limit=100')
    await total(page, '1–69 of 69')
    const top = async () =>
      Number(await page.evaluate('document.querySelector(".grid-scroll").scrollTop'))
    await rows(page).nth(50).scrollIntoViewIfNeeded()
    const left = await top()
    assert.ok(left > 100)
    await rows(page).nth(50).getByRole('link').first().click()
    await page.locator('.record-page .fields').waitFor()
    await page.goBack()
    await total(page, '1–69 of 69')
    assert.equal(await top(), left)
    await leave(page)
  })

  it('the lineage is drawn although a record in it is missing, and shows which', async () => {
    const { records } = await openStory()
    const { shipments: _, ...others } = records
    await service.write('holed', {
      ...others,
      brand: (records['brand'] ?? []).map((each) => ({ ...each, slug: 'holed' })),
    })
    const page = await goTo(`/brands/holed/orders/${order}/lineage`, {
      with: await service.key('holed'),
    })
    await page.getByText('The lineage is complete.').waitFor()
    await page.getByText(/\d+ referenced records? (is|are) missing\./).waitFor()
    await page
      .locator('.node', { hasText: 'Shipment' })
      .locator('.chip', { hasText: 'missing' })
      .first()
      .waitFor()
    await page
      .getByRole('link', { name: /PAY-311/ })
      .first()
      .waitFor()
    await leave(page)
  })
})
