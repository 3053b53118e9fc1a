/** The guides in a real browser: read without a key, searched, and copied from. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import type { BuiltFile } from '#console'
import { awaitTrue, openPage, seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { leave } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const folder = fileURLToPath(new URL('../../console/dist', import.meta.url))
const built: readonly BuiltFile[] = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'))

describe('the guides', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser

  before(async () => {
    service = await openTestService()
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  it('are read without a key, from the sign-in page to a page with its images', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/`)
    await page.getByRole('link', { name: 'Guides' }).click()
    await page.waitForURL('**/guides')
    assert.equal(await page.title(), 'Guides · Selvedge')
    const pages = page.getByRole('navigation', { name: 'Guides' })
    await pages.getByRole('link', { name: 'Use the console' }).click()
    await page.getByRole('heading', { name: 'Use the console' }).waitFor()
    assert.equal(await page.title(), 'Use the console · Guides · Selvedge')
    assert.equal(await pages.locator('[aria-current="page"]').innerText(), 'Use the console')
    await page.locator('.guide img').first().scrollIntoViewIfNeeded()
    await awaitTrue(page, 'document.querySelector(".guide img").naturalWidth > 100')
    await page.getByRole('link', { name: 'the client', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Use the client', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'API reference' }).waitFor()
    await leave(page)
  })

  it('are searched by headings and text, with the keyboard alone', async () => {
    const page = await openPage(browser, service.url)
    const read: string[] = []
    page.on('request', (request) => read.push(request.url()))
    await page.goto(`${service.url}/guides/how-to/query`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.ok(!read.some((url) => url.endsWith('.json')), 'the index is loaded when it is used')
    await page.keyboard.press('/')
    await page.keyboard.type('kept signed in')
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    const field = page.getByRole('combobox', { name: 'Search the guides' })
    await field.fill('30 days local storage')
    await page.getByRole('option', { name: /Use the console › Sign in/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/guides/how-to/use-the-console#sign-in')
    await field.fill('confirmedExFactoryDate orders')
    await page.getByRole('option').first().waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    await field.fill('zzzz')
    await page.getByText('Nothing found for “zzzz”.').first().waitFor()
    await leave(page)
  })

  it('have code that can be copied', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/guides/tutorial/first-requests`)
    const block = page.locator('.code').first()
    const code = await block.locator('code').innerText()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), code)
    await leave(page)
  })

  it('have nothing serious for axe, and fit a phone, in light and dark', async () => {
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      const viewport = { width, height: 844 }
      const page = await openPage(browser, service.url, { viewport, colorScheme })
      for (const path of ['', '/how-to/query', '/reference/configuration']) {
        await page.goto(`${service.url}/guides${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        assert.deepEqual(await seriousFindings(page), [], path)
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(over) <= 0, `${path} is ${over} px too wide at ${width}`)
      }
      await leave(page)
    }
  })

  it('are pages of the server with its strictest policy, and 404 where there is none', async () => {
    for (const path of ['/guides', '/guides/reference/resources/orders']) {
      const { status, headers } = await fetch(service.url + path)
      assert.equal(status, 200)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /^default-src 'none'; .*style-src 'self'; img-src 'self'$/)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    }
    for (const path of ['/guides/nothing', '/guides/../package.json', '/guides/how-to/query.md']) {
      assert.equal((await fetch(service.url + path)).status, 404)
    }
    const { status } = await service.get('/guides', { method: 'POST' })
    assert.equal(status, 405)
  })

  it('stay small: a light script, and an index of a bounded size', async () => {
    const page = await openPage(browser, service.url)
    await page.goto(`${service.url}/guides`)
    const scripts = page.scripts.map((url) => new URL(url).pathname)
    const index = String(await page.evaluate('document.body.dataset.index'))
    const sizeOf = (path: string) =>
      built.find((each) => `/${each.path}` === path)?.sizeBytes ?? Number.NaN
    const script = scripts.map(sizeOf).reduce((sum, size) => sum + size, 0)
    assert.ok(script > 0 && script <= 12_000, `${script} bytes of script`)
    assert.ok(sizeOf(index) <= 800_000)
    assert.ok(statSync(join(folder, `${index}.br`)).size <= 160_000)
    await leave(page)
  })
})
