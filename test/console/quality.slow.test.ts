/** The page of data quality in a real browser: findings, what to do, links, and when there are none. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { rules } from '#check'
import { catalog, queryBasePath } from '#contract'
import { checkChanged } from '../../src/check/quality.ts'
import { openPage, seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole } from '../support/console.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('the page of data quality', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string

  const check = (brand: string, isOver = () => false) =>
    checkChanged({
      store: service.records.store,
      database: service.records.database,
      catalog,
      brand,
      today: '2026-06-01',
      checkedAt: new Date().toISOString(),
      isOver,
    })
  const [order] = recordsAt('orders')
  const writeOrder = (change: object) =>
    service.write('aldermoor', { orders: [{ ...order, ...change }] as never })

  before(async () => {
    service = await openTestService()
    await service.write('empty', { brand: [{ ...recordsAt('brand')[0], slug: 'empty' }] as never })
    key = await service.key()
    await check('aldermoor')
    await writeOrder({ totalQuantity: 641 })
    await check('aldermoor')
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const goTo = (brand = 'aldermoor', options: ConsoleOptions = {}) =>
    openConsole(browser, service.url, `/brands/${brand}/quality`, { with: key, ...options })

  it('shows errors before warnings, with counts, a trend and what to do, in one request', async () => {
    const page = await openPage(browser, service.url)
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/quality') && request.url().includes(queryBasePath)) {
        requests.push(request.url())
      }
    })
    await page.goto(`${service.url}/brands/aldermoor/quality#key=${key}`)
    await page.getByText(`${rules.length - 2} of ${rules.length} rules pass`).waitFor()
    assert.match(await page.title(), /^Data quality · /)
    const findings = page.locator('.finding')
    assert.equal(await findings.count(), 2)
    assert.match(await findings.nth(0).innerText(), /ORD-01[\s\S]*What to do Compare the order/)
    assert.match(await findings.nth(1).innerText(), /RCV-02[\s\S]*credit note/)
    assert.match(await findings.nth(1).innerText(), /shipped 120, received 118/)
    const trend = findings.nth(0).getByRole('img')
    assert.match((await trend.getAttribute('aria-label')) ?? '', /^1 now, 0 at the first/)
    assert.equal(requests.length, 1)
    await findings.nth(0).getByRole('link', { name: 'PO-5512' }).click()
    await page.waitForURL(`**/brands/aldermoor/orders/${order?.['id']}`)
    await leave(page)
  })

  it('says when records have changed since, until they are checked', async () => {
    await writeOrder({ totalQuantity: 642 })
    const page = await goTo()
    await page.getByText('Records have changed since.').waitFor()
    await check('aldermoor')
    await page.reload()
    await page.locator('.finding').first().waitFor()
    assert.equal(await page.getByText('Records have changed since.').count(), 0)
    await leave(page)
  })

  it('says how to check where that was never done, and that all rules pass where they do', async () => {
    const page = await goTo('empty')
    await page.getByText('selvedge check --brand empty').waitFor()
    await check('empty')
    await page.reload()
    await page.getByText(`All ${rules.length} rules pass.`).waitFor()
    await leave(page)
  })

  it('says which rules are not checked yet, and never that all pass, in both languages', async () => {
    await service.write('partly', {
      brand: [{ ...recordsAt('brand')[0], slug: 'partly' }] as never,
    })
    let begun = 0
    await check('partly', () => begun++ >= 51)
    const left = rules.length - 51
    const words = {
      'en-GB': [
        `51 of ${rules.length} rules pass · ${left} not checked yet · `,
        `${left} rules have not been checked yet: records may break them.`,
      ],
      'de-DE': [
        `51 von ${rules.length} Regeln sind erfüllt · ${left} noch nicht geprüft · `,
        `${left} Regeln wurden noch nicht geprüft: Datensätze können sie verletzen.`,
      ],
    }
    for (const [locale, [state = '', sentence = '']] of Object.entries(words)) {
      const page = await goTo('partly', { locale })
      await page.getByText(sentence).waitFor()
      const text = await page.locator('.quality').innerText()
      assert.ok(text.includes(state), text)
      assert.doesNotMatch(text, /All \d+ rules|Alle \d+ Regeln|have changed|geändert/)
      await page.locator('.quality details summary').click()
      await page.getByText(rules.at(-1)?.id ?? '', { exact: true }).waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    }
    // The page is read again while rules are left.
    const page = await goTo('partly')
    await page.getByText(words['en-GB'][1] ?? '').waitFor()
    await check('partly')
    await page.getByText(`All ${rules.length} rules pass.`).waitFor()
    await leave(page)
  })

  it('is in German for a German browser, and fits a phone', async () => {
    const page = await goTo('aldermoor', {
      locale: 'de-DE',
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    await page.getByRole('heading', { name: 'Datenqualität' }).waitFor()
    await page.getByText(`${rules.length - 2} von ${rules.length} Regeln sind erfüllt`).waitFor()
    const findings = page.locator('.finding')
    assert.match(
      await findings.nth(0).innerText(),
      /Gesamtmenge und Gesamtbetrag einer Bestellung[\s\S]*Was zu tun ist Vergleichen Sie[\s\S]*angegeben sind Menge 642/,
    )
    assert.match(await findings.nth(1).innerText(), /versandt 120, eingegangen 118/)
    assert.equal(await page.locator('.finding [lang="en"]').count(), 0)
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.equal(overflow, 0)
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })
})
