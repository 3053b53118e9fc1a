/** The console in other languages, locales and time zones, in a real browser. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { openPage, seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, rows } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'
const contact = '35606ccd-db63-4c81-8fa2-3815e90c64bd'

describe('the language of the console', { skip: missingBrowser }, () => {
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
  const germanScripts = (scripts: readonly string[]) =>
    scripts.filter((url) => /\/de-[\w-]+\.js$/.test(url)).length

  it('is German in a German browser, for names, statuses, figures and times', async () => {
    const page = await goTo(`/brands/aldermoor/orders/${order}`, {
      locale: 'de-DE',
      timezoneId: 'Asia/Shanghai',
    })
    await page.getByText('Bestätigtes Ab-Werk-Datum').first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    assert.equal(germanScripts(page.scripts), 1)
    assert.match(await page.title(), /^PO-5512 · Bestellungen · /)
    const text = await page.locator('main').innerText()
    assert.match(text, /eingegangen/)
    assert.match(text, /15\.872,00\s€/)
    assert.deepEqual(await seriousFindings(page), [])
    await page.goto(`${service.url}/brands/aldermoor/contacts/${contact}`)
    // 09:00 UTC, in the zone of the brand.
    await page.getByText('1. Sept. 2025, 05:00 GMT-4').first().waitFor()
    await leave(page)
  })

  it('is English in an English browser, without loading another one', async () => {
    const page = await goTo('/brands/aldermoor/orders', { timezoneId: 'America/New_York' })
    await rows(page).first().getByText('€15,872.00').waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
    assert.equal(germanScripts(page.scripts), 0)
    await leave(page)
  })

  it('can be chosen, and is remembered', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/brands/aldermoor/tags`)
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByLabel('API-Schlüssel').fill('slv_wrong')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    // The server speaks English.
    await page.getByRole('alert').filter({ hasText: /key/ }).waitFor()
    await page.getByLabel('API-Schlüssel').fill(key)
    await page.keyboard.press('Enter')
    await rows(page).first().waitFor()
    await page.reload()
    await rows(page).first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    assert.equal(await page.evaluate('localStorage["selvedge-language"]'), 'de')
    await leave(page)
  })

  it('is English where the texts of another one cannot be loaded', async () => {
    const page = await openPage(browser, service.url, { locale: 'de-AT' })
    await page.route(/\/de-[\w-]+\.js$/, (route) => route.abort())
    await page.goto(`${service.url}/`)
    await page.getByLabel('API key').waitFor()
    await page.context().close()
  })

  it('is that of the lineage too', async () => {
    const page = await goTo(`/brands/aldermoor/orders/${order}/lineage`, { locale: 'de-DE' })
    await page.getByText('Die Kette ist vollständig.').waitFor()
    assert.match(await page.title(), /^Lieferkette von PO-5512 · Bestellungen · /)
    await page.getByText('Bestellposition').first().waitFor()
    await leave(page)
  })
})
