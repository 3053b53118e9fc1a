/** Signing in and out in a real browser, and where the key is meanwhile. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { awaitTrue, openInTab, openPage, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, rows, signOut } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const dayMs = 86_400_000

/** Everything of a page that could hold a key, as text. */
const traces = async (page: Page): Promise<{ readonly [place: string]: string }> =>
  (await page.evaluate(`(async () => ({
    address: location.href,
    history: JSON.stringify(navigation.entries().map(({ url }) => url)) + JSON.stringify(history.state),
    sessionStorage: JSON.stringify(sessionStorage),
    localStorage: JSON.stringify(localStorage),
    cookies: document.cookie,
    databases: JSON.stringify(await indexedDB.databases()),
    caches: JSON.stringify(await caches.keys()),
    page: document.documentElement.outerHTML + document.title + document.referrer + window.name,
    requests: JSON.stringify(performance.getEntriesByType('resource').map(({ name }) => name)),
  }))()`)) as { readonly [place: string]: string }

/** Where a key is found, in order. */
const placesOf = async (page: Page, key: string): Promise<readonly string[]> =>
  Object.entries(await traces(page))
    .filter(([, text]) => text.includes(key))
    .map(([place]) => place)
    .sort()

describe('a session of the console', { skip: missingBrowser }, () => {
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

  const signedOut = (page: Page) => page.getByLabel('API key').waitFor()

  /** Signs in with the form, kept on this device. */
  const signInKept = async (page: WatchedPage, own = key) => {
    await page.goto(`${service.url}/brands/aldermoor/tags`)
    await page.getByLabel('API key').fill(own)
    await page.getByLabel('Keep me signed in on this device').check()
    await page.getByText('The key is stored in this browser for 30 days').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await rows(page).first().waitFor()
  }

  it('has its key in the session storage of the tab alone, and nowhere after signing out', async () => {
    for (const signIn of ['link', 'form'] as const) {
      const page = await openPage(browser, service.url)
      const sent: string[] = []
      page.on('request', (request) => sent.push(`${request.url()} ${request.headers()['referer']}`))
      if (signIn === 'link') await page.goto(`${service.url}/brands/aldermoor/tags#key=${key}`)
      else {
        await page.goto(`${service.url}/brands/aldermoor/tags`)
        await page.getByLabel('API key').fill(key)
        await page.getByText('is forgotten when you close them').waitFor()
        await page.keyboard.press('Enter')
      }
      await rows(page).first().waitFor()
      assert.deepEqual(await placesOf(page, key), ['sessionStorage'])
      await page.reload()
      await rows(page).first().waitFor()
      await page.goBack().catch(() => null)
      await page.goForward().catch(() => null)
      assert.deepEqual(await placesOf(page, key), ['sessionStorage'])
      // Browsers do not send a fragment: the only request with the key has it in its header.
      assert.ok(sent.every((each) => !each.replace(/#.*/, '').includes(key)))
      await page.goto(`${service.url}/brands/aldermoor/tags`)
      await signOut(page)
      await signedOut(page)
      assert.deepEqual(await placesOf(page, key), [])
      await leave(page)
    }
  })

  it('can be kept on the device until the viewer signs out', async () => {
    const page = await openPage(browser, service.url)
    await signInKept(page)
    assert.deepEqual(await placesOf(page, key), ['localStorage', 'sessionStorage'])
    const keptSession = JSON.parse(
      String(await page.evaluate('localStorage.getItem("selvedge-kept-session")')),
    )
    const days = (keptSession.until - Date.now()) / 86_400_000
    assert.ok(days > 29.9 && days <= 30, `${days} days`)
    // All tabs are closed, and the browser is opened again.
    const context = page.context()
    const later = await context.newPage()
    await page.close()
    await later.goto(`${service.url}/`)
    await later.waitForURL('**/brands/aldermoor')
    const reference = await context.newPage()
    await reference.goto(`${service.url}/docs`)
    await reference.getByText('Requests are sent with your key, for aldermoor.').waitFor()
    await reference.close()
    await later.goto(`${service.url}/brands/aldermoor/tags`)
    await signOut(later)
    await signedOut(later)
    assert.deepEqual(await placesOf(later, key), [])
    await later.reload()
    await signedOut(later)
    await context.close()
  })

  it('that is kept ends after 30 days in an open tab', async () => {
    const page = await openPage(browser, service.url)
    await page.clock.install()
    await signInKept(page)
    await page.clock.fastForward(29 * dayMs)
    assert.equal(await page.getByLabel('API key').count(), 0)
    await page.clock.fastForward(dayMs)
    await page.getByText('the time that this browser keeps a key is over').waitFor()
    assert.deepEqual(await placesOf(page, key), [])
    await leave(page)
  })

  it('that is kept is not used after its time, and not left in storage', async () => {
    const page = await openPage(browser, service.url)
    await signInKept(page)
    await page.evaluate(`for (const storage of [localStorage, sessionStorage]) {
      for (const name of Object.keys(storage).filter((each) => each.includes('session'))) {
        const stored = JSON.parse(storage[name])
        storage[name] = JSON.stringify({ ...stored, until: 1, keptUntil: 1 })
      }
    }`)
    await page.reload()
    await signedOut(page)
    assert.deepEqual(await placesOf(page, key), [])
    await leave(page)
  })

  it('that is kept ends with its key, which is said once, and with another key', async () => {
    const rights = { global: false, perSecond: null, burst: null, expiresAt: null }
    const { keys } = service.records
    const issued = await keys.issue({ name: 'kept', brands: ['aldermoor'], ...rights })
    const first = await openPage(browser, service.url)
    await signInKept(first, issued.key)
    // No tab of the console is open when the key is revoked.
    await first.goto('about:blank')
    await keys.revoke(issued.id)
    const refused = async () => (await service.get('orders', { key: issued.key })).status === 401
    for (let tries = 0; tries < 100 && !(await refused()); tries += 1)
      await first.waitForTimeout(50)
    const page = Object.assign(await first.context().newPage(), { faults: [], scripts: [] })
    await page.goto(`${service.url}/brands/aldermoor/tags`)
    await page.getByText('You were signed out because the server no longer accepts').waitFor()
    assert.deepEqual(await placesOf(page, issued.key), [])
    await page.reload()
    await signedOut(page)
    assert.equal(await page.getByText('You were signed out').count(), 0)
    await signInKept(page)
    const other = await service.key('aldermoor')
    await page.evaluate(`location.hash = '#key=${other}'`)
    await awaitTrue(page, `sessionStorage['selvedge-session']?.includes('${other}')`)
    assert.deepEqual(await placesOf(page, key), [])
    assert.deepEqual(await placesOf(page, other), ['sessionStorage'])
    await leave(page)
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
    const other = await openInTab(rows(page).first().getByRole('link', { name: 'PO-5512' }))
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
    await signOut(other)
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
    await page.locator('.shell').waitFor()
    await page.waitForLoadState('networkidle')
    await service.records.keys.revoke(issued.id)
    const refused = async () => (await service.get('orders', { key: issued.key })).status === 401
    for (let tries = 0; tries < 100 && !(await refused()); tries += 1) await page.waitForTimeout(50)
    // The next request is refused, unless one that was under way has been already.
    const next = page.locator('.navigation').getByRole('link', { name: /^Orders/ })
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
})
