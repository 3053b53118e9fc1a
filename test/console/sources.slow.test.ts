/** The page of the sources in a real browser: states, rows in quarantine, units, and the notice on Today. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { catalog, resourceAt } from '#contract'
import { type Database, openQueueDatabase } from '#database'
import { openUnits } from '#intake'
import { readServiceConfig } from '#server'
import { seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole } from '../support/console.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('the page of the sources', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let queue: Database
  let key: string

  const fillUnits = async () => {
    const { store, database } = service.records
    const url = readServiceConfig({ DATABASE_URL: `sqlite:${service.folder}/selvedge.db` })
    queue = openQueueDatabase(url.databaseUrl, database)
    const units = await openUnits({
      ...{ database: queue, store, holder: 'a test', now: Date.now, newId: randomUUID },
    })
    const begin = (name: string) =>
      units.begin({
        ...{ brand: 'aldermoor', kind: 'file', source: '/srv/drop/aldermoor' },
        position: `${name} sha256:${'0'.repeat(64)}`,
      })
    const counts = { read: 4, unchanged: 1, parked: 0, unparked: 0 }
    const sums = { added: 1_234, changed: 56, removed: 7, quarantined: 2 }
    const collections = [{ ...counts, collection: 'orders', ...sums }]
    const result = { collections, problems: [], problemCount: 0 }
    await units.finish(await begin('orders.csv'), 'done', undefined, result)
    const place = { file: 'late.csv', line: 3, key: 'Nr "B777"' }
    const problem = { ...place, field: '/orderDate', value: '31.02.2026' }
    await units.finish(await begin('late.csv'), 'refused', '', {
      ...{ collections: [], problemCount: 5 },
      problems: [{ ...problem, column: 'Datum', reason: 'is not a date', severity: 'error' }],
    })
  }
  const fillRows = async (count: number) => {
    const links = resourceAt(catalog, 'product-tags')
    for (let last = 0; last < count; last += 1) {
      const tagId = `00000000-0000-4000-8000-0000000000${String(last).padStart(2, '0')}`
      await service.records.store.write('aldermoor', async (writer) => {
        writer.keepRejected()
        await writer.stage(links, [{ ...recordsAt('product-tags')[0], tagId }] as never)
        for await (const { row } of writer.rejectInvalid(links, {
          park: [{ file: 'links.csv' }],
        })) {
          const reason = 'refers to a record of tags that is not stored: the row waits for it'
          const value = `Organic, id ${tagId}`
          const problem = { file: 'links.csv', line: 1, field: '/tagId', value, reason }
          if (last > 0 || row === null) continue
          await writer.describeQuarantined(links, [
            { row, problems: [{ ...problem, severity: 'warning' }] },
          ])
        }
        await writer.merge(links)
      })
    }
  }

  before(async () => {
    service = await openTestService()
    key = await service.key()
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await queue?.close()
    await service?.close()
  })

  const goTo = (rest = '/sources', options: ConsoleOptions = {}) =>
    openConsole(browser, service.url, `/brands/aldermoor${rest}`, { with: key, ...options })

  it('says that nothing comes in, and Today has no notice', async () => {
    const page = await goTo('')
    await page.getByRole('link', { name: 'Sources' }).click()
    await page.getByText('No records come in continuously').waitFor()
    await page.getByText('Nothing came in within the last three days.').waitFor()
    assert.match(await page.title(), /^Sources · /)
    await page.getByRole('link', { name: 'Today' }).first().click()
    await page.locator('.today-leads').waitFor()
    assert.equal(await page.locator('.attention').count(), 0)
    await leave(page)
  })

  it('shows states, rows with what they wait for, and units with their differences', async () => {
    const { store } = service.records
    const at = new Date().toISOString()
    const folder = { kind: 'watch', name: '/srv/drop/aldermoor' } as const
    await store.sources.update('aldermoor', folder, { succeededAt: at, processed: 3 })
    await store.sources.update(
      'aldermoor',
      { kind: 'sync', name: 'erp' },
      {
        ...{ state: 'failing', failedAt: at, error: 'password authentication failed' },
        behindSince: new Date(Date.now() - 3 * 3_600_000).toISOString(),
      },
    )
    await fillUnits()
    await fillRows(21)
    const page = await goTo('')
    const notice = page.locator('.attention')
    assert.match(await notice.innerText(), /1 source is failing · 21 rows are in quarantine$/)
    await notice.click()
    await page.getByRole('heading', { name: 'Sources', exact: true }).waitFor()
    const sources = page.locator('.source')
    assert.match(await sources.nth(0).innerText(), /erp[\s\S]*failing[\s\S]*Lag\s+3 hr/)
    assert.match(await sources.nth(1).innerText(), /aldermoor Watched folder waiting for data/)
    await page.getByText('selvedge sources --brand aldermoor').waitFor()
    const rows = page.locator('.source-row')
    await rows.nth(19).waitFor()
    assert.equal(await rows.count(), 20)
    assert.match(await rows.nth(0).innerText(), /links\.csv[\s\S]*Waits for: Tag Organic\n/)
    assert.match(await rows.nth(1).innerText(), /Waits for: Tag 00000000-/)
    await page.getByRole('button', { name: 'More rows' }).click()
    await rows.nth(20).waitFor()
    assert.equal(await page.getByRole('button', { name: 'More rows' }).count(), 0)
    await page.getByText('selvedge intake rows --brand aldermoor --write corrections').waitFor()
    const units = page.locator('.sources-units tbody tr')
    assert.match(
      await units.nth(1).innerText(),
      /orders\.csv[\s\S]*2 rows in quarantine[\s\S]*1,234\s+56\s+7$/,
    )
    assert.match(
      await units.nth(0).innerText(),
      /late\.csv refused[\s\S]*5 problems: Line 3 Nr "B777" Datum \(31\.02\.2026\) is not a date/,
    )
    assert.doesNotMatch(await page.locator('.sources').innerText(), /srv|password/)
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })

  it('is in German for a German browser, and fits a phone', async () => {
    const options: ConsoleOptions = {
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    }
    const today = await goTo('', options)
    assert.match(
      await today.locator('.attention').innerText(),
      /^Quellen brauchen Aufmerksamkeit\./,
    )
    assert.deepEqual(await seriousFindings(today), [])
    await leave(today)
    const page = await goTo('/sources', options)
    await page.getByRole('heading', { name: 'Quellen' }).waitFor()
    await page.getByText('21 Zeilen warten neben den Datensätzen').waitFor()
    await page.locator('.source-row').first().waitFor()
    await page.locator('.sources-units tbody tr').first().waitFor()
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.equal(overflow, 0)
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })
})
