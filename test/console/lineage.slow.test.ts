/** The lineage in a real browser: the whole chain at a glance, lines, timeline, picture and paper. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { openStory } from '#demo'
import { awaitTrue, seriousFindings, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'

/** How much of the drawing is beyond its box. */
const beyond =
  '((box) => Math.max(box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight))(document.querySelector(".graph-scroll"))'

describe('the lineage of an order', { skip: missingBrowser }, () => {
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

  const openLineage = async (options: ConsoleOptions = {}, query = '') => {
    const path = `/brands/aldermoor/orders/${order}/lineage${query}`
    const page = await openConsole(browser, service.url, path, { with: key, ...options })
    await page.locator('.lineage-export').waitFor()
    return page
  }
  const scaleOf = async (page: WatchedPage): Promise<number> =>
    Number.parseInt(await page.locator('.graph-scale').innerText(), 10)

  it('the whole chain is in view at first, from the product to the payment', async () => {
    const page = await openLineage()
    await page.locator('.node').first().waitFor()
    assert.ok(Number(await page.evaluate(beyond)) <= 0)
    assert.equal(await page.locator('.minimap').count(), 0)
    for (const name of [
      'Harbour chore jacket',
      'PO-5512',
      'S-9001',
      'GR-9001',
      'CF-26-171',
      'PAY-342',
    ]) {
      const box = await page.locator('.node', { hasText: name }).first().boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= 1440 && box.y + box.height <= 900, name)
    }
    // The pieces that were ordered, in the figures.
    await page.getByText('634').first().waitFor()
    // What a record is called can still be read.
    const size = await page.evaluate(
      '((name) => Number.parseFloat(getComputedStyle(name).fontSize) * document.querySelector(".graph-canvas").style.zoom)(document.querySelector(".node-name"))',
    )
    assert.ok(Number(size) >= 9, `${size} px`)
    // Before anything was read there is nothing to count.
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/lineage?*', (route) => held.then(() => route.continue()))
    await page.reload()
    await page.getByText('Loading the lineage …').waitFor()
    assert.equal(await page.locator('.progress').innerText(), 'Stop')
    release()
    await page.locator('.node').first().waitFor()
    await leave(page)
  })

  it('lines are folded into their head, and open with the keyboard', async () => {
    const page = await openLineage()
    const items = page.locator('.node-group', { hasText: /^Order item$/ })
    assert.equal(await items.count(), 0)
    const head = page.getByRole('button', { name: 'Show 10 order items of PO-5512' })
    await head.focus()
    await page.keyboard.press('Enter')
    await items.first().waitFor()
    assert.equal(await page.locator('.node-group', { hasText: /^Shipment item$/ }).count(), 0)
    await page.getByRole('button', { name: 'All lines' }).click()
    await page
      .locator('.node-group', { hasText: /^Shipment item$/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'All lines' }).click()
    await items.first().waitFor({ state: 'detached' })
    await leave(page)
  })

  it('nothing in a record covers anything else, and no state is cut', async () => {
    const page = await openLineage({ locale: 'de-DE' })
    await page.locator('.graph-scroll').focus()
    await page.keyboard.press('1')
    await page.locator('.graph-canvas[data-distance="near"]').waitFor()
    const faults = await page.evaluate(`[...document.querySelectorAll('.node')].flatMap((node) => {
      const box = (each) => each.getBoundingClientRect()
      const facts = node.querySelector('.node-facts')
      const more = node.querySelector('.node-more')
      const shown = [...facts.children].filter((each) => box(each).top < box(facts).bottom - 1)
      const covers = (one, other) =>
        box(one).left < box(other).right && box(other).left < box(one).right &&
        box(one).top < box(other).bottom - 4 && box(other).top < box(one).bottom - 4
      return [
        ...shown.filter((each) => more && covers(more, each)).map((each) => 'covered ' + each.innerText),
        ...shown.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => 'cut ' + each.innerText),
        ...shown.filter((each) => box(each).right > box(node).right).map((each) => 'beyond ' + each.innerText),
      ]
    })`)
    assert.deepEqual(faults, [])
    await leave(page)
  })

  it('buttons, keys and the wheel with Ctrl zoom, and a map shows where', async () => {
    const page = await openLineage()
    await page.locator('.node').first().waitFor()
    const fitted = await scaleOf(page)
    await page.getByRole('button', { name: 'Larger' }).click()
    await page.locator('.minimap').waitFor()
    assert.ok((await scaleOf(page)) > fitted)
    const drawing = page.locator('.graph-scroll')
    await drawing.focus()
    await page.keyboard.press('1')
    assert.equal(await scaleOf(page), 100)
    await page.keyboard.press('-')
    assert.equal(await scaleOf(page), 90)
    await page.keyboard.press('0')
    assert.equal(await scaleOf(page), fitted)
    await page.locator('.minimap').waitFor({ state: 'detached' })
    await drawing.hover()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -300)
    await page.keyboard.up('Control')
    await awaitTrue(page, `parseInt(document.querySelector(".graph-scale").innerText) > ${fitted}`)
    const before = Number(await page.evaluate('document.querySelector(".graph-scroll").scrollLeft'))
    const map = await page.locator('.minimap').boundingBox()
    assert.ok(map)
    await page.mouse.click(map.x + map.width - 3, map.y + map.height / 2)
    const after = Number(await page.evaluate('document.querySelector(".graph-scroll").scrollLeft'))
    assert.ok(after > before, `${before} ${after}`)
    await leave(page)
  })

  it('the figures have the open balance and its due date', async () => {
    const { records } = await openStory()
    const owing = {
      ...records,
      brand: (records['brand'] ?? []).map((each) => ({ ...each, slug: 'owing' })),
      invoices: (records['invoices'] ?? []).map((each) =>
        each['invoiceNumber'] === 'CF-26-171'
          ? { ...each, paidAmount: '0.00', balanceAmount: '1450.00', dueDate: '2026-06-10' }
          : each,
      ),
    }
    await service.write('owing', owing as typeof records)
    const page = await openConsole(
      browser,
      service.url,
      `/brands/owing/orders/${order}/lineage?view=timeline`,
      { with: await service.key('owing'), locale: 'de-DE', timezoneId: 'America/New_York' },
    )
    const balance = page.locator('.station', { hasText: 'Offener Betrag' })
    await balance.getByText('1.450,00 €').waitFor()
    await balance.getByText(/^fällig 10\. Juni 2026/).waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })

  it('the timeline compares with the plan in days and has a line for today', async () => {
    const page = await openLineage({}, '?view=timeline')
    await page.locator('.timeline-today', { hasText: 'Today' }).waitFor()
    await page
      .locator('.timeline-dates', { hasText: /\d+ days? (late|early)|on time/ })
      .first()
      .waitFor()
    assert.ok((await page.locator('.delay').count()) > 0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await seriousFindings(page), [], colorScheme)
    }
    await leave(page)
  })

  it('it is saved as a picture and printed on one sheet without the frame', async () => {
    const page = await openLineage()
    await page.locator('.node').first().waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as PNG' }).click()
    const saved = await coming
    assert.equal(saved.suggestedFilename(), 'aldermoor-lineage-PO-5512.png')
    const bytes = readFileSync(await saved.path())
    assert.deepEqual([...bytes.subarray(1, 4)], [...Buffer.from('PNG')])
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
    assert.ok(
      width > 2_000 && width <= 8_000 && height > 500 && height <= 8_000,
      `${width} ${height}`,
    )
    const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true })
    assert.match(pdf.toString('latin1'), /\/Count 1\b/)
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('.bar').isVisible(), false)
    assert.equal(await page.locator('.navigation').isVisible(), false)
    await leave(page)
  })

  it('it is drawn although records in it are missing, and with few requests', async () => {
    const { records } = await openStory()
    const { shipments: _, ...others } = records
    const brand = (records['brand'] ?? []).map((each) => ({ ...each, slug: 'holed' }))
    await service.write('holed', { ...others, brand })
    const page = await openConsole(browser, service.url, '/brands/holed/tags', {
      with: await service.key('holed'),
    })
    await page.locator('.shell').waitFor()
    // The requests of this page are not those of the next.
    await page.waitForLoadState('networkidle')
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request.url())
    })
    await page.goto(`${service.url}/brands/holed/orders/${order}/lineage`)
    await page.getByText('The lineage is complete.').waitFor()
    await page.getByText(/\d+ referenced records? (is|are) missing\./).waitFor()
    const shipment = page.locator('.node', { hasText: 'Shipment' }).filter({ hasText: 'missing' })
    await shipment.first().waitFor()
    await page
      .getByRole('link', { name: /PAY-311/ })
      .first()
      .waitFor()
    // The lineage, again with the lines that differ, the document with the figures, and the frame.
    assert.ok(requests.length <= 5, requests.join('\n'))
    await leave(page)
  })

  it('a phone starts with the list, and axe finds nothing in any view', async () => {
    const phone = await openLineage({ viewport: { width: 390, height: 844 } })
    await phone.locator('.lineage-list').waitFor()
    assert.equal(
      await phone.evaluate(
        'document.getElementById("content").scrollWidth - document.getElementById("content").clientWidth',
      ),
      0,
    )
    assert.deepEqual(await seriousFindings(phone), [])
    await leave(phone)
    const page = await openLineage({ colorScheme: 'dark' })
    await page.locator('.node').first().waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.locator('.graph-scroll').focus()
    await page.keyboard.press('1')
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })
})
