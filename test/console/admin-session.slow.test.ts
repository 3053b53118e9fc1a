/** Signing in to the operator page in a real browser, and every way in which a session ends. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { openAdminPage } from '../support/admin-page.ts'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { allFindings, openPage, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { until } from '../support/cluster.ts'
import { leave } from '../support/console.ts'

const hour = 3_600_000

describe('the session of an operator in a browser', { skip: missingBrowser }, () => {
  let admin: TestAdmin
  let browser: Browser
  /** The clock of the sessions is this much ahead. */
  let ahead = 0
  before(async () => {
    admin = await openTestAdmin({}, { records: 'story', now: () => Date.now() + ahead })
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await admin?.close()
  })
  beforeEach(() => {
    ahead = 0
  })

  const goTo = (path = '/brands', options = {}) => openAdminPage(browser, admin, path, options)
  const heading = (page: WatchedPage, name: string) =>
    page.getByRole('heading', { name, exact: true }).waitFor()
  const isSignedOut = async (page: WatchedPage, notice: string) => {
    await page.getByText(notice).waitFor()
    await page.getByText('selvedge admin --as <name>').waitFor()
    assert.equal(await page.getByText('Aldermoor', { exact: true }).count(), 0)
  }

  it('begins with a link, whose token leaves the address and the history at once', async () => {
    const urls: string[] = []
    const page = await openPage(browser, admin.url)
    page.on('request', (request) => urls.push(request.url()))
    const { token } = await admin.sessions.issueLink('Ada')
    await page.goto(`${admin.url}/keys?brand=aldermoor#token=${token}`)
    await heading(page, 'Keys')
    await page.getByText('Signed in as Ada').waitFor()
    assert.equal(page.url(), `${admin.url}/keys?brand=aldermoor`)
    assert.ok(urls.every((url) => !url.includes(token)))
    await page.getByRole('link', { name: 'Brands' }).click()
    await heading(page, 'Brands')
    await page.goBack()
    assert.ok(!page.url().includes('token'))
    await leave(page)
  })

  it('keeps nothing in the browser that scripts can read', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    assert.equal(stored, '[{},{},""]')
    const [cookie, ...others] = await page.context().cookies()
    assert.deepEqual(others, [])
    assert.ok(cookie?.httpOnly)
    assert.equal(cookie?.sameSite, 'Strict')
    await leave(page)
  })

  it('is that of the cookie when the page loads again, or its link is opened again', async () => {
    const page = await openPage(browser, admin.url)
    const { token } = await admin.sessions.issueLink('Ada')
    await page.goto(`${admin.url}/brands#token=${token}`)
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${admin.url}/brands#token=${token}`)
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    const other = await openPage(browser, admin.url)
    await other.goto(`${admin.url}/brands#token=${token}`)
    await isSignedOut(other, 'This link has been used or has expired.')
    await leave(other)
    await leave(page)
  })

  it('does not begin without a link, whatever the path: the page says how to get one', async () => {
    for (const path of ['/', '/keys', '/no-such-page']) {
      const page = await openPage(browser, admin.url)
      await page.goto(admin.url + path)
      await isSignedOut(page, 'This page is for operators')
      assert.deepEqual(await allFindings(page), [])
      await leave(page)
    }
  })

  it('ends by signing out, in every tab', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    const tab = await page.context().newPage()
    await tab.goto(`${admin.url}/brands`)
    await tab.getByText('Aldermoor', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isSignedOut(page, 'You are signed out.')
    await tab.getByRole('link', { name: 'Keys' }).click()
    await tab.getByText('The session has ended.').waitFor()
    await page.reload()
    await isSignedOut(page, 'This page is for operators')
    await leave(page)
  })

  it('ends by command and by time, and the page hides what it showed', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await admin.sessions.end(null)
    await page.getByRole('link', { name: 'Audit log' }).click()
    await isSignedOut(page, 'The session has ended.')
    await leave(page)
    for (const later of [hour, 12 * hour]) {
      ahead = 0
      const other = await goTo()
      await other.getByText('Aldermoor', { exact: true }).waitFor()
      ahead = later
      await other.getByRole('link', { name: 'Audit log' }).click()
      await isSignedOut(other, 'The session has ended.')
      await leave(other)
    }
  })

  it('ends on the screen at its last moment, also without a request', async () => {
    const page = await openPage(browser, admin.url)
    await page.clock.install()
    const { token } = await admin.sessions.issueLink('Ada')
    await page.goto(`${admin.url}/brands#token=${token}`)
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await page.clock.runFor(12 * hour + 60_000)
    await isSignedOut(page, 'The session has ended.')
    await leave(page)
  })

  it('continues after an operator comes back to a dialog whose change was refused', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add brand' }).click()
    await page.getByLabel('Slug').fill('late')
    await page.getByLabel('Name', { exact: true }).fill('Late')
    await admin.sessions.end(null)
    await page.getByRole('dialog').getByRole('button', { name: 'Add brand' }).click()
    await isSignedOut(page, 'The session has ended.')
    const { token } = await admin.sessions.issueLink('Ada')
    await page.goto(`${admin.url}/brands#token=${token}`)
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    assert.equal(await page.getByText('Late', { exact: true }).count(), 0)
    await leave(page)
  })

  it('of another tab is used after signing in again there, by the same operator only', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    const signInElsewhere = async (operator: string) => {
      const tab = await page.context().newPage()
      const { token } = await admin.sessions.issueLink(operator)
      await tab.goto(`${admin.url}/audit#token=${token}`)
      await tab.getByText(`Signed in as ${operator}`).waitFor()
      await tab.close()
    }
    const add = async (slug: string) => {
      await page.getByLabel('Slug').fill(slug)
      await page.getByLabel('Name', { exact: true }).fill(slug)
      await page.getByRole('dialog').getByRole('button', { name: 'Add brand' }).click()
    }
    await signInElsewhere('Ada')
    await page.getByRole('button', { name: 'Add brand' }).click()
    await add('second')
    await page.getByText('second is added.').waitFor()
    await signInElsewhere('Bea')
    await page.getByRole('button', { name: 'Add brand' }).click()
    await add('third')
    // The operator sees under which name it would happen, and decides.
    await page.getByText('The header x-csrf-token must have the token').waitFor()
    await page.getByText('Signed in as Bea').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Add brand' }).click()
    await page.getByText('third is added.').waitFor()
    const added = (await admin.entries()).filter(({ action }) => action === 'brand.added')
    assert.deepEqual(added.map(({ actor, brand }) => [actor, brand]).slice(-2), [
      ['Ada', 'second'],
      ['Bea', 'third'],
    ])
    await leave(page)
  })

  it('is of no use to a page of another origin, with its cookie or without', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    const [cookie] = await page.context().cookies()
    assert.ok(cookie)
    // A page of another port is of the same site, so that the browser sends the cookie.
    const other = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    const foreign = await page.context().newPage()
    await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const attempt = (init: string) =>
      foreign.evaluate(
        `fetch('${admin.url}/api/brands', ${init}).then((r) => r.text(), () => 'blocked')`,
      )
    assert.equal(await attempt(`{ credentials: 'include' }`), 'blocked')
    const body = `JSON.stringify({ slug: 'forged', name: 'Forged' })`
    await attempt(`{ method: 'POST', mode: 'no-cors', credentials: 'include', body: ${body} }`)
    const refused = () => admin.logged.filter((line) => line.includes('forbidden_origin'))
    await until(() => refused().length === 2)
    await foreign.close()
    other.close()
    // The cookie alone, stolen from the disk, changes nothing: the token is only in the page.
    for (const headers of [
      { cookie: `${cookie.name}=${cookie.value}` },
      { cookie: `${cookie.name}=${cookie.value}`, 'x-csrf-token': 'x'.repeat(43) },
    ]) {
      const stolen = { slug: 'stolen', name: 'Stolen' }
      const answer = await admin.ask('/api/brands', { method: 'POST', body: stolen, headers })
      assert.equal(answer.body.errorCode, 'invalid_csrf_token')
    }
    // The person who has it is out once the operator ends the session.
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isSignedOut(page, 'You are signed out.')
    const headers = { cookie: `${cookie.name}=${cookie.value}` }
    assert.equal((await admin.ask('/api/brands', { headers })).body.errorCode, 'signed_out')
    await page.context().close()
  })

  it('cannot be read again while the server is away, and continues when it is back', async () => {
    const page = await goTo()
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    // The scripts of all pages are loaded ahead.
    await until(async () => page.scripts.some((url) => url.includes('keys-page')))
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByText('The server cannot be reached.').first().waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByText('There are no keys.').waitFor()
    await until(async () => (await page.getByText('cannot be reached').count()) === 0)
    await leave(page)
  })

  it('is in German for a German browser, in every theme, and on a phone', async () => {
    const page = await goTo('/brands', {
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    await page.getByText('Aldermoor', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Menü' }).click()
    await page.getByText('Angemeldet als Ada').waitFor()
    assert.deepEqual(await allFindings(page), [])
    await page.getByRole('link', { name: 'Protokoll' }).click()
    await heading(page, 'Protokoll')
    await page.getByRole('button', { name: 'Menü' }).click()
    await page.getByLabel('Hell').check()
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light')
    await page.getByRole('button', { name: 'Abmelden' }).click()
    await page.getByText('Sie sind abgemeldet.').waitFor()
    assert.deepEqual(await allFindings(page), [])
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByText('This page is for operators').waitFor()
    await leave(page)
  })
})
