/** The first run on an empty installation, and the import of files, in a real browser. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { allFindings, openPage, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { leave } from '../support/console.ts'
import { idOf } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const at = '2026-03-01T09:00:00.000Z'
const csv = (...names: readonly string[]): string =>
  [
    'id,name,createdAt,updatedAt',
    ...names.map((name, index) => `${idOf(index + 1)},${name},${at},${at}`),
  ]
    .map((line) => `${line}\n`)
    .join('')
/** Kept for a look at the pictures. */
const pictures = process.env['PICTURES']

describe('the first run', { skip: missingBrowser }, () => {
  let service: TestService
  let admin: TestAdmin
  let browser: Browser
  before(async () => {
    service = await openTestService({}, { story: false })
    admin = await openTestAdmin(
      { DATABASE_URL: `sqlite:${join(service.folder, 'selvedge.db')}` },
      { apiUrl: new URL(service.url).origin },
    )
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await admin?.close()
    await service?.close()
  })

  const open = async (path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> => {
    const page = await openPage(browser, admin.url, options)
    const { token } = await admin.sessions.issueLink('Ada')
    await page.goto(`${admin.url}${path}#token=${token}`)
    if (pictures) page.context().setDefaultTimeout(15_000)
    return page
  }
  const file = (name: string, content: string): string => {
    const path = join(admin.folder, name)
    writeFileSync(path, content)
    return path
  }
  const look = async (page: WatchedPage, name: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await allFindings(page), [], name)
      if (pictures) {
        await page.screenshot({
          path: join(pictures, `${name}-${colorScheme}.png`),
          fullPage: true,
        })
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }
  const button = (page: WatchedPage, name: string) =>
    page.getByRole('button', { name, exact: true })

  it('leads from a brand to a response without a terminal', async () => {
    const page = await open('/')
    await page.getByRole('heading', { name: 'Add your brand' }).waitFor()
    assert.match(page.url(), /\/first$/)
    await page.getByLabel('Name', { exact: true }).fill('Birkholm & Söhne')
    assert.equal(await page.getByLabel('Slug').inputValue(), 'birkholm-sohne')
    await page.getByLabel('Country').selectOption('DE')
    await page.getByLabel('Currency of totals').selectOption('EUR')
    await page.getByLabel('Time zone').selectOption('Europe/Berlin')
    await look(page, '1-brand')
    await button(page, 'Add brand and continue').click()

    await page.getByRole('heading', { name: 'Import your first file' }).waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('tags.csv', csv('Summer', 'Winter')),
        file('colours.csv', 'COLOUR\nRed\n'),
      ])
    const colours = page.getByRole('region', { name: 'colours.csv', exact: true })
    await colours.getByText('Choose what its rows are').waitFor()
    await page.getByText('4 of 4 columns are recognised.').waitFor()
    assert.equal(await button(page, 'Dry run: show what would change').isEnabled(), false)
    await look(page, '2-preview')
    await colours.getByLabel('Collection').selectOption('colors')
    await colours.getByText('column "COLOUR" is not a field').waitFor()
    await look(page, '3-unrecognised')
    await button(page, 'Remove colours.csv').click()
    await colours.waitFor({ state: 'detached' })

    await button(page, 'Dry run: show what would change').click()
    await page.getByText('2 records would change. Nothing is stored yet.').waitFor()
    const differences = page.getByRole('table', { name: 'Differences' })
    assert.match(await differences.innerText(), /Summer[\s\S]+new/)
    await look(page, '4-dry-run')
    await button(page, 'Import now').click()
    await page.getByText('2 records are stored or removed.').waitFor()
    await look(page, '5-imported')
    await button(page, 'Continue to the key').click()

    await button(page, 'Issue key').click()
    await page.locator('.admin-secret code').waitFor()
    await look(page, '6-key')
    await button(page, 'I have stored it: continue').click()

    await page.getByText('curl -H').waitFor()
    await button(page, 'Send the request').click()
    await page.getByText('200', { exact: true }).waitFor()
    assert.match(await page.getByRole('region', { name: 'Response' }).innerText(), /"Summer"/)
    await look(page, '7-request')
    await button(page, 'Finish').click()
    await page.waitForURL('**/brands')
    assert.match(await page.locator('.admin-table tbody').innerText(), /Birkholm & Söhne/)
    await leave(page)
    const actors = (await admin.entries())
      .filter(({ action }) => /^(brand|key|unit)/.test(action))
      .map(({ actor }) => actor)
    assert.ok(actors.length >= 3)
    assert.deepEqual([...new Set(actors)], ['Ada'])
  })

  it('is over: an operator sees the brands, and imports files there', async () => {
    const page = await open('/')
    await page.waitForURL('**/brands')
    await page.getByRole('link', { name: 'Import a file' }).click()
    await page
      .locator('input[type=file]')
      .setInputFiles([file('tags.csv', csv('Summer', 'Autumn').replace(at, 'yesterday'))])
    await page.getByText('must be a timestamp with a time zone').first().waitFor()
    await button(page, 'Dry run: show what would change').click()
    await page.getByText('Nothing was stored: the problems below').waitFor()
    assert.equal(await button(page, 'Import now').count(), 0)
    await look(page, '8-refused')
    await page.getByLabel('wait in quarantine, while the others are stored').check()
    await button(page, 'Dry run again').click()
    await button(page, 'Import now').click()
    await page.getByText('1 row is in quarantine.').waitFor()
    await leave(page)
  })

  it('keeps its files over a reload, and drops those that are discarded', async () => {
    const page = await open('/import')
    await page.locator('input[type=file]').setInputFiles([file('tags.csv', csv('Spring'))])
    await page.getByRole('region', { name: 'tags.csv', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('region', { name: 'tags.csv', exact: true }).waitFor()
    await button(page, 'Dry run: show what would change').click()
    await page.getByText('1 record would change.').waitFor()
    await page.reload()
    // A dry run has no preview, which is read again.
    await page.getByRole('region', { name: 'tags.csv', exact: true }).waitFor()
    await button(page, 'Dry run: show what would change').waitFor()
    await button(page, 'Discard the files').click()
    await page.locator('.upload-files').waitFor({ state: 'detached' })
    assert.doesNotMatch(page.url(), /upload=/)
    await leave(page)
  })

  it('speaks German, and fits a phone', async () => {
    const page = await open('/import', { locale: 'de-DE', viewport: { width: 390, height: 844 } })
    await page.getByRole('heading', { name: 'Datei importieren' }).waitFor()
    await page.locator('input[type=file]').setInputFiles([file('tags.csv', csv('Frühling'))])
    await page.getByText('4 von 4 Spalten erkannt.').waitFor()
    await button(page, 'Probelauf: zeigen, was sich ändert').click()
    await page.getByText('Noch ist nichts gespeichert.').waitFor()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 390, `${width}`)
    await look(page, '9-german-phone')
    await leave(page)
  })
})
