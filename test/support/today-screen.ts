/** What the first page of the console shows of a demo brand, compared with the files of its export. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { addDays } from '#contract'
import { seriousFindings, type WatchedPage } from './browser.ts'
import { missingBrowser, openChromium } from './chromium.ts'
import { type ConsoleOptions, leave, openConsole, total } from './console.ts'
import type { DemoBrand, DemoBrandSource } from './demo-brand.ts'
import { figuresOfExport, seriesOfExport } from './today-figures.ts'
import type { ViewRecord } from './view-model.ts'

/** Where a figure is: the part of the page, its label, and what its number is. */
const places: readonly (readonly [part: string, label: string, figure: string, base?: string])[] = [
  ['.today-leads', 'Late orders', 'ordersLate'],
  ['.today-leads', 'On the way', 'shipmentsOnTheWay'],
  ['.today-leads', 'Overdue', 'invoicesOverdue', 'balanceAmount'],
  ['.today-leads', 'Out of stock, nothing incoming', 'stockOutNothingIncoming'],
  ['[aria-labelledby=today-orders]', 'Open', 'ordersOpen'],
  ['[aria-labelledby=today-orders]', 'Due this week', 'ordersDueThisWeek'],
  ['[aria-labelledby=today-orders]', 'Production behind plan', 'productionBehindPlan'],
  ['[aria-labelledby=today-shipments]', 'Arriving this week', 'shipmentsArrivingThisWeek'],
  ['[aria-labelledby=today-shipments]', 'Delayed', 'shipmentsDelayed'],
  ['[aria-labelledby=today-cash]', 'Due this week', 'invoicesDueThisWeek', 'balanceAmount'],
  ['[aria-labelledby=today-cash]', 'Due in 30 days', 'invoicesDueIn30Days', 'balanceAmount'],
  [
    '[aria-labelledby=today-cash]',
    'Milestones reached, unpaid',
    'milestonesReachedUnpaid',
    'amount',
  ],
  ['[aria-labelledby=today-receiving]', 'Short', 'receiptsShort'],
  ['[aria-labelledby=today-receiving]', 'Damaged', 'receiptsDamaged'],
  ['[aria-labelledby=today-stock]', 'Without a piece anywhere', 'skusOutEverywhere'],
  ['[aria-labelledby=today-stock]', 'Out of stock', 'stockOut'],
  ['[aria-labelledby=today-stock]', 'Below reservations', 'stockBelowReserved'],
  ['[aria-labelledby=today-stock]', 'Incoming', 'stockIncoming'],
]

/** Runs in the page: no bar of the calendar is half below the names at its left. */
const toFirstWeek = `document.querySelector('.calendar-scroll')?.scrollTo({ left: 0 })`

export const todayScreenSuite = ({ orders, open }: DemoBrandSource, isThorough: boolean): void => {
  describe(`the first page of a brand with ${orders} orders`, { skip: missingBrowser }, () => {
    let service: DemoBrand['service']
    let browser: Browser
    let key: string
    let exported: DemoBrand['exported']

    before(async () => {
      const brand = await open()
      service = brand.service
      key = brand.key
      exported = brand.exported
      browser = await openChromium()
    })
    after(() => browser?.close())

    const goTo = async (options: Partial<ConsoleOptions> = {}): Promise<WatchedPage> => {
      const page = await openConsole(browser, service.url, '/brands/acme', {
        with: key,
        ...options,
      } as ConsoleOptions)
      await page.locator('.today-leads').waitFor()
      return page
    }
    const today = async () =>
      (await service.get('/api/query/v1/brands/acme/today', { key })).body.asOf as string

    const expectedFigures = async () =>
      figuresOfExport(exported, await today()) as { readonly [name: string]: ViewRecord }

    it('shows the figures of its export, each a link to its list', async () => {
      const page = await goTo()
      const expected = await expectedFigures()
      for (const [part, label, name, base] of places) {
        const link = page
          .locator(`${part} a`)
          .filter({ has: page.getByText(label, { exact: true }) })
          .first()
        const value = link.locator('.today-lead-value, .today-row-value')
        const figure = expected[name] ?? {}
        const text =
          base === undefined
            ? figure['items'].toLocaleString('en-GB')
            : amountsText(figure['sum'][base], 'en-GB')
        assert.equal(await value.textContent(), text, `${label} ${name}`)
        const href = (await link.getAttribute('href')) ?? ''
        const list = await service.get(`/api/query/v1${href}&limit=1`, { key })
        assert.equal(list.body.totalItems, figure['items'], href)
      }
      await leave(page)
    })

    it('leads to the records that break business rules', async () => {
      const page = await goTo()
      const link = page.locator('.today-leads a').filter({ hasText: 'Records to review' })
      const value = link.locator('.today-lead-value')
      const { body } = await service.get('/api/query/v1/brands/acme/quality', { key })
      const findings: readonly { readonly count: number }[] = body.findings
      const all = findings.reduce((sum, { count }) => sum + count, 0)
      const text = body.checkedAt === null ? 'Unknown' : all.toLocaleString('en-GB')
      await value.getByText(text, { exact: true }).waitFor()
      assert.equal(await link.getAttribute('href'), '/brands/acme/quality')
      await leave(page)
    })

    it('says which orders a sum leaves out because they have no rate', async () => {
      const page = await goTo()
      const { ordersOpen = {} } = await expectedFigures()
      const { base, currencies } = ordersOpen['sum'].totalAmount
      const note = page.locator('[aria-labelledby=today-orders] .today-row-note').first()
      const amounts = base.leftOut.map((each: Money) => moneyText(each, 'en-GB')).join(' + ')
      const texts = isPartial({ base, currencies })
        ? [
            'by currency, because 1 record has no rate',
            'by currency, because N records have no rate',
          ]
        : [
            `leaves out 1 record without a rate: ${amounts}`,
            `leaves out N records without a rate: ${amounts}`,
          ]
      const text = texts[base.withoutRate === 1 ? 0 : 1]?.replace('N', base.withoutRate)
      const sum = amountsText({ base, currencies }, 'en-GB', ' + ')
      const expected = [sum, ...(base.withoutRate === 0 ? [] : [text])].join(' · ')
      assert.ok((await note.textContent())?.endsWith(` · ${expected}`), expected)
      assert.ok(orders < 100 || base.withoutRate > 0)
      await leave(page)
    })

    it('names the orders that are late for longest', async () => {
      const page = await goTo()
      const { first } = (await expectedFigures())['ordersLate'] ?? {}
      const lines = page.locator('[aria-labelledby=today-orders] .today-first tbody tr')
      const cells: (readonly string[])[] = []
      for (const line of await lines.all()) {
        cells.push(await line.locator('td').allTextContents())
      }
      assert.deepEqual(
        cells,
        first.map(
          (each: {
            title: string
            days: number
            quantity: number
            amount: { currency: string; amount: string }
          }) => [
            each.title,
            each.days.toLocaleString('en-GB'),
            each.quantity.toLocaleString('en-GB'),
            moneyText(each.amount, 'en-GB'),
          ],
        ),
      )
      await leave(page)
    })

    it('draws the parts of its export, with their values on hover, on focus and as tables', async () => {
      const page = await goTo()
      const parts = seriesOfExport(exported, await today()) as {
        readonly [name: string]: readonly ViewRecord[]
      }
      const [byStage = [], byAge = []] = [parts['ordersByStage'], parts['invoicesByAge']]
      const labels = async (part: string) => {
        const links = await page.locator(`[aria-labelledby=${part}] .chart-link`).all()
        return Promise.all(links.map(async (link) => (await link.getAttribute('aria-label')) ?? ''))
      }
      const stages = await labels('today-orders')
      assert.equal(stages.length, byStage.length)
      for (const [at, { items, sum }] of byStage.entries()) {
        const pieces = Number(sum['totalQuantity']).toLocaleString('en-GB')
        const text = `${items.toLocaleString('en-GB')} order${items === 1 ? '' : 's'} · ${pieces} piece`
        assert.ok(stages[at]?.includes(text), `${stages[at]} has ${text}`)
      }
      const ages = await labels('today-cash')
      for (const [at, { sum }] of byAge.slice(0, 5).entries()) {
        const text = amountsText(sum['balanceAmount'], 'en-GB', ' + ')
        assert.ok(ages[at]?.includes(text), `${ages[at]} has ${text}`)
      }
      const bar = page.locator('[aria-labelledby=today-orders] .chart-link').first()
      const tip = page.locator('[aria-labelledby=today-orders] .chart-tip')
      assert.equal(await tip.count(), 0)
      await bar.hover()
      const name = await bar.getAttribute('aria-label')
      assert.equal(
        `${await tip.locator('strong').textContent()}, ${await tip.locator('.chart-tip-line').textContent()}`,
        name,
      )
      await page.mouse.move(0, 0)
      await tip.waitFor({ state: 'detached' })
      await bar.focus()
      await tip.waitFor()
      const table = page.locator('[aria-labelledby=today-orders] .chart-table')
      await table.locator('summary').click()
      assert.equal(await table.locator('tbody tr').count(), byStage.length)
      await leave(page)
    })

    if (!isThorough) return

    it('opens lists that have as many records as the figures say', async () => {
      const page = await goTo()
      const { shipmentsOnTheWay = {}, invoicesOverdue = {} } = await expectedFigures()
      for (const [label, { items }] of [
        ['On the way', shipmentsOnTheWay],
        ['Overdue', invoicesOverdue],
      ] as const) {
        assert.ok(items > 0, label)
        await page.locator('.today-leads a', { hasText: label }).click()
        await total(page, `1–${Math.min(items, 50)} of ${items.toLocaleString('en-GB')}`)
        await page.goBack()
      }
      await leave(page)
    })

    it('shows the figures of another day, which the address names, and leads back', async () => {
      const page = await goTo()
      const other = addDays(await today(), 21)
      await page.getByLabel('As of').fill(other)
      await page.waitForURL(`**/brands/acme?asOf=${other}`)
      const late = page.locator('.today-leads a', { hasText: 'Late orders' })
      const { ordersLate = {} } = figuresOfExport(exported, other) as {
        readonly [name: string]: ViewRecord
      }
      assert.notEqual(ordersLate['items'], (await expectedFigures())['ordersLate']?.['items'])
      await late.getByText(ordersLate['items'].toLocaleString('en-GB'), { exact: true }).waitFor()
      assert.match((await late.getAttribute('href')) ?? '', new RegExp(`asOf=${other}`))
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: 'Back to today' }).click()
      await page.getByRole('heading', { name: 'Today', exact: true }).waitFor()
      assert.equal(new URL(page.url()).search, '')
      await leave(page)
    })

    it('shows a past day as its snapshot has it, without links to lists of today', async () => {
      const past = addDays(await today(), -7)
      const { figures } = (
        await service.get(`/api/query/v1/brands/acme/today?asOf=${past}`, { key })
      ).body
      const page = await goTo()
      await page.getByLabel('As of').fill(past)
      await page.getByText('The figures as they were at the end of this day.').waitFor()
      const late = page.locator('.today-leads li').first()
      const value = await late.locator('.today-lead-value').textContent()
      assert.equal(value, figures.ordersLate.items.toLocaleString('en-GB'))
      assert.equal(await page.locator('.today-leads a, .today-panel .chart-link').count(), 0)
      assert.equal(await page.locator('[aria-labelledby=today-receiving] a').count(), 2)
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })

    it('shows what is not known of a day without a snapshot, and says why', async () => {
      const page = await goTo()
      await page.getByLabel('As of').fill(addDays(await today(), -120))
      await page.getByText('No snapshot was taken at the end of this day.').waitFor()
      assert.deepEqual(
        await page.locator('.today-leads .today-lead-value').allTextContents(),
        Array.from({ length: 4 }, () => 'Unknown'),
      )
      const unknown = page.locator('.today-panel').getByText('Unknown', { exact: true })
      // Twelve rows, three charts, and the changed records.
      assert.equal(await unknown.count(), 16)
      assert.equal(await page.locator('[aria-labelledby=today-receiving] a').count(), 2)
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })

    it('needs one request each for its figures, the records to review and the sources', async () => {
      const page = await goTo()
      const requests: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname.startsWith('/api/')) requests.push(pathname)
      })
      await page.reload()
      await page.locator('.today-leads').waitFor()
      await page.waitForLoadState('networkidle')
      const ofBrand = '/api/query/v1/brands/acme'
      assert.deepEqual(
        requests.sort(),
        ['quality', 'sources', 'today', 'views'].map((path) => `${ofBrand}/${path}`),
      )
      await leave(page)
    })

    it('draws the figures of the last 90 days, each day a link to its figures', async () => {
      const page = await goTo()
      await page.locator('.today-header').getByRole('link', { name: 'Trends' }).click()
      const plots = page.locator('.days-plot a')
      await plots.nth(3).waitFor()
      const { body } = await service.get('/api/query/v1/brands/acme/today/trend', { key })
      const late = plots.first()
      const textAt = (ago: number): string => {
        const { items } = body.days.at(-1 - ago).figures.ordersLate
        return `${items.toLocaleString('en-GB')} order${items === 1 ? '' : 's'} · `
      }
      assert.ok((await late.getAttribute('aria-label'))?.includes(textAt(0)))
      assert.equal(await late.getAttribute('href'), '/brands/acme')
      await late.focus()
      for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowLeft')
      const day = addDays(await today(), -3)
      assert.equal(await late.getAttribute('href'), `/brands/acme?asOf=${day}`)
      assert.ok((await page.locator('.chart-tip').textContent())?.includes(textAt(3)))
      const table = page.locator('.days-table').first()
      await table.locator('summary').click()
      const rows = table.locator('tbody tr')
      await rows.nth(89).waitFor()
      assert.equal(await rows.count(), 90)
      assert.ok((await rows.nth(3).textContent())?.includes(textAt(3)))
      assert.deepEqual(await seriousFindings(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await seriousFindings(page, ['color-contrast']), [])
      await late.focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/brands/acme?asOf=${addDays(await today(), -89)}`)
      await page.getByText('The figures as they were at the end of this day.').waitFor()
      await leave(page)
    })

    it('shows the open orders by week, from one request, with few lines in the page', async () => {
      const page = await goTo()
      const { body } = await service.get('/api/query/v1/brands/acme/calendar', { key })
      const sent: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (pathname.startsWith('/api/')) sent.push(pathname)
      })
      await page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).click()
      await page.locator('.calendar-group').first().waitFor()
      assert.deepEqual(sent, ['/api/query/v1/brands/acme/calendar'])
      const { open, late } = body
      const header = (await page.locator('.calendar-header p').textContent()) ?? ''
      for (const { items } of [open, late])
        assert.ok(header.includes(items.toLocaleString('en-GB')))
      await page.getByRole('button', { name: 'Unfold all' }).click()
      await page.locator('.calendar-order').first().waitFor()
      const drawn = await page.locator('.calendar-line').count()
      assert.ok(drawn > 10 && drawn < 80 && body.orders.length > 100, `${drawn} lines`)
      await page.evaluate(`(() => {
        const lines = document.querySelector('.calendar-scroll')
        lines.scrollTop = lines.scrollHeight
      })()`)
      const name = (id: string) =>
        body.suppliers.find((each: ViewRecord) => each['id'] === id)?.name ?? ''
      const names: string[] = body.orders.map(({ supplierId }: ViewRecord) => name(supplierId))
      const lastName = names.toSorted((one, other) => one.localeCompare(other)).at(-1) ?? ''
      const final = body.orders.findLast(
        ({ supplierId }: ViewRecord) => name(supplierId) === lastName,
      )
      await page.getByRole('link', { name: new RegExp(`^${final.orderNumber} `) }).waitFor()
      await page.evaluate(toFirstWeek)
      assert.deepEqual(await seriousFindings(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await seriousFindings(page, ['color-contrast']), [])
      await page.getByLabel('Only late').check()
      const delayed = new Set(
        body.shipments.flatMap(({ id, isDelayed }: ViewRecord) => (isDelayed ? [id] : [])),
      )
      const lateOrders = body.orders.filter(
        ({ daysLate, shipmentIds }: ViewRecord) =>
          daysLate > 0 || shipmentIds.some((id: string) => delayed.has(id)),
      )
      assert.ok(lateOrders.length > 0)
      const text = `${lateOrders.length.toLocaleString('en-GB')} order`
      await page.locator('.calendar-shown', { hasText: text }).waitFor()
      assert.match(page.url(), /calendar\?late=true$/)
      await page.getByLabel('Group by').selectOption('collection')
      await page.locator('.calendar-group').first().waitFor()
      if ((await page.locator('.calendar-order').count()) === 0) {
        await page.locator('.calendar-group').first().press('Enter')
      }
      const order = page.locator('.calendar-order').first()
      const href = await order.getAttribute('href')
      await order.press('Enter')
      await page.waitForURL(`**${href}`)
      await page.locator('.document h1').waitFor()
      await leave(page)
    })

    it('fits a phone, on which arrivals begin with this week', async () => {
      const page = await goTo({ viewport: { width: 390, height: 844 } })
      const [scrolled, widest] = (await page.evaluate(`(() => {
        const chart = document.querySelector('[aria-labelledby=today-shipments] .chart-scroll')
        const label = chart.querySelector('.chart-label-current').getBoundingClientRect()
        const content = document.getElementById('content') ?? document.documentElement
        return [label.left - chart.getBoundingClientRect().left, content.scrollWidth - content.clientWidth]
      })()`)) as [number, number]
      assert.ok(scrolled >= -2 && scrolled < 60, `this week is ${scrolled} px from the left`)
      assert.equal(widest, 0)
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })

    it('has no accessibility findings in the light and in the dark', async () => {
      const page = await goTo()
      assert.deepEqual(await seriousFindings(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      // Only the colours are others.
      assert.deepEqual(await seriousFindings(page, ['color-contrast']), [])
      await leave(page)
    })

    it('writes amounts and dates as German readers do', async () => {
      const page = await goTo({ locale: 'de-DE' })
      const { invoicesOverdue = {} } = await expectedFigures()
      const value = page.locator('.today-leads li').nth(2).locator('.today-lead-value')
      assert.equal(
        await value.textContent(),
        amountsText(invoicesOverdue['sum'].balanceAmount, 'de-DE'),
      )
      assert.equal(await page.locator('h1').textContent(), 'Heute')
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })

    it('has trends and a calendar that fit a phone, in German', async () => {
      const page = await goTo({ locale: 'de-DE', viewport: { width: 390, height: 844 } })
      for (const [path, ready, title] of [
        ['trends', '.days-plot a', 'Verlauf'],
        ['calendar', '.calendar-group', 'Kalender'],
      ] as const) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.goto(`${service.url}/brands/acme/${path}`)
        await page.locator(ready).first().waitFor()
        assert.equal(await page.locator('h1').textContent(), title)
        const tooWide = '((page) => page.scrollWidth - page.clientWidth)(document.documentElement)'
        assert.equal(await page.evaluate(tooWide), 0, path)
        await page.evaluate(toFirstWeek)
        assert.deepEqual(await seriousFindings(page), [], path)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await seriousFindings(page, ['color-contrast']), [], path)
      }
      await leave(page)
    })

    for (const timezoneId of ['America/New_York', 'Asia/Shanghai']) {
      it(`is about the day of the brand in a browser in ${timezoneId}`, async () => {
        const page = await goTo({ timezoneId })
        const day = new Date(await today()).toLocaleDateString('en-GB', {
          weekday: 'long',
          day: 'numeric',
          month: 'long',
          year: 'numeric',
          timeZone: 'UTC',
        })
        assert.equal(await page.locator('.today-header p').textContent(), day)
        await leave(page)
      })
    }

    it('shows amounts by currency where more than a tenth of the records has no rate', async () => {
      const [own] = exported.all('brand')
      const [invoice] = exported.all('invoices')
      const due = { dueDate: addDays(await today(), -3), kind: 'commercial', status: 'approved' }
      const invoices = ['USD', 'EUR', 'EUR', 'JPY'].map((currency, at) => ({
        ...{ ...invoice, ...due, currency, deletedAt: null, exchangeRate: null },
        ...{ id: `99999999-0000-4000-8000-00000000010${at}`, invoiceNumber: `N-${at}` },
        balanceAmount: `${at + 1}000.50`,
      }))
      await service.write('rateless', {
        brand: [{ ...own, id: '99999999-0000-4000-8000-000000000002', slug: 'rateless' }],
        invoices,
      })
      const page = await openConsole(browser, service.url, '/brands/rateless', {
        with: await service.key('rateless'),
      })
      const overdue = page.locator('.today-lead').filter({ hasText: 'Overdue' })
      const shown = overdue.locator('.today-amounts span')
      await shown.first().waitFor()
      assert.deepEqual(await shown.allTextContents(), ['€5,001.00', 'JP¥4,000.50', 'US$1,000.50'])
      const column = page.locator('[aria-labelledby=today-cash] .chart-link').nth(1)
      assert.match((await column.getAttribute('aria-label')) ?? '', /€5,001\.00 \+ JP¥4,000\.50/)
      assert.match(await overdue.innerText(), /by currency, because 3 records have no rate/)
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })

    it('shows an empty brand the steps to its first records, and other ways', async () => {
      const [own] = exported.all('brand')
      await service.write('blank', {
        brand: [
          { ...own, id: '99999999-0000-4000-8000-000000000001', slug: 'blank', name: 'Blank' },
        ],
      })
      const page = await openConsole(browser, service.url, '/brands/blank', {
        with: await service.key('blank'),
      })
      const commands = page.locator('.today-step code')
      await commands.first().waitFor()
      assert.deepEqual(await commands.allTextContents(), [
        'selvedge brands add blank --name "Blank"',
        'selvedge keys issue --brand blank',
        'selvedge import ./records --brand blank',
        'selvedge map init ./files --brand blank --out mapping.json',
        'selvedge demo --brand blank',
      ])
      const guides = page.locator('.today-steps a')
      assert.deepEqual(
        await Promise.all((await guides.all()).map((link) => link.getAttribute('href'))),
        ['/guides/tutorial/from-an-erp', '/guides/how-to/operator-page'],
      )
      assert.deepEqual(await seriousFindings(page), [])
      await leave(page)
    })
  })
}

interface Money {
  readonly amount: string
  readonly currency: string
}

interface Sum {
  readonly currencies: readonly (Money & { readonly items: number })[]
  readonly base: Money & { readonly withoutRate: number }
}

const isPartial = ({ currencies, base }: Sum): boolean =>
  base.withoutRate > currencies.reduce((all, { items }) => all + items, 0) / 10

/** A sum in the base currency, or by currency where too many records have no rate. */
const amountsText = (sum: Sum, locale: string, between = ''): string =>
  isPartial(sum)
    ? sum.currencies.map((each) => moneyText(each, locale)).join(between)
    : moneyText(sum.base, locale)

/** An exact amount, rounded to the places of its currency. */
const moneyText = ({ amount, currency }: Money, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(
    amount as Intl.StringNumericLiteral,
  )
