/** The pages of orders, shipments, invoices, payments, SKUs, styles and suppliers, in a browser. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { documents, grids, queryBasePath } from '#contract'
import { demoImage, season } from '#demo'
import { awaitTrue, seriousFindings, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole } from '../support/console.ts'
import { piecesOf, scorecardOf } from '../support/document-model.ts'
import { SeasonRecords } from '../support/season-records.ts'
import type { TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'
import { readSheetCells } from '../support/sheet-cells.ts'

const records = new SeasonRecords([...season({ brand: 'aldermoor', orders: 12, seed: 3 })])
const groups = [...documents.keys()]

/** How much wider than the screen the page is. What is wide scrolls in a box of its own. */
const overhang =
  'Math.max(...[document.documentElement, document.getElementById("content")].map((each) => each.scrollWidth - each.clientWidth))'

describe('the page of a document', { skip: missingBrowser }, () => {
  let service: TestService
  let browser: Browser
  let key: string

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    const byPath = Map.groupBy(records.items, ({ path }) => path as string)
    await service.write(
      'aldermoor',
      Object.fromEntries([...byPath].map(([path, all]) => [path, all.map((each) => each.record)])),
    )
    for (const image of records.all('images').slice(0, 40)) {
      const { id, mimeType, fileName, kind } = image as { [name: string]: string }
      const named = { brand: 'aldermoor', id: `${id}`, mimeType: `${mimeType}` }
      const bytes = demoImage({ id: `${id}`, kind: kind as 'product' })
      await service.images.put({ ...named, fileName: `${fileName}` }, Buffer.from(bytes))
    }
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
  })

  const story = '0465aaa1-f611-4100-8183-c96543dd62a3'
  const idOf = (group: string) =>
    group === 'orders' ? story : String(records.all(group)[0]?.['id'])
  const pathOf = (group: string, id = idOf(group)) => `/brands/aldermoor/${group}/${id}`
  const goTo = (path: string, options: ConsoleOptions = {}): Promise<WatchedPage> =>
    openConsole(browser, service.url, path, { with: key, ...options })
  const open = async (group: string, options?: ConsoleOptions, id?: string) => {
    const page = await goTo(pathOf(group, id), options)
    await page.locator('.document-body').waitFor()
    return page
  }
  /** The pieces of a stage, as they are shown. */
  const piecesAt = async (page: WatchedPage, stage: string) =>
    (
      await page.locator('.stage', { hasText: stage }).locator('.stage-pieces').first().innerText()
    ).split(' ')[0]

  it('of each group is made of one request and that of its grid beside those of the frame, and axe finds nothing, in light and dark', async () => {
    const page = await open('orders')
    await page.waitForLoadState('networkidle')
    let requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    for (const group of groups) {
      requests = []
      await page.emulateMedia({ colorScheme: 'light' })
      await page.goto(service.url + pathOf(group))
      await page.locator('.document-body').waitFor()
      await page.waitForLoadState('networkidle')
      const brand = `${queryBasePath}/brands/aldermoor`
      assert.deepEqual(
        requests.filter((path) => path.startsWith('/api/')).sort(),
        [
          `${brand}/${group}/${idOf(group)}/document`,
          ...(grids.has(group) ? [`${brand}/${group}/${idOf(group)}/grid`] : []),
          `${brand}/today`,
          `${brand}/views`,
        ],
        group,
      )
      assert.ok((await page.locator('.section').count()) > 0, group)
      // The pages of other documents are made of the same parts.
      if (['shipments', 'invoices', 'payments'].includes(group)) continue
      assert.deepEqual(await seriousFindings(page), [], group)
      // The other pages have the same colours.
      if (group !== 'orders' && group !== 'suppliers') continue
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], `${group}, dark`)
    }
    await leave(page)
  })

  it('waits for a slow server, and does not send its request again', async () => {
    const page = await open('orders')
    await page.waitForLoadState('networkidle')
    let sent = 0
    const path = pathOf('shipments')
    await page.route(`**/shipments/*/document`, async (route) => {
      sent += 1
      // Longer than any pause of the client between two tries of a request.
      await delay(3_000)
      await route.continue()
    })
    await page.goto(service.url + path)
    // What people do meanwhile makes it no other request.
    await page.locator('.shell').waitFor()
    const dialog = page.getByRole('dialog')
    // The page may be drawn before it listens to keys.
    while (!(await dialog.isVisible())) {
      await page.keyboard.press('/')
      await delay(100)
    }
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 900, height: 700 })
    await page.locator('.document-body').waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(sent, 1)
    await leave(page)
  })

  it('of an order has the figures of its records, lines with pictures, and says how late it was', async () => {
    const page = await open('orders')
    await page.getByRole('heading', { name: /PO-5512/, level: 1 }).waitFor()
    const items = records.of('order-items', 'orderId', story)
    const pieces = piecesOf(records, items)
    assert.equal(await piecesAt(page, 'Ordered'), String(pieces.ordered))
    assert.equal(await piecesAt(page, 'Made'), String(pieces.made))
    assert.equal(await piecesAt(page, 'Shipped'), String(pieces.shipped))
    assert.equal(await piecesAt(page, 'Received'), String(pieces.received))
    const lines = page.locator('section[aria-labelledby="section-lines"] tbody tr')
    assert.equal(await lines.count(), items.length)
    for (const item of items) {
      const { code } = records.get('skus', item['skuId'])
      const own = piecesOf(records, [item])
      const cells = await lines
        .filter({ hasText: String(code) })
        .locator('.cell-figure')
        .allInnerTexts()
      const { ordered, made, shipped, received } = own
      assert.deepEqual(cells.map(Number), [ordered, made, shipped, received], String(code))
    }
    await page.locator('.lateness').waitFor()
    // The planned day is above `on time`.
    const shipped = page.locator('.stage', { hasText: 'Shipped' })
    assert.match(await shipped.innerText(), /11 May 2026\s+planned 11 May 2026\s+on time/)
    await awaitTrue(
      page,
      '[...document.querySelectorAll(".goods-picture img")].some((each) => each.naturalWidth > 0)',
    )
    await page.getByRole('link', { name: 'S-9001' }).first().waitFor()
    await leave(page)
  })

  it('of an order, a style, a receipt and stock has its pieces by colour and size', async () => {
    const page = await open('orders')
    const grid = page.locator('.size-grid')
    const names = await grid.locator('thead th').allInnerTexts()
    assert.deepEqual(names.slice(0, 3), ['Colour', 'XS', 'S'])
    assert.equal(names.at(-1), 'Total')
    const items = records.of('order-items', 'orderId', story)
    const { ordered, made } = piecesOf(records, items)
    const total = async () => (await grid.locator('tfoot td').last().innerText()).trim()
    assert.equal(await total(), String(ordered))
    await grid.getByRole('radio', { name: 'Made' }).check()
    await grid.locator('caption', { hasText: 'Made' }).waitFor()
    assert.equal(await total(), String(made))
    await grid.getByLabel('Difference').check()
    await grid.locator('caption', { hasText: 'difference from ordered' }).waitFor()
    assert.equal(Number(await total()), made - ordered)
    // A link shows the same.
    assert.match(page.url(), /figure=made&difference=/)
    await page.reload()
    await grid.locator('caption', { hasText: 'difference from ordered' }).waitFor()
    const saving = page.waitForEvent('download')
    await grid.getByRole('button', { name: 'Excel' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'PO-5512-sizes.xlsx')
    const sheets = await readSheetCells(readFileSync(await saved.path()))
    assert.equal(sheets.get('Made - Ordered')?.at(-1)?.at(-1), made - ordered)
    // Each colour has a row for each inseam, and their sum.
    const jeans = records
      .all('parent-products')
      .find(({ dimensionGroupId }) => dimensionGroupId === '79b65066-c110-4283-80c8-e8fa331d1e67')
    await page.goto(service.url + pathOf('parent-products', String(jeans?.['id'])))
    await grid.getByRole('columnheader', { name: 'Inseam' }).waitFor()
    assert.ok((await grid.locator('th[scope="rowgroup"]').count()) > 0)
    for (const group of ['goods-receipts', 'inventory']) {
      await page.goto(service.url + pathOf(group))
      await grid.locator('tfoot').waitFor()
      assert.deepEqual(await seriousFindings(page), [], group)
    }
    await leave(page)
  })

  it('of a supplier has the scorecard of its records', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const [busiest] = [...records.all('suppliers')].sort(
      (one, other) =>
        scorecardOf(records, String(other['id']), day).orders -
        scorecardOf(records, String(one['id']), day).orders,
    )
    const id = String(busiest?.['id'])
    const path = `${queryBasePath}/brands/aldermoor/suppliers/${id}/document`
    const { asOf } = (await service.get(path)).body
    const score = scorecardOf(records, id, asOf)
    assert.ok(score.orders > 0)
    const page = await open('suppliers', {}, id)
    const tiles = page.locator('.scorecard')
    const orders = score.onTime + score.late
    await tiles.getByText(`${score.onTime} of ${orders} order${orders === 1 ? '' : 's'}`).waitFor()
    const { higher, lower, same } = score.prices
    await tiles.getByText(`${higher} higher, ${lower} lower, ${same} unchanged`).waitFor()
    await leave(page)
  })

  it('has its fields and its API call in tabs, and leads to the lineage', async () => {
    const page = await open('orders')
    await page.getByRole('link', { name: 'Fields', exact: true }).click()
    await page.locator('.fields').getByRole('link', { name: 'Edison warehouse' }).waitFor()
    await page.getByRole('button', { name: 'Meaning of Total amount' }).click()
    await page.getByText('Sum of qty x unitPrice of its items.').waitFor()
    await page.keyboard.press('Escape')
    assert.match(page.url(), /tab=fields/)
    await page.getByRole('link', { name: 'API call', exact: true }).click()
    await page.locator('.call pre').getByText(`orders/${story}/document`).waitFor()
    await page.getByRole('tab', { name: 'TypeScript' }).click()
    await page.locator('.call pre').getByText(`brand.orders.document('${story}')`).waitFor()
    await page.getByRole('link', { name: 'Lineage', exact: true }).click()
    await page.getByRole('heading', { name: 'Lineage of PO-5512' }).waitFor()
    await leave(page)
  })

  it('fits a phone, and is printed without what is clicked on', async () => {
    const page = await open('orders', { viewport: { width: 390, height: 844 } })
    for (const group of ['orders', 'shipments', 'parent-products', 'suppliers']) {
      await page.goto(service.url + pathOf(group))
      await page.locator('.document-body').waitFor()
      if (grids.has(group)) await page.locator('.size-grid tfoot').first().waitFor()
      assert.equal(await page.evaluate(overhang), 0, group)
    }
    assert.deepEqual(await seriousFindings(page), [])
    await page.emulateMedia({ media: 'print' })
    assert.equal(
      await page.getByRole('navigation', { name: 'Parts of the page' }).isVisible(),
      false,
    )
    assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false)
    // Paper is as narrow as a tablet, and has the table of a wide screen.
    await page.emulateMedia({ media: 'screen' })
    await page.goto(service.url + pathOf('orders'))
    await page.locator('.cards').waitFor()
    assert.equal(await page.locator('.section thead').first().isVisible(), false)
    await page.setViewportSize({ width: 718, height: 1_000 })
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('.section thead').first().isVisible(), true)
    assert.equal(await page.evaluate(overhang), 0)
    await leave(page)
  })

  it('is in German with German figures in a German browser', async () => {
    const page = await open('orders', { locale: 'de-DE' })
    await page.getByText('15.872,00 €').first().waitFor()
    await page.getByRole('heading', { name: /^Positionen/ }).waitFor()
    await page.locator('.stage', { hasText: 'Bestellt' }).waitFor()
    await page.getByRole('heading', { name: /^Farben und Größen/ }).waitFor()
    await page.locator('.size-grid').getByText('Summe').first().waitFor()
    await page.locator('.lateness').getByText(/Tage/).waitFor()
    await leave(page)
  })

  it('survives references to records that do not exist, and a record that does not', async () => {
    const nowhere = '00000000-0000-4000-8000-0000000000aa'
    const order = records.get('orders', story)
    const items = records.of('order-items', 'orderId', story)
    const brand = records.all('brand').map((each) => ({ ...each, slug: 'holed' }))
    await service.write('holed', {
      brand,
      orders: [{ ...order, supplierId: nowhere, paymentTermId: nowhere }],
      'order-items': items.map((item) => ({ ...item, skuId: nowhere })),
    })
    const other = await service.key('holed')
    const page = await openConsole(browser, service.url, `/brands/holed/orders/${story}`, {
      with: other,
    })
    await page.getByRole('heading', { name: /PO-5512/, level: 1 }).waitFor()
    assert.equal(
      await page.locator('section[aria-labelledby="section-lines"] tbody tr').count(),
      items.length,
    )
    await page.goto(`${service.url}/brands/holed/orders/${nowhere}`)
    await page.getByText('The record does not exist or is not available to this brand.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Lineage' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: /^Copy/ }).count(), 0)
    await leave(page)
  })
})
