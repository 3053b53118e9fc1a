/** The frame of the console in a real browser: navigation, freshness, settings and the phone menu. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { queryBasePath } from '#contract'
import { groups, groupsOf } from '../../console/src/contract.ts'
import { groupsByKind } from '../../console/src/shell/places.ts'
import { openPage, seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, rows, signOut } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'

/** How much wider than the screen the page is. */
const overhang =
  'Math.max(...[document.documentElement, document.getElementById("content")].map((each) => each.scrollWidth - each.clientWidth))'

describe('the frame of the console', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const goTo = (path: string, options: ConsoleOptions = {}) =>
    openConsole(browser, service.url, path, { with: key, ...options })

  it('the work of the day comes first, with totals that took one request', async () => {
    const page = await openPage(browser, service.url)
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(new URL(request.url()).pathname)
    })
    await page.goto(`${service.url}/brands/aldermoor/orders#key=${key}`)
    const work = page.locator('.nav-work')
    await work.getByText('10 records').waitFor({ state: 'attached' })
    const names = await page.evaluate(
      '[...document.querySelectorAll(".nav-work a")].map((each) => each.innerText)',
    )
    assert.deepEqual(
      (names as readonly string[]).map((each) => each.replace(/\s+[\d,.]+.*$/s, '')),
      [
        'Today',
        'Calendar',
        'Orders',
        'Shipments',
        'Inventory',
        'Invoices',
        'Suppliers',
        'Products',
        'Data quality',
        'Sources',
      ],
    )
    await page.locator('.navigation summary', { hasText: 'All groups' }).click()
    await page.locator('.nav-domain summary', { hasText: 'Catalog' }).click()
    await page.getByRole('link', { name: /^SKUs 10 records$/ }).waitFor()
    await page.waitForLoadState('networkidle')
    const today = `${queryBasePath}/brands/aldermoor/today`
    assert.equal(requests.filter((path) => path === today).length, 1)
    assert.ok(requests.length <= 4, requests.join('\n'))
    await leave(page)
  })

  it('all groups are folded by domain, connection tables once more, and the browser remembers', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    const summary = (text: string) => page.locator('.navigation summary', { hasText: text })
    await summary('All groups').waitFor()
    assert.match(await summary('All groups').innerText(), new RegExp(`${groups.length} groups`))
    assert.equal(await page.locator('.nav-domain').count(), 0)
    await summary('All groups').click()
    await summary('Catalog').click()
    assert.match(
      await summary('Catalog').innerText(),
      new RegExp(`${groupsOf('catalog').length} groups`),
    )
    assert.equal(await page.getByRole('link', { name: /^Product Tags/ }).count(), 0)
    await summary(
      `${groupsByKind('catalog', { canRead: () => true }).connections.length} connection tables`,
    ).click()
    await page.getByRole('link', { name: /^Product Tags/ }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: /^Product Tags/ }).waitFor()
    await summary('All groups').click()
    await page.locator('.nav-domain').first().waitFor({ state: 'detached' })
    await page.reload()
    await summary('All groups').waitFor()
    assert.equal(await page.locator('.nav-domain').count(), 0)
    // The page of a group opens what it is in.
    await page.goto(`${service.url}/brands/aldermoor/order-shipments`)
    await page
      .locator('.navigation a[aria-current="page"]', { hasText: 'Order Shipments' })
      .waitFor()
    await leave(page)
  })

  it('the header says how fresh the records are in the zone of the brand, amber when stale', async () => {
    const page = await goTo('/brands/aldermoor/orders', { timezoneId: 'Asia/Shanghai' })
    const shown = page.locator('.freshness .menu-title')
    await shown.waitFor()
    const { records, timezone } = (await service.get(`${queryBasePath}/brands/aldermoor/today`))
      .body
    const clock = new Intl.DateTimeFormat('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: timezone,
    })
    const at = clock.format(new Date(records.lastImport.at))
    const changed = records.lastImport.changed.toLocaleString('en-GB')
    assert.equal(await shown.innerText(), `Records as of ${at} · last import: ${changed} changed`)
    assert.equal(await page.locator('.freshness-stale').count(), 0)
    await shown.click()
    await page.getByText('This turns amber when nothing was imported for 26 hours.').waitFor()
    await leave(page)
    const later = await openPage(browser, service.url)
    await later.clock.setFixedTime(Date.now() + 30 * 3_600_000)
    await later.goto(`${service.url}/brands/aldermoor/orders#key=${key}`)
    await later.locator('.freshness-stale .menu-title').click()
    await later.getByText(/That was \d+ hours ago, more than the 26 hours/).waitFor()
    assert.deepEqual(await seriousFindings(later), [])
    await leave(later)
  })

  it('one menu has theme, language, help and the way out, and works with the keyboard alone', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    await rows(page).first().waitFor()
    const menu = page.getByRole('button', { name: 'Settings and help' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Dark').waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    await page.keyboard.press('Escape')
    await page.getByLabel('Dark').waitFor({ state: 'hidden' })
    assert.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-label")'),
      'Settings and help',
    )
    await page.reload()
    await rows(page).first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    await menu.click()
    await page.getByRole('button', { name: /^Keyboard shortcuts/ }).click()
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('Escape')
    await menu.click()
    await page.locator('.settings select').selectOption('de')
    await page.getByRole('link', { name: 'Heute' }).first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await leave(page)
  })

  it('the first key press leads past the frame to the content', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    await rows(page).first().waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    await leave(page)
  })

  it('a phone has one menu, a header of at most 56 px, and nothing is cut off', async () => {
    const page = await goTo('/brands/aldermoor/orders', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    })
    await page.locator('.shell').waitFor()
    const header = await page.locator('.bar').boundingBox()
    assert.ok(header && header.height <= 56, `${header?.height} px`)
    assert.equal(await page.evaluate(overhang), 0)
    assert.equal(await page.getByRole('link', { name: /^Invoices/ }).count(), 0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByText(/Records as of/).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await seriousFindings(page), [], colorScheme)
    }
    await page.getByRole('link', { name: /^Invoices/ }).click()
    await page.waitForURL('**/brands/aldermoor/invoices')
    await page.getByText(/Records as of/).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.touchscreen.tap(370, 500)
    await page.getByText(/Records as of/).waitFor({ state: 'hidden' })
    await page.goto(`${service.url}/brands/aldermoor/orders/${order}`)
    await page.getByRole('heading', { name: 'PO-5512' }).first().waitFor()
    assert.equal(await page.evaluate(overhang), 0)
    await signOut(page)
    await page.getByLabel('API key').waitFor()
    await leave(page)
  })

  it('a German browser has the frame in German', async () => {
    const page = await goTo('/brands/aldermoor/orders', { locale: 'de-DE', colorScheme: 'dark' })
    await page
      .getByRole('link', { name: /^Bestellungen/ })
      .first()
      .waitFor()
    await page
      .locator('.freshness', { hasText: /^Datenstand \d\d:\d\d · letzter Import: \d+ geändert$/ })
      .waitFor()
    await page.getByRole('button', { name: 'Einstellungen und Hilfe' }).click()
    await page.getByRole('button', { name: 'Abmelden' }).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    assert.equal(await page.evaluate(overhang), 0)
    await leave(page)
  })
})
