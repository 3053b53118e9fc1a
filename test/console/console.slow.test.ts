/**
 * The console in a real browser, against a real server: what a visitor does, in the order they would.
 * `node tools/bootstrap.cjs` builds what is tested here.
 */
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { basePath } from '#contract'
import { awaitTrue, openPage, seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import {
  type ConsoleOptions,
  leave,
  openConsole,
  rows,
  signOut,
  total,
} from '../support/console.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'
const receipt = String(recordsAt('goods-receipts')[0]?.['id'])
const picture = '6bdf1f8f-27cb-4367-8d31-6b0aead239b7'
const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`
const formula = '=HYPERLINK("http://example.org","free")'
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** How much wider than the screen the page is. What is wide scrolls in a box of its own. */
const overhang =
  'Math.max(...[document.documentElement, document.getElementById("content")].map((each) => each.scrollWidth - each.clientWidth))'

const at = { createdAt: '2026-03-01T09:00:00.000Z', updatedAt: '2026-03-01T09:00:00.000Z' }
const tagId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const tags = Array.from({ length: 60 }, (_, index) => ({
  id: tagId(index),
  name: index === 0 ? hostile : index === 1 ? formula : `Tag ${index}`,
  code: `T-${index}`,
  uiColor: null,
  ...at,
}))

describe('the console', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    const product = (await service.get('parent-products?code=AM-1042')).body.items[0].id
    await service.write('aldermoor', {
      tags,
      'product-tags': [{ productId: product, tagId: tagId(0), createdAt: at.createdAt }],
    })
    const { body: image } = await service.get(`images/${picture}`)
    await service.images.put({ brand: 'aldermoor', ...image }, pixel)
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const goTo = (path: string, options: ConsoleOptions = {}) =>
    openConsole(browser, service.url, path, { with: key, ...options })

  it('a link with a key signs in, and the key is not visible anywhere', async () => {
    const page = await goTo('/')
    await page.locator('.shell').waitFor()
    assert.equal(page.url(), `${service.url}/brands/aldermoor`)
    assert.doesNotMatch(await page.content(), new RegExp(key))
    assert.match(String(await page.evaluate('sessionStorage.getItem("selvedge-session")')), /slv_/)
    assert.equal(await page.evaluate('localStorage.length'), 0)
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /slv_/)
    await page.goBack().catch(() => null)
    assert.doesNotMatch(page.url(), /slv_/)
    await leave(page)
    assert.ok(!service.logged.join('').includes(key))
  })

  it('a typed key signs in; a wrong one shows the error of the API', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/brands/aldermoor/tags`)
    await page.getByLabel('API key').fill('slv_wrong')
    await page.keyboard.press('Enter')
    const { error } = (await service.get('/whoami', { key: 'slv_wrong' })).body
    await page.getByText(error).waitFor()
    await page.getByLabel('API key').fill(key)
    await page.keyboard.press('Enter')
    // The address that was asked for is the page that is shown.
    await page.getByRole('heading', { name: 'Tags' }).waitFor()
    await signOut(page)
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await leave(page)
  })

  it('an expired key and a brand out of scope show the error of the API', async () => {
    const rights = { global: false, perSecond: null, burst: null }
    const { key: over } = await service.records.keys.issue({
      name: 'over',
      brands: ['aldermoor'],
      expiresAt: '2020-01-01T00:00:00.000Z',
      ...rights,
    })
    const expired = await goTo('/', { with: over })
    await expired.getByText('The API key has expired.').waitFor()
    await leave(expired)
    const outside = await goTo('/brands/birkholm/orders')
    await outside.getByText('The API key may not read this brand.').first().waitFor()
    await leave(outside)
  })

  it('a key for several brands chooses among them', async () => {
    const brand = (await service.get('')).body
    const id = '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
    await service.write('birkholm', {
      brand: [{ ...brand, id, slug: 'birkholm', name: 'Birkholm' }],
    })
    const global = await service.key()
    const page = await goTo('/', { with: global })
    const choice = page.getByRole('heading', { name: 'Choose a brand' })
    await choice.waitFor()
    await page.reload()
    await choice.waitFor()
    await page.getByRole('button', { name: 'Sign in with another key' }).click()
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate('sessionStorage.length'), 0)
    await page.getByLabel('API key').fill(global)
    await page.getByLabel('Keep me signed in on this device').check()
    await page.keyboard.press('Enter')
    await choice.waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Birkholm' }).click()
    await page.waitForURL('**/brands/birkholm')
    assert.match(String(await page.evaluate('JSON.stringify(localStorage)')), /kept-session/)
    await page.getByLabel('Brand', { exact: true }).selectOption('aldermoor')
    await page.waitForURL('**/brands/aldermoor')
    await leave(page)
  })

  it('the first view loads at most 180 KB of script, and not the reference', async (test) => {
    const page = await goTo('/')
    await page.locator('main a[href*="/orders?"]').first().waitFor()
    await page.waitForLoadState('networkidle')
    const built = new URL('../../console/dist', import.meta.url)
    const sizes = [...new Set(page.scripts)].map((url) => {
      const file = fileURLToPath(built) + new URL(url).pathname
      // A script that compression does not make smaller is sent as it is.
      return (statSync(`${file}.br`, { throwIfNoEntry: false }) ?? statSync(file)).size
    })
    const sum = sizes.reduce((all, size) => all + size, 0)
    test.diagnostic(`${(sum / 1_000).toFixed(1)} KB in ${sizes.length} scripts, as transferred`)
    assert.ok(sum > 50_000 && sum <= 180_000, `${sum} bytes`)
    assert.ok(page.scripts.every((url) => !url.includes('viewer')))
    await leave(page)
  })

  it('a group is found with / and shown with its columns by kind', async () => {
    const page = await goTo('/')
    await page.locator('.shell').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('orders')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/brands/aldermoor/orders')
    const row = rows(page).first()
    await row.getByRole('link', { name: 'PO-5512' }).waitFor()
    await row.getByRole('link', { name: 'Costa & Filhos' }).waitFor()
    await row.locator('.chip-good', { hasText: 'received' }).waitFor()
    assert.match(await row.innerText(), /€15,872\.00/)
    const day = row.locator('time').first()
    assert.equal(await day.getAttribute('title'), '2026-02-02')
    assert.equal(await day.innerText(), '2 Feb 2026')
    const count = page.locator('.navigation a[aria-current] .count')
    assert.equal(await count.textContent(), '1 record')
    await total(page, '1–1 of 1')
    await leave(page)
  })

  it('a record shows its fields and meanings, what it refers to, and what refers to it', async () => {
    const run = recordsAt('production-runs')[0]
    const page = await goTo(`/brands/aldermoor/production-runs/${run?.['id']}`)
    await page.getByRole('heading', { name: /run/i, level: 1 }).waitFor()
    await page.locator('.fields').getByRole('link', { name: 'PO-5512' }).waitFor()
    const meaning = page.getByText('Date on which the batch left originId.')
    assert.equal(await meaning.isVisible(), false)
    await page.getByRole('button', { name: 'Meaning of Actual ex-factory date' }).click()
    await meaning.waitFor()
    await page.keyboard.press('Escape')
    const empty = page.locator('.empty-fields')
    const reason = empty.locator('dt', { hasText: 'Retraction reason' })
    assert.equal(await reason.isVisible(), false)
    await empty.locator('summary').click()
    await reason.waitFor()
    const topics = await page.locator('.field-groups h2').allInnerTexts()
    assert.equal(topics.at(-1), 'Technical')
    const items = page.locator('.incoming').getByRole('link', { name: /^Production Run Items/ })
    await items.getByText(/^[1-9]/).waitFor()
    await page.getByText('Raw JSON').click()
    assert.deepEqual(JSON.parse(await page.locator('.raw pre').innerText()), run)
    await page.locator('.call pre').getByText('curl -H').waitFor()
    await page.getByRole('tab', { name: 'Python' }).click()
    await page.locator('.call pre').getByText('urllib.request').waitFor()
    await page.getByRole('tab', { name: 'TypeScript' }).click()
    await page.locator('.call').getByRole('button', { name: 'Copy' }).click()
    assert.match(
      String(await page.evaluate('navigator.clipboard.readText()')),
      /await brand\.productionRuns\.get\(/,
    )
    await items.click()
    await rows(page).first().waitFor()
    assert.match(page.url(), new RegExp(`productionRunId=${run?.['id']}`))
    await leave(page)
  })

  it('images are shown from their temporary URLs', async () => {
    const page = await goTo(`/brands/aldermoor/images/${picture}`)
    const image = page.locator('.picture img')
    await image.waitFor()
    await awaitTrue(page, 'document.querySelector(".picture img").naturalWidth === 1')
    await leave(page)
  })

  it('a record or a page that does not exist is said in words, with a way on', async () => {
    const page = await goTo(`/brands/aldermoor/orders/${tagId(9)}`)
    await page.getByText('The record does not exist or is not available to this brand.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Lineage' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0)
    assert.match(await page.title(), /^Order not found · /)
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
    assert.doesNotMatch(await page.locator('main').innerText(), /not_found/)
    await page.getByRole('main').getByRole('link', { name: 'Orders' }).waitFor()
    await page.goto(`${service.url}/brands/aldermoor/orders?nonsense=1`)
    await page.getByRole('alert').getByText('nonsense').first().waitFor()
    for (const path of ['nonsense', `orders/${tagId(9)}/lineage/too/deep`]) {
      await page.goto(`${service.url}/brands/aldermoor/${path}`)
      await page.getByText('This page does not exist.').waitFor()
    }
    await page.getByRole('main').getByRole('link', { name: 'Today' }).click()
    await page.waitForURL('**/brands/aldermoor')
    const response = await page.goto(`${service.url}/nonsense`)
    assert.equal(response?.status(), 404)
    await page.getByText('There is no page at /nonsense.').waitFor()
    await page.getByRole('link', { name: 'Console' }).click()
    await page.waitForURL('**/brands/aldermoor')
    await leave(page)
  })

  it('a server that cannot be reached is said in words, and asked again', async () => {
    const page = await goTo('/brands/aldermoor/tags')
    await rows(page).first().waitFor()
    await page.route('**/api/**', (route) => route.abort())
    await page.getByRole('link', { name: /^Orders/ }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('The server cannot be reached. Is it still running?').waitFor()
    assert.doesNotMatch(await alert.innerText(), /network_error/)
    await page.unroute('**/api/**')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await rows(page).first().waitFor()
    await leave(page)
  })

  it('text in records is never interpreted as markup', async () => {
    const page = await goTo(`/brands/aldermoor/tags?code=T-0`)
    await rows(page).getByText(hostile).waitFor()
    await page.goto(`${service.url}/brands/aldermoor/tags/${tagId(0)}`)
    await page.getByRole('heading', { name: hostile }).waitFor()
    await page.goto(`${service.url}/brands/aldermoor/product-tags?tagId=${tagId(0)}`)
    await rows(page).getByText(hostile).waitFor()
    await page.goto(`${service.url}/brands/aldermoor/tags/${tagId(0)}/lineage`)
    await page.getByText(hostile).first().waitFor()
    await page.goto(`${service.url}/brands/aldermoor/tags?name=${encodeURIComponent(hostile)}`)
    await total(page, '1–1 of 1')
    assert.equal(await page.locator('img[src="x"]').count(), 0)
    await leave(page)
  })

  it('the console waits for the rate limit and says so', async () => {
    const narrow = await openTestService({ RATE_PER_SECOND: '1', RATE_BURST: '1' })
    try {
      const mine = await narrow.key('aldermoor')
      const page = await openPage(browser, narrow.url)
      await page.goto(`${narrow.url}/brands/aldermoor/orders#key=${mine}`)
      await page.getByText(/The rate limit of this key is reached\. Resuming in \d+ s\./).waitFor()
      await rows(page).first().waitFor()
      await leave(page)
    } finally {
      await narrow.close()
    }
  })

  it('the reference loads only from this server, and its requests carry the key', async () => {
    const page = await goTo('/brands/aldermoor/orders')
    await rows(page).first().waitFor()
    const link = page.getByRole('link', { name: 'API reference' })
    assert.equal(await link.getAttribute('href'), '/docs')
    const failed: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(response.url())
    })
    await page.goto(`${service.url}/docs#tag/brand/GET/brands/{brand}`)
    await page.getByText('Requests are sent with your key, for aldermoor.').waitFor()
    await page.getByRole('heading', { name: /Public read-only API/ }).waitFor()
    const token = page.locator(
      '#reference input[type=password], #reference input.scalar-password-input',
    )
    assert.equal(await token.first().inputValue(), key)
    const sent = page.waitForRequest(`${service.url}${basePath}/brands/aldermoor`)
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Send/ }).first().click()
    const request = await sent
    assert.equal(request.headers()['authorization'], `Bearer ${key}`)
    assert.equal((await request.response())?.status(), 200)
    assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /slv_/)
    await page.goto(`${service.url}/docs?api=query`)
    await page.getByRole('heading', { name: /Queries over a brand/ }).waitFor()
    assert.deepEqual(failed, [])
    assert.equal(await page.locator('main').count(), 1)
    await leave(page)
  })

  // The files of the other pages look at those, at the menus and at the search.
  const views: readonly (readonly [name: string, path: string, ready: string])[] = [
    ['an empty list', '/brands/aldermoor/orders?status=draft', '.state-empty'],
    ['a refusal', '/brands/aldermoor/orders?nonsense=1', '.state-failure'],
    ['a record', `/brands/aldermoor/goods-receipts/${receipt}`, '.fields .chip'],
    ['a lineage', `/brands/aldermoor/orders/${order}/lineage`, 'main a[href*="/payments/"]'],
  ]
  it('axe finds nothing serious in light and dark, and nothing is cut off on a small phone', async () => {
    const page = await goTo('/')
    await page.locator('.shell').waitFor()
    for (const [name, path, ready] of views) {
      await page.setViewportSize({ width: 1440, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(service.url + path)
      await page.locator(ready).first().waitFor()
      assert.deepEqual(await seriousFindings(page), [], `${name}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      // Only the colours are others.
      assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], `${name}, dark`)
      await page.setViewportSize({ width: 360, height: 800 })
      // The frame is another one there.
      await awaitTrue(page, `${overhang} === 0`)
      if (name === 'a record') assert.deepEqual(await seriousFindings(page), [], `${name}, small`)
    }
    await signOut(page)
    await page.getByLabel('API key').waitFor()
    assert.deepEqual(await seriousFindings(page), [], 'signing in, dark')
    const tooWide = '((page) => page.scrollWidth - page.clientWidth)(document.documentElement)'
    assert.equal(await page.evaluate(tooWide), 0, 'signing in')
    await page.emulateMedia({ colorScheme: 'light' })
    assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], 'signing in, light')
    await leave(page)
  })

  it('loading rows causes no layout shift', async () => {
    const page = await goTo('/brands/aldermoor/tags')
    await rows(page).first().waitFor()
    await page.addInitScript(
      `window.shifts = []; new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifts.push(each.value) }).observe({ type: 'layout-shift', buffered: true })`,
    )
    for (const path of ['/tags', `/orders/${order}`, '/order-items?step=production']) {
      await page.goto(`${service.url}/brands/aldermoor${path}`)
      await page
        .locator('main .grid tbody td .number, main .grid tbody td a, .document .chip')
        .first()
        .waitFor()
      await page.waitForLoadState('networkidle')
      const shifts = (await page.evaluate('window.shifts')) as number[]
      const sum = shifts.reduce((all, each) => all + each, 0)
      assert.ok(sum < 0.1, `${path}: ${shifts}`)
    }
    await leave(page)
  })
})
