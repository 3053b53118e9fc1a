/** The operator's pages of checks, feed readers, storage and health in a real browser, and how all look. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openAdminPage } from '../support/admin-page.ts'
import { allFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { until } from '../support/cluster.ts'
import { leave } from '../support/console.ts'
import { follow } from '../support/feed.ts'
import { type Operated, openOperated } from '../support/operated.ts'

describe('the pages of the state of an installation', { skip: missingBrowser }, () => {
  let operated: Operated
  let browser: Browser
  before(async () => {
    operated = await openOperated()
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await operated?.close()
  })

  const goTo = (path: string, options: BrowserContextOptions = {}) =>
    openAdminPage(browser, operated.admin, path, options)
  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

  it('shows the findings of checks with examples that lead to the console', async () => {
    const page = await goTo('/checks')
    const findings = page.locator('.finding')
    await findings.first().waitFor()
    assert.match(
      await findings.first().innerText(),
      /ORD-01[\s\S]*What to do[\s\S]*PO-5512[\s\S]*add up to 640/,
    )
    const { url } = operated.service
    const example = findings.first().getByRole('link', { name: 'PO-5512' })
    assert.match(
      (await example.getAttribute('href')) ?? '',
      new RegExp(`^${url}/brands/aldermoor/`),
    )
    const quality = page.getByRole('link', { name: 'Open the quality page in the console' })
    assert.equal(await quality.getAttribute('href'), `${url}/brands/aldermoor/quality`)
    await page.getByLabel('Brand').selectOption('Halden')
    await page.getByText('The rules have not been checked yet.').waitFor()
    await page.getByText('selvedge check --brand halden').waitFor()
    await leave(page)
  })

  it('shows who reads the change feed, and how far each is behind', async () => {
    const page = await goTo('/feed')
    await page.getByText('No key has read the change feed.').waitFor()
    const key = await operated.service.key('aldermoor')
    const follower = follow(operated.service, { brand: 'aldermoor', key })
    await follower.step(1)
    const reader = rowOf(page, 'aldermoor')
    const shows = async (words: RegExp) => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.waitForLoadState('networkidle')
      return (await reader.count()) === 1 && words.test(await reader.innerText())
    }
    await until(() => shows(/^test[\s\S]*all\s+\d+ records\s+has never read everything/))
    await follower.catchUp()
    await until(() => shows(/all\s+up to date/))
    await leave(page)
  })

  it('shows files, their logs, what works, and refreshes while it is visible', async () => {
    const page = await goTo('/storage')
    const database = rowOf(page, 'Database')
    await database.waitFor()
    assert.match(await database.innerText(), /works/)
    assert.match(await rowOf(page, 'Redis').innerText(), /not used/)
    assert.match(await rowOf(page, 'Image storage').innerText(), /works/)
    assert.match(await rowOf(page, 'Sources that fail').innerText(), /look at it/)
    assert.match(await rowOf(page, 'Records').innerText(), /selvedge\.db\s[\s\S]*\d [kM]B/)
    await page.getByText('There is no backup.').waitFor()
    await page.waitForRequest(/\/api\/health$/)
    await leave(page)
  })

  it('looks good on every page, in both languages and themes, wide and narrow', async () => {
    const [held] = JSON.parse(
      (await operated.place.run(['intake', '--json', '--state', 'quarantined'])).stdout,
    )
    const [done] = JSON.parse(
      (await operated.place.run(['intake', '--json', '--state', 'done'])).stdout,
    )
    for (const path of [
      ...['/intake', `/intake/${held.id}`, `/intake/${done.id}`, '/quarantine?brand=halden'],
      ...['/imports', `/imports/${done.id}`, '/checks?brand=aldermoor', '/feed', '/storage'],
    ]) {
      for (const options of [
        {},
        { locale: 'de-DE', viewport: { width: 390, height: 844 } },
      ] satisfies BrowserContextOptions[]) {
        const page = await goTo(path, options)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await until(async () => (await page.locator('.part-skeleton').count()) === 0)
        assert.equal(await page.locator('.state-failure').count(), 0, path)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          assert.deepEqual(await allFindings(page), [], path)
        }
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        assert.equal(overflow, 0, path)
        await leave(page)
      }
    }
  })
})
