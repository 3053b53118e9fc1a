/** Which records a list of the console shows, in a real browser: filters, order, pages, marks. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { addDays, queryBasePath } from '#contract'
import { openInTab, seriousFindings, type WatchedPage } from '../support/browser.ts'
import { missingBrowser } from '../support/chromium.ts'
import { type ConsoleOptions, leave, openConsole, rows, total } from '../support/console.ts'
import {
  firstNumber,
  idOf,
  type Lists,
  openFilter,
  openLists,
  ordersMax,
  statusOf,
} from '../support/lists.ts'

describe('a list of the console', { skip: missingBrowser }, () => {
  let lists: Lists
  before(async () => {
    lists = await openLists()
  })
  after(() => lists?.close())

  const goTo = (path: string, options: ConsoleOptions = {}) => lists.goTo(path, options)
  const chip = (page: WatchedPage, text: string) =>
    page.getByRole('list', { name: 'Filters' }).getByText(text, { exact: true })
  const amountAt = async (page: WatchedPage, row: number) =>
    (await rows(page).nth(row).locator('td').nth(7).innerText()).replaceAll(/[^\d.]/g, '')

  it('asks once for everything it shows, beside the request of the frame', async () => {
    const page = await goTo('orders?status=received&limit=25')
    await total(page, '1–25 of 25')
    let requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request.url())
    })
    await page.reload()
    await total(page, '1–25 of 25')
    await page.waitForLoadState('networkidle')
    const brand = `${lists.service.url}${queryBasePath}/brands/aldermoor`
    assert.deepEqual(requests.map((url) => url.replace(/\?.*/, '')).sort(), [
      `${brand}/orders`,
      `${brand}/today`,
      `${brand}/views`,
    ])
    requests = []
    await page.getByRole('link', { name: 'Late', exact: true }).click()
    await page.getByText('Not shipped in full although the ex-factory date has passed.').waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(requests.length, 1, requests.join('\n'))
    assert.match(requests[0] ?? '', new RegExp(`^${brand}/orders\\?.*view=late`))
    await page.getByText('No records match these filters.').waitFor()
    await leave(page)
  })

  it('is sorted by the head of a column, which says so', async () => {
    const page = await goTo('orders')
    await total(page, `1–50 of ${ordersMax + 1}`)
    const head = page.getByRole('columnheader', { name: 'Total amount' })
    assert.equal(await head.getAttribute('aria-sort'), 'none')
    await head.getByRole('button').click()
    await page.getByText('Sorted by Total amount, descending.').waitFor()
    await page.waitForURL(/sort=-totalAmount/)
    assert.equal(await head.getAttribute('aria-sort'), 'descending')
    await rows(page).first().getByText('PO-5512').waitFor()
    assert.deepEqual([await amountAt(page, 0), await amountAt(page, 1)], ['15872.00', '1190.50'])
    await head.getByRole('button').click()
    await rows(page).first().getByText('T-1000').waitFor()
    const copied = await page.evaluate(`(() => {
      getSelection().selectAllChildren(document.querySelector('.grid thead'))
      return getSelection().toString().trim()
    })()`)
    assert.equal(
      copied,
      'Order number\tSupplier\tStatus\tOrder date\tEx-factory\tTotal quantity\tTotal amount\tIn base currency',
    )
    await head.getByRole('button').click()
    await page.waitForURL((url) => !url.search.includes('sort'))
    const supplier = page.getByRole('columnheader', { name: 'Supplier' })
    assert.equal(await supplier.getByRole('button').count(), 0)
    assert.equal(await supplier.getAttribute('aria-sort'), null)
    await leave(page)
  })

  it('begins with the newest records, a view with the date that it is about', async () => {
    const page = await goTo('orders?limit=25')
    await total(page, `1–25 of ${ordersMax + 1}`)
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
    assert.equal(await head('Order date').getAttribute('aria-sort'), 'descending')
    assert.equal(await firstNumber(page), 'T-1000')
    await head('Status').getByRole('button').click()
    await page.waitForURL(/sort=status/)
    await rows(page).first().locator('.chip', { hasText: 'closed' }).waitFor()
    await head('In base currency').getByRole('button').click()
    await page.waitForURL(/sort=-totalAmount\.base/)
    await rows(page).first().getByText('PO-5512').waitFor()
    await page.goto(`${lists.service.url}/brands/aldermoor/orders?view=late`)
    await rows(page).first().getByText('10 days late').waitFor()
    assert.equal(await head('Ex-factory').getAttribute('aria-sort'), 'ascending')
    const late = (await rows(page).allInnerTexts()).map((text) =>
      Number(/(\d+) days? late/.exec(text)?.[1]),
    )
    assert.ok(late.length > 3)
    assert.deepEqual(
      late,
      late.toSorted((one, other) => other - one),
    )
    await head('Ex-factory').getByRole('button').click()
    await page.waitForURL(/sort=-viewDate/)
    // The order by the date of a view belongs to the view.
    await page.getByRole('link', { name: 'All', exact: true }).click()
    await page.waitForURL((url) => url.search === '')
    await leave(page)
  })

  it('has the totals of the whole list below it, from the request of the page', async () => {
    const page = await goTo('orders?limit=25')
    const totals = page.getByRole('region', { name: 'Totals of the list' })
    await totals.getByText(`All ${ordersMax + 1} records`).waitFor()
    const path = `${queryBasePath}/brands/aldermoor/orders/summary?sum=totalQuantity,totalAmount`
    const { sum } = (await lists.service.get(path)).body.total
    const text = (await totals.innerText()).replaceAll(',', '')
    assert.ok(text.includes(String(sum.totalQuantity)), text)
    assert.ok(text.includes(`€${sum.totalAmount.currencies[0].amount}`), text)
    assert.ok(text.includes(Number(sum.totalAmount.base.amount).toFixed(2)), text)
    assert.deepEqual(await seriousFindings(page), [])
    await leave(page)
  })

  it('is filtered by values, references, days, amounts, prefixes and what is missing', async () => {
    const page = await goTo('orders')
    await total(page, `1–50 of ${ordersMax + 1}`)
    const status = await openFilter(page, 'Status')
    await status.getByText('24', { exact: true }).first().waitFor()
    await status.getByLabel('sent').check()
    await status.getByLabel('confirmed').check()
    await status.getByRole('button', { name: 'Apply' }).click()
    await chip(page, 'sent or confirmed').waitFor()
    await total(page, '1–48 of 48')
    assert.match(page.url(), /status\.in=sent%2Cconfirmed/)
    await (await openFilter(page, 'Order date'))
      .getByRole('button', { name: 'last 7 days' })
      .click()
    await chip(page, 'last 7 days').waitFor()
    await total(page, '1–4 of 4')
    assert.match(page.url(), /orderDate\.gte=today-6&orderDate\.lte=today/)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await total(page, `1–50 of ${ordersMax + 1}`)

    const amount = await openFilter(page, 'Total amount')
    await amount.getByLabel('At least').fill('1,000')
    await amount.getByLabel('At most').fill('many')
    await page.keyboard.press('Enter')
    await amount.getByText('Enter a number, for example 1500.').waitFor()
    await amount.getByLabel('At most').fill('1100.50')
    await page.keyboard.press('Enter')
    await chip(page, '1,000 – 1,100.50').waitFor()
    await total(page, '1–11 of 11')
    await page.getByRole('button', { name: 'Remove the filter Total amount' }).click()

    const number = await openFilter(page, 'Order number')
    await number.getByLabel('Order number').fill('t-101')
    await page.keyboard.press('Enter')
    await chip(page, 'starts with “t-101”').waitFor()
    await total(page, '1–10 of 10')
    await page.goBack()
    await page.goBack()
    await total(page, '1–11 of 11')
    await page.getByRole('button', { name: 'Remove the filter Total amount' }).click()

    const exFactory = await openFilter(page, 'Confirmed ex-factory date')
    await exFactory.getByRole('button', { name: 'Has no value' }).click()
    await chip(page, 'has no value').waitFor()
    await total(page, '1–1 of 1')
    await page.getByRole('button', { name: 'Remove the filter Confirmed ex-factory date' }).click()

    const supplier = await openFilter(page, 'Supplier')
    await supplier.getByLabel('Supplier: number, name or identifier').fill('filhos')
    await page.getByRole('option', { name: /Costa & Filhos/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await chip(page, 'Costa & Filhos').waitFor()
    await total(page, `1–50 of ${ordersMax + 1}`)
    // The chip opens the editor of its field.
    await chip(page, 'Costa & Filhos').click()
    await page.getByRole('button', { name: 'Remove Costa & Filhos' }).click()
    await page.waitForURL((url) => url.search === '')
    await leave(page)
  })

  it('understands every parameter of the query API, and keeps what it does not know', async () => {
    const page = await goTo(
      `orders?ids=${idOf(1)},${idOf(2)}&updatedSince=2020-01-01&currency=EUR&orderDate.gt=2000-01-01`,
    )
    await total(page, '1–2 of 2')
    for (const text of ['2 selected', '1 Jan 2020', 'EUR', 'after 1 Jan 2000']) {
      await chip(page, text).waitFor()
    }
    await page.goto(`${lists.service.url}/brands/aldermoor/orders?nonsense=1&status=sent`)
    await page.getByRole('alert').getByText('nonsense').first().waitFor()
    await page.getByRole('button', { name: 'Remove the filter nonsense' }).click()
    await total(page, '1–24 of 24')
    await leave(page)
  })

  it('marks what is late, explains deleted records and can leave them out', async () => {
    const page = await goTo('orders?sort=orderNumber&limit=25')
    await total(page, `1–25 of ${ordersMax + 1}`)
    const row = (number: string) => rows(page).filter({ hasText: number })
    assert.match(await row('T-1000').innerText(), /3 days late/)
    assert.match(await row('T-1007').innerText(), /10 days late/)
    assert.doesNotMatch(await row('T-1004').innerText(), /late/)
    const chip = row('T-1005').getByText('deleted', { exact: true })
    assert.match((await chip.getAttribute('title')) ?? '', /1 Mar 2026/)
    await row('T-1003').locator('.chip-good', { hasText: 'received' }).waitFor()
    await (await openFilter(page, 'Deleted at'))
      .getByRole('button', { name: 'Deleted records only' })
      .click()
    await total(page, '1–1 of 1')
    await page.getByRole('button', { name: 'Remove the filter Deleted at' }).click()
    await (await openFilter(page, 'Deleted at'))
      .getByRole('button', { name: 'Without deleted records' })
      .click()
    await total(page, `1–25 of ${ordersMax}`)
    await leave(page)
  })

  it('takes another day for today in a view, and leads back', async () => {
    const page = await goTo('orders?view=late')
    const day = addDays(lists.today, 30)
    const countOn = async (query: string) => {
      const path = `${queryBasePath}/brands/aldermoor/orders?view=late&limit=1${query}`
      return (await lists.service.get(path)).body.totalItems as number
    }
    const [now, then] = [await countOn(''), await countOn(`&asOf=${day}`)]
    assert.notEqual(now, then)
    await page.getByLabel('As of').fill(day)
    await page.waitForURL(new RegExp(`view=late&asOf=${day}`))
    await total(page, `1–${Math.min(50, then)} of ${then}`)
    await page.getByRole('link', { name: 'Back to today' }).click()
    await page.waitForURL((url) => !url.search.includes('asOf'))
    await total(page, `1–${Math.min(50, now)} of ${now}`)
    await leave(page)
  })

  it('is walked page by page, and Back restores the scroll position', async () => {
    const page = await goTo('orders?sort=orderNumber&limit=25')
    const all = ordersMax + 1
    await total(page, `1–25 of ${all}`)
    const first = await firstNumber(page)
    await page.getByRole('link', { name: 'Next' }).click()
    await total(page, `26–50 of ${all}`)
    const shared = page.url()
    await page.keyboard.press('n')
    await total(page, `51–75 of ${all}`)
    await page.getByRole('link', { name: 'Previous' }).click()
    await total(page, `26–50 of ${all}`)
    await page.getByRole('link', { name: 'First' }).click()
    await total(page, `1–25 of ${all}`)
    assert.equal(await firstNumber(page), first)
    await page.getByLabel('Rows').selectOption('100')
    await total(page, `1–100 of ${all}`)
    const top = async () =>
      Number(await page.evaluate('document.querySelector(".grid-scroll").scrollTop'))
    await rows(page).nth(80).scrollIntoViewIfNeeded()
    const left = await top()
    assert.ok(left > 100)
    await rows(page).nth(80).getByRole('link').first().click()
    await page.waitForURL(/orders\/0000/)
    await page.goBack()
    await total(page, `1–100 of ${all}`)
    assert.equal(await top(), left)
    await page.goto(shared)
    await total(page, `26–50 of ${all}`)
    await leave(page)
  })

  it('shows the rows of the first screen before those below it', async () => {
    const page = await goTo('suppliers')
    await rows(page).first().waitFor()
    await page.addInitScript(`
      const counts = (globalThis.rowCounts = [])
      new MutationObserver(() => {
        const count = document.querySelectorAll('.grid tbody tr').length
        if (count > 0 && count !== counts.at(-1)) counts.push(count)
      }).observe(document, { subtree: true, childList: true })
    `)
    await page.goto(`${lists.service.url}/brands/aldermoor/orders?limit=100`)
    await rows(page).nth(99).waitFor()
    const counts = (await page.evaluate('rowCounts')) as number[]
    assert.equal(counts.length, 2, counts.join(', '))
    assert.equal(counts[1], 100)
    const box = await page.locator('.grid-scroll').boundingBox()
    const last = await rows(page)
      .nth(Number(counts[0]) - 1)
      .boundingBox()
    assert.ok(
      (last?.y ?? 0) >= (box?.y ?? 0) + (box?.height ?? 0) - 40,
      'the first screen has a gap',
    )
    assert.ok(Number(counts[0]) < 50, `${counts[0]} rows at first`)
    await leave(page)
  })

  it('opens the links of its cells in the page, and in another tab where that is asked for', async () => {
    const page = await goTo(`orders?ids=${lists.order['id']}`)
    await page.evaluate('globalThis.isSameDocument = true')
    const link = rows(page).first().getByRole('link', { name: 'Costa & Filhos' })
    const other = await openInTab(link)
    await other.waitForURL(/suppliers/, { waitUntil: 'commit' })
    await other.close()
    await link.click()
    await page.getByRole('heading', { name: 'Costa & Filhos' }).first().waitFor()
    assert.equal(await page.evaluate('globalThis.isSameDocument'), true)
    await leave(page)
  })

  it('is used with the keyboard: rows, cells, records, selections and copies', async () => {
    const page = await goTo('orders?sort=orderNumber&limit=25')
    await total(page, `1–25 of ${ordersMax + 1}`)
    const here = () => page.evaluate('document.activeElement.closest("tr")?.innerText')
    // The first row is that of the demo.
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    assert.match(String(await here()), /T-1000/)
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await page.getByText('3 records selected').waitFor()
    assert.equal(await page.locator('.grid tr[aria-selected="true"]').count(), 3)
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('2 records selected').waitFor()
    // Keys that are typed into a field belong to the field.
    await page.keyboard.press('/')
    await page.locator('dialog[open]').waitFor()
    await page.keyboard.type('xjk')
    await page.keyboard.press('Escape')
    await page.getByText('2 records selected').waitFor()
    await page.keyboard.press('?')
    await page.getByText('Next and previous row of a list').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Next and previous row of a list').waitFor({ state: 'hidden' })

    await page.goto(`${lists.service.url}/brands/aldermoor/orders?ids=${lists.order['id']}`)
    await page.waitForLoadState('networkidle')
    await page.locator('.grid tbody td').nth(1).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Refers to suppliers.').waitFor()
    await page.keyboard.press('c')
    await page.getByText('The cell was copied.').waitFor()
    const clipboard = () => page.evaluate('navigator.clipboard.readText()')
    assert.equal(await clipboard(), lists.order['supplierId'])
    await page.keyboard.press('Shift+C')
    await page.getByText('The row was copied.').waitFor()
    assert.deepEqual(JSON.parse(String(await clipboard())), lists.order)
    await page.locator('.grid tbody td').nth(2).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Costa & Filhos' }).first().waitFor()
    await leave(page)
  })

  it('has rows that are selected for their sum, copied and downloaded', async () => {
    const page = await goTo('orders?status=sent&sort=orderNumber')
    await total(page, '1–24 of 24')
    const box = (row: number) => rows(page).nth(row).getByRole('checkbox')
    await box(0).click()
    await box(2).click({ modifiers: ['Shift'] })
    const selected = page.getByRole('region', { name: 'Selected records' })
    // T-1000, T-1005 and T-1010: 0.50 + 50.50 + 100.50.
    await selected.getByText('€151.50').waitFor()
    await box(1).click()
    await selected.getByText('€101.00').waitFor()
    await selected.getByRole('button', { name: 'Copy rows' }).click()
    await selected.getByText('2 rows copied.').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    const cells = copied.split('\n').map((line) => line.split('\t'))
    assert.deepEqual(
      cells.map(([number]) => number),
      ['Order number', 'T-1000', 'T-1010'],
    )
    assert.deepEqual(cells[2]?.slice(1, 3), ['Costa & Filhos', 'sent'])
    assert.equal(cells[2]?.[6], '€100.50')
    const download = async () => {
      await selected.getByRole('button', { name: 'Download selection' }).click()
      const coming = page.waitForEvent('download')
      await selected.getByRole('button', { name: 'NDJSON', exact: true }).click()
      const lines = readFileSync(await (await coming).path(), 'utf8')
        .trimEnd()
        .split('\n')
      await page.keyboard.press('Escape')
      return lines.map((line) => JSON.parse(line).orderNumber)
    }
    assert.deepEqual(await download(), ['T-1000', 'T-1010'])
    assert.deepEqual(await seriousFindings(page), [])
    await selected.getByRole('button', { name: 'Select all 24 records of the list' }).click()
    await selected.getByText('24 records selected').waitFor()
    assert.equal((await download()).length, 24)
    await selected.getByRole('button', { name: 'Clear selection' }).click()
    await selected.waitFor({ state: 'detached' })
    // Another list: nothing is selected.
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await selected.getByText('24 records selected').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Status' }).click()
    await total(page, `1–50 of ${ordersMax + 1}`)
    await selected.waitFor({ state: 'detached' })
    await leave(page)
  })

  it('is grouped by a reference or a status, and each group leads to its records', async () => {
    const page = await goTo('orders?deletedAt.isNull=true')
    await total(page, `1–50 of ${ordersMax}`)
    await page.getByLabel('Group by').selectOption({ label: 'Group by Supplier' })
    await page.waitForURL(/by=supplierId/)
    const supplier = page.getByRole('row').filter({ hasText: 'Costa & Filhos' })
    assert.match(await supplier.innerText(), new RegExp(`Costa & Filhos\\s+${ordersMax}\\s`))
    await page.getByLabel('Group by').selectOption({ label: 'Group by Status' })
    const closed = page.getByRole('row').filter({ hasText: 'closed' })
    await closed.waitFor()
    const path = `${queryBasePath}/brands/aldermoor/orders/summary?status=closed&deletedAt.isNull=true&sum=totalAmount`
    const { totalItems, total: figures } = (await lists.service.get(path)).body
    const [{ amount }] = figures.sum.totalAmount.currencies
    const text = (await closed.innerText()).replaceAll(',', '')
    assert.ok(text.includes(`€${amount}`), text)
    assert.deepEqual(await seriousFindings(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(page, ['color-contrast']), [])
    await closed.getByRole('link', { name: 'closed' }).click()
    await total(page, `1–${totalItems} of ${totalItems}`)
    await chip(page, 'closed').waitFor()
    await page.goBack()
    await closed.waitFor()
    await leave(page)
  })

  it('is as quick with many records', async (t) => {
    const brand = (await lists.service.get('')).body
    const orders = Array.from({ length: 10_000 }, (_, number) => ({
      ...lists.order,
      id: idOf(number),
      orderNumber: `L-${10_000 + number}`,
      status: statusOf(number),
      orderDate: addDays(lists.today, -(number % 500)),
      totalAmount: `${number}.25`,
    }))
    await lists.service.write('large', { brand: [{ ...brand, slug: 'large' }], orders })
    const page = await openConsole(lists.browser, lists.service.url, '/brands/large/orders', {
      with: await lists.service.key('large'),
    })
    await total(page, '1–50 of 10,000')
    const times: number[] = []
    const timed = async (click: () => Promise<unknown>, text: string) => {
      const start = performance.now()
      await click()
      await rows(page).first().getByText(text).waitFor()
      times.push(Math.round(performance.now() - start))
    }
    const head = (name: string) => page.getByRole('columnheader', { name }).getByRole('button')
    await timed(() => head('Total amount').click(), 'L-19999')
    await timed(() => page.getByRole('link', { name: 'Next' }).click(), 'L-19949')
    await timed(() => head('Order number').click(), 'L-10000')
    await timed(() => page.goBack(), 'L-19949')
    t.diagnostic(`from a click to 50 of 10,000 records: ${times.join(', ')} ms`)
    await leave(page)
  })
})
