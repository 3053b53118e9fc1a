/** How a list of the console is shown, in a real browser: views, columns, downloads, cards, languages. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Route } from 'playwright-core'
import { seriousFindings } from '../support/browser.ts'
import { missingBrowser } from '../support/chromium.ts'
import { type ConsoleOptions, leave, rows, total } from '../support/console.ts'
import { type Lists, openFilter, openLists } from '../support/lists.ts'
import { cannotReadWorkbooks, readWorkbook } from '../support/xlsx.ts'

describe('a list of the console, as it is shown', { skip: missingBrowser }, () => {
  let lists: Lists
  before(async () => {
    lists = await openLists()
  })
  after(() => lists?.close())

  const goTo = (path: string, options: ConsoleOptions = {}) => lists.goTo(path, options)

  it('has views with parameters, and is saved, pinned, changed, shared and deleted as a view', async () => {
    const page = await goTo('invoices?view=dueWithin')
    await page.getByText('Unpaid and due within so many days:').waitFor()
    await page.getByLabel('Days').fill('3000')
    await page.waitForURL(/days=3000/)
    await page.goto(`${lists.service.url}/brands/aldermoor/orders?view=late&sort=-totalAmount`)
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').waitFor()
    await page.keyboard.type('Big and late')
    await page.keyboard.press('Enter')
    await page.waitForURL(/saved=Big/)
    const tab = page.getByRole('navigation', { name: 'Views' }).getByText('Big and late')
    await tab.waitFor()
    const stored = JSON.parse(
      String(await page.evaluate('localStorage.getItem("selvedge-views-aldermoor")')),
    )
    assert.equal(stored.length, 1)
    assert.deepEqual(
      { ...stored[0], id: '' },
      {
        id: '',
        name: 'Big and late',
        group: 'orders',
        query: 'view=late&sort=-totalAmount',
        isPinned: true,
      },
    )
    await page.getByRole('columnheader', { name: 'Order number' }).getByRole('button').click()
    await page.getByRole('button', { name: 'Update “Big and late”' }).click()
    await page.getByRole('button', { name: 'Update “Big and late”' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Options of “Big and late”' }).click()
    await page.getByLabel('Name of the view').fill('Recent and late')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.waitForURL(/saved=Recent/)
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.match(link, /view=late&sort=orderNumber&saved=Recent\+and\+late$/)
    // Another browser has the list, and may keep the view.
    const other = await goTo(link.replace(`${lists.service.url}/brands/aldermoor/`, ''))
    await other.getByText('This link is the view “Recent and late”.').waitFor()
    await other.getByRole('button', { name: 'Keep this view' }).click()
    await other.getByRole('navigation', { name: 'Views' }).getByText('Recent and late').waitFor()
    await leave(other)
    await page.getByRole('button', { name: 'Options of “Recent and late”' }).click()
    await page.getByRole('button', { name: 'Delete view' }).click()
    await page.waitForURL((url) => !url.search.includes('saved'))
    assert.equal(await page.evaluate('localStorage.getItem("selvedge-views-aldermoor")'), null)
    await leave(page)
  })

  it('has the views that are published for the brand, for everybody who reads it', async () => {
    const { views } = lists.service.records.store
    const link = 'view=late&orderDate.gte=today-3650&sort=-orderDate&fields=orderNumber,orderDate'
    const query = new URLSearchParams(link).toString()
    const name = 'Late <img src=x onerror=alert(1)>'
    await views.add('aldermoor', { name, group: 'orders', query })
    await views.add('aldermoor', {
      name: 'Open invoices',
      group: 'invoices',
      query: 'view=dueWithin',
    })
    const page = await goTo('orders')
    const sidebar = page.getByRole('navigation', { name: 'Pages' })
    await sidebar.getByRole('heading', { name: 'Views of the brand' }).waitFor()
    await sidebar.getByRole('link', { name: 'Open invoices' }).waitFor()
    const tabs = page.getByRole('navigation', { name: 'Views' })
    await tabs.getByText('Brand:').waitFor()
    assert.equal(await tabs.getByRole('link', { name: 'Open invoices' }).count(), 0)
    await tabs.getByRole('link', { name }).click()
    await page.waitForURL((url) => url.searchParams.get('saved') === name)
    await rows(page).first().waitFor()
    assert.deepEqual(
      (await page.locator('.grid th').allInnerTexts()).map((text) => text.trim()),
      ['Order number', 'Order date'],
    )
    // The days stay relative, and it is neither changed nor kept here.
    assert.equal(new URL(page.url()).searchParams.get('orderDate.gte'), 'today-3650')
    assert.equal(await tabs.locator('a[aria-current]').innerText(), name)
    for (const button of ['Keep this view', 'Save as new']) {
      assert.equal(await page.getByRole('button', { name: button }).count(), 0)
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await seriousFindings(page), [])
    }
    await page.getByRole('columnheader', { name: 'Order number' }).getByRole('button').click()
    await page.getByRole('button', { name: 'Save as new' }).click()
    await page.getByLabel('Name of the view').fill('By number')
    await page.keyboard.press('Enter')
    await page.waitForURL(/saved=By/)
    assert.equal(await tabs.locator('a[aria-current]').innerText(), 'By number')
    assert.equal((await views.list('aldermoor')).length, 2)
    await leave(page)
    const phone = await goTo('orders', {
      locale: 'de-DE',
      viewport: { width: 390, height: 844 },
    })
    await phone.getByText('Marke:').waitFor()
    assert.deepEqual(await seriousFindings(phone), [])
    await leave(phone)
    for (const each of await views.list('aldermoor')) await views.remove('aldermoor', each.name)
  })

  it('has the columns that were chosen, in their order, and hides those that are empty', async () => {
    const page = await goTo('orders')
    await rows(page).first().waitFor()
    const heads = async () =>
      (await page.locator('.grid th').allInnerTexts()).map((text) => text.trim())
    assert.deepEqual((await heads()).slice(0, 3), ['Order number', 'Supplier', 'Status'])
    await page.getByRole('button', { name: /^Columns/ }).click()
    await page.getByRole('checkbox', { name: 'Incoterm place' }).check()
    await page.getByRole('columnheader', { name: 'Incoterm place' }).waitFor()
    await page.getByRole('button', { name: 'Move Status to the left' }).click()
    await page.getByRole('checkbox', { name: 'Cancelled at' }).check()
    await page.getByText('1 empty column hidden').waitFor()
    await page.getByLabel('Compact').check()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('columnheader', { name: 'Incoterm place' }).waitFor()
    assert.deepEqual((await heads()).slice(0, 3), ['Order number', 'Status', 'Supplier'])
    await page.locator('.grid-compact').waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Cancelled at' }).count(), 0)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Cancelled at' }).waitFor()
    assert.equal(await rows(page).first().locator('td').last().innerText(), '–')
    await page.goto(
      `${lists.service.url}/brands/aldermoor/orders?fields=orderNumber,memo,totalAmount`,
    )
    await rows(page).first().waitFor()
    assert.deepEqual(await heads(), ['Order number', 'Memo', 'Total amount'])
    await leave(page)
  })

  it('is downloaded as it is filtered, with names, in one request', async () => {
    const page = await goTo('orders?status=sent&sort=orderNumber')
    await total(page, '1–24 of 24')
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request.url())
    })
    const download = async (format: string) => {
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: format, exact: true }).click()
      const saved = await coming
      return { name: saved.suggestedFilename(), bytes: readFileSync(await saved.path()) }
    }
    await page.getByRole('button', { name: 'Download' }).click()
    const csv = await download('CSV')
    await page.getByText('24 records saved.').waitFor()
    assert.equal(requests.length, 1)
    assert.equal(csv.name, 'aldermoor-orders.csv')
    const lines = csv.bytes.toString('utf8').trimEnd().split('\r\n')
    assert.match(lines[0] ?? '', /^\ufeffid,orderNumber,supplierId,supplierName,/)
    assert.equal(lines.length, 25)
    assert.match(lines[1] ?? '', /T-1000,.*,Costa & Filhos,.*"'=HYPERLINK/)
    await page.getByLabel('Only the shown columns').check()
    const narrow = (await download('CSV')).bytes.toString('utf8')
    assert.match(narrow, /^\ufeffid,orderNumber,supplierId,supplierName,status,.*orderDate,/)
    const people = await download('For Excel')
    assert.deepEqual(
      new URL(requests.at(-1) ?? '').searchParams.getAll('labels'),
      ['en'],
      'in the language of the page',
    )
    assert.equal(people.name, 'aldermoor-orders.xlsx')
    if (!cannotReadWorkbooks) {
      const { sheet, rows: cells } = readWorkbook(people.bytes)
      const texts = cells.map((row) => Object.values(row).map(([, text]) => text))
      assert.equal(sheet, 'Orders')
      assert.deepEqual(texts[0]?.slice(0, 3), ['Order number', 'Supplier', 'Status'])
      assert.deepEqual(texts[1]?.slice(0, 3), ['T-1000', 'Costa & Filhos', 'sent'])
    }
    const ndjson = (await download('NDJSON')).bytes.toString('utf8').trimEnd().split('\n')
    assert.deepEqual([ndjson.length, JSON.parse(ndjson[0] ?? '').orderNumber], [24, 'T-1000'])
    const xlsx = await download('XLSX')
    assert.deepEqual(
      [xlsx.name, xlsx.bytes.subarray(0, 2).toString()],
      ['aldermoor-orders.xlsx', 'PK'],
    )
    await leave(page)
  })

  it('can stop being downloaded, and says why it cannot be downloaded', async () => {
    const page = await goTo('orders?status=sent')
    await total(page, '1–24 of 24')
    let saved = 0
    page.on('download', () => {
      saved += 1
    })
    const formats = page.getByRole('button', { name: 'CSV', exact: true })
    const message = 'Too many downloads are in progress.'
    const body = JSON.stringify({ errorCode: 'rate_limited', error: message })
    /** What becomes of the downloads, one after the other. The first one is not answered. */
    const fates: readonly ((route: Route) => Promise<void> | undefined)[] = [
      () => undefined,
      (route) => route.fulfill({ status: 429, contentType: 'application/json', body }),
      (route) => route.abort(),
    ]
    let begun = 0
    await page.route('**/orders/download?*', async (route) => {
      const fate = fates[begun]
      begun += 1
      await (fate ? fate(route) : route.continue())
    })
    await page.getByRole('button', { name: 'Download' }).click()
    await formats.click()
    await page.getByText('Preparing …').waitFor()
    const ended = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    const sent = new URL((await ended).url())
    assert.match(sent.pathname, /\/orders\/download$/)
    assert.deepEqual(
      ['status', 'sort', 'format'].map((name) => sent.searchParams.get(name)),
      ['sent', '-orderDate', 'csv'],
    )
    await formats.waitFor()
    assert.equal(await page.locator('.problem').count(), 0)
    await formats.click()
    await page.locator('.problem', { hasText: message }).waitFor()
    await formats.click()
    await page.locator('.problem', { hasText: 'cannot be reached' }).waitFor()
    assert.equal(saved, 0)
    const coming = page.waitForEvent('download')
    await formats.click()
    await coming
    await page.getByText('24 records saved.').waitFor()
    assert.equal(await page.locator('.problem').count(), 0)
    await leave(page)
  })

  it('shows cards on a phone, and pictures of images in view', async () => {
    const phone = { viewport: { width: 390, height: 844 } }
    const page = await goTo('orders?view=late&sort=-totalAmount', phone)
    const card = page.locator('.card').first()
    await card.waitFor()
    const text = await card.innerText()
    assert.match(text, /T-1\d+/)
    assert.match(text, /Costa & Filhos[\s\S]*days? late[\s\S]*€[\d,.]+/)
    assert.equal(await page.locator('.grid').count(), 0)
    await page.getByLabel('Sort').selectOption('orderNumber')
    await page.waitForURL(/sort=orderNumber/)
    // Cards are pale while others are loaded.
    await page.locator('.cards[aria-busy="true"]').waitFor({ state: 'detached' })
    const boxes = page.locator('.card').getByRole('checkbox')
    for (const at of [0, 1]) await boxes.nth(at).check()
    const selected = page.getByRole('region', { name: 'Selected records' })
    await selected.getByText('2 records selected').waitFor()
    await selected.getByText('€', { exact: false }).first().waitFor()
    const { width: wide = 0, height: high = 0 } =
      (await page.locator('.card-select').first().boundingBox()) ?? {}
    assert.ok(wide >= 44 && high >= 44, `${wide} × ${high}`)
    assert.deepEqual(await seriousFindings(page), [])
    const width = await page.evaluate('document.documentElement.scrollWidth')
    assert.ok(Number(width) <= 390, String(width))
    await card.getByRole('link').first().click()
    await page.waitForURL(/orders\/0000/)
    await leave(page)

    const requests: string[] = []
    const images = await goTo('images')
    images.on('request', (request) => {
      if (request.url().endsWith('/content')) requests.push(request.url())
    })
    await rows(images).first().waitFor()
    await images.waitForLoadState('networkidle')
    assert.ok(requests.length <= (await rows(images).count()), String(requests.length))
    await leave(images)
  })

  it('is printed with all rows and columns, on a phone too, and with nothing to click', async () => {
    const phone = { viewport: { width: 390, height: 844 } }
    for (const options of [phone, {}]) {
      const page = await goTo('orders?limit=50&totalAmount.gte=1&sort=-totalAmount', options)
      await total(page, '1–50 of 120')
      await page.locator('.card:nth-child(50), .grid tr:nth-child(50)').waitFor()
      const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true, tagged: true })
      const written = pdf.toString('latin1')
      // A row for each record, and the heads once: they are repeated as decoration.
      assert.equal(written.match(/\/S \/TR\b/g)?.length, 51)
      assert.match(written, /\/MediaBox \[0 0 84\d[.\d]* 59\d/)
      await leave(page)
    }
    const page = await goTo('orders?limit=50&totalAmount.gte=1&sort=-totalAmount', {
      viewport: { width: 1_046, height: 700 },
      colorScheme: 'dark',
    })
    await rows(page).nth(49).waitFor()
    await page.emulateMedia({ media: 'print' })
    const clickable = await page.evaluate(
      `[...document.querySelectorAll('button:not(.sort, .filter-chips *), .button, select, input, summary')]
        .filter((each) => each.checkVisibility()).map((each) => each.outerHTML)`,
    )
    assert.deepEqual(clickable, [])
    await page.getByText('at least 1', { exact: true }).waitFor()
    await page.getByText('1–50 of 120').waitFor()
    const beyond = await page.evaluate(
      `Math.max(...[...document.querySelectorAll('.grid th, .grid td')].map((each) => each.getBoundingClientRect().right)) - innerWidth`,
    )
    assert.ok(Number(beyond) <= 0, `${beyond} px beyond the paper`)
    assert.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(27, 29, 31)')
    await leave(page)
  })

  it('is written in German, with the days of the brand, for a viewer anywhere', async () => {
    const page = await goTo('orders?view=late&totalAmount.gte=1000&sort=-totalAmount', {
      locale: 'de-DE',
      timezoneId: 'America/New_York',
    })
    await page.getByRole('list', { name: 'Filter' }).getByText('mindestens 1.000').waitFor()
    await page
      .getByText('Noch nicht vollständig versandt, obwohl der Ab-Werk-Termin vorbei ist.')
      .waitFor()
    const row = await rows(page).first().innerText()
    assert.match(row, /\d\.\d{3},50\s€/)
    assert.match(row, /\d Tage? verspätet/)
    await page.getByText(/^1–\d+ von \d+$/).waitFor()
    assert.deepEqual(await page.getByRole('columnheader').first().innerText(), 'Bestellnummer')
    await leave(page)
    // All columns are in view on a laptop, although their labels are longer than in English.
    for (const list of ['shipments', 'orders']) {
      const wide = await goTo(list, { locale: 'de-DE' })
      await rows(wide).first().waitFor()
      const beyond = await wide.evaluate(
        '((box) => box.scrollWidth - box.clientWidth)(document.querySelector(".grid-scroll"))',
      )
      assert.equal(beyond, 0, list)
      await leave(wide)
    }
  })

  it('has nothing that axe finds serious, with open menus, light and dark', async () => {
    const page = await goTo('orders?status.in=sent,confirmed&sort=-orderDate&limit=25')
    await rows(page).first().waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await seriousFindings(page, ['color-contrast']), [])
    for (const field of ['Status', 'Order date', 'Supplier']) {
      await openFilter(page, field)
      assert.deepEqual(await seriousFindings(page), [], field)
      await page.keyboard.press('Escape')
    }
    for (const menu of ['Columns 8', 'Save view', 'Download']) {
      await page.getByRole('button', { name: menu }).click()
      assert.deepEqual(await seriousFindings(page), [], menu)
      await page.keyboard.press('Escape')
    }
    await leave(page)
  })
})
