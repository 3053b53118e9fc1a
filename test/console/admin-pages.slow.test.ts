/** The operator's pages of brands, keys, usage and the audit log, in a real browser. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openAdminPage } from '../support/admin-page.ts'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { rights } from '../support/auth.ts'
import { allFindings, type WatchedPage } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { until } from '../support/cluster.ts'
import { leave } from '../support/console.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('the pages of an operator', { skip: missingBrowser }, () => {
  let admin: TestAdmin
  /** The API on the same database. */
  let service: TestService
  let browser: Browser
  before(async () => {
    admin = await openTestAdmin({}, { records: 'story' })
    service = await openTestService({}, { folder: admin.folder })
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await service?.close()
    await admin?.close()
  })

  const goTo = (path: string, options: BrowserContextOptions = {}) =>
    openAdminPage(browser, admin, path, options)
  const rowOf = (page: Page, text: string | RegExp) =>
    page.locator('.admin-table tbody tr').filter({ hasText: text })
  const choose = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions: ${name}`, exact: true }).click()
    await chooseOpened(page, action)
  }
  const chooseOpened = (page: Page, action: string) =>
    page
      .locator('.menu-body:popover-open')
      .getByRole('button', { name: action, exact: true })
      .click()
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const actions = async (...wanted: readonly string[]) =>
    (await admin.entries())
      .filter(({ action }) => wanted.includes(action))
      .map(({ actor, action, brand }) => [actor, action, brand])
  /** Looks at a page or a dialog as it is, in the light theme and in the dark one. */
  const isAccessible = async (page: WatchedPage) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await allFindings(page), [])
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }
  const statusOf = async (key: string) =>
    (await fetch(`${service.url}/whoami`, { headers: { authorization: `Bearer ${key}` } })).status

  describe('brands', () => {
    it('are listed with records, size, freshness, sources, checks and findings', async () => {
      const at = new Date().toISOString()
      await admin.records.store.sources.update(
        'aldermoor',
        { kind: 'sync', name: 'erp' },
        { state: 'failing', failedAt: at, error: 'no route to host' },
      )
      const page = await goTo('/')
      await page.waitForURL('**/brands')
      const row = rowOf(page, 'Aldermoor')
      await row.waitFor()
      const text = await row.innerText()
      assert.match(text, /^Aldermoor\s+aldermoor\s+\d{3}\s+\d{3} own\s+about \d/)
      assert.match(text, /20\d\d, \d\d:\d\d[\s\S]*1 source\s+1 failing\s+refuse/)
      assert.match(await page.title(), /^Brands · Operator page · Selvedge$/)
      await isAccessible(page)
      await leave(page)
    })

    it('are added, and a mistake is explained beside the form', async () => {
      const page = await goTo('/brands')
      await page.getByRole('button', { name: 'Add brand' }).click()
      await page.getByLabel('Slug').fill('Birkholm AG')
      await page.getByLabel('Name', { exact: true }).fill('Birkholm')
      await page.getByLabel('Currency').fill('EUR')
      await page.getByLabel('Time zone').fill('Europe/Berlin')
      await isAccessible(page)
      await confirm(page, 'Add brand')
      await page.getByRole('dialog').getByRole('alert').getByText('Birkholm AG').waitFor()
      await page.getByLabel('Slug').fill('birkholm')
      await page.keyboard.press('Enter')
      await page.getByText('Birkholm is added. It has no records yet.').waitFor()
      assert.match(await rowOf(page, 'Birkholm').innerText(), /birkholm[\s\S]*not checked yet/)
      assert.deepEqual((await actions('brand.added')).at(-1), ['Ada', 'brand.added', 'birkholm'])
      await leave(page)
    })

    it('change which checks refuse records, with exceptions', async () => {
      const page = await goTo('/brands')
      await choose(page, 'Aldermoor', 'Change checks …')
      const dialog = page.getByRole('dialog', { name: 'Checks of Aldermoor' })
      await dialog.getByLabel('Store them, and report what is wrong').check()
      await dialog.getByLabel('Exceptions').selectOption('currency')
      await dialog.getByLabel('Exceptions').selectOption('orders.orderNumber')
      await dialog.getByRole('button', { name: 'Remove orders.orderNumber' }).click()
      await isAccessible(page)
      await confirm(page, 'Save and count')
      await page.getByText('No stored record breaks a check.').waitFor()
      await confirm(page, 'Close')
      await rowOf(page, 'Aldermoor').getByText('report, 1 exception').waitFor()
      assert.deepEqual(await admin.records.store.checks('aldermoor'), {
        default: 'warn',
        exceptions: { currency: 'enforce' },
      })
      await page.getByRole('button', { name: 'Change checks …' }).last().click()
      await page.getByRole('dialog', { name: 'Checks of shared records' }).waitFor()
      await confirm(page, 'Cancel')
      assert.equal(await page.getByRole('dialog').count(), 0)
      await leave(page)
    })

    it('are removed only after their slug is typed, and the dialog says what goes', async () => {
      const signedIn = await admin.signIn('Bea')
      const body = { slug: 'gone', name: 'Gone Brand' }
      await signedIn.ask('/api/brands', { method: 'POST', body })
      await signedIn.ask('/api/keys', { method: 'POST', body: { name: 'left', brands: ['gone'] } })
      const page = await goTo('/brands')
      await choose(page, 'Gone Brand', 'Remove …')
      const dialog = page.getByRole('dialog', { name: 'Remove Gone Brand' })
      await dialog.getByText('1 key names this brand and will stay.').waitFor()
      await dialog.getByText('Records in 1 group').click()
      assert.match(await dialog.locator('.admin-counts').innerText(), /^Brand\s+1$/)
      await dialog.getByLabel('Also remove its image files').check()
      await dialog.getByText('Image files', { exact: true }).waitFor()
      await isAccessible(page)
      const button = dialog.getByRole('button', { name: 'Remove for good' })
      for (const typed of ['', 'gon', 'Gone']) {
        await dialog.getByLabel('to confirm').fill(typed)
        assert.ok(await button.isDisabled(), typed)
        await page.keyboard.press('Enter')
      }
      assert.deepEqual(await actions('brand.removed'), [])
      await dialog.getByLabel('to confirm').fill('gone')
      await button.click()
      await page.getByText('Gone Brand is removed, with 1 record.').waitFor()
      await until(async () => (await rowOf(page, 'Gone Brand').count()) === 0)
      assert.deepEqual(await actions('brand.removed'), [['Ada', 'brand.removed', 'gone']])
      await leave(page)
    })
  })

  describe('views', () => {
    it('are published from a link, shown to readers, and removed', async () => {
      const page = await goTo('/views')
      await page.getByText('This brand has no published views.').waitFor()
      await page.getByRole('button', { name: 'Publish a view' }).click()
      const dialog = page.getByRole('dialog', { name: 'Publish a view' })
      const publish = dialog.getByRole('button', { name: 'Publish a view' })
      const link = `${service.url}/brands/aldermoor/orders?view=late&limit=25&saved=Late+%3Cb%3E`
      await dialog.getByLabel('Link of the list').fill(link.replace('view=late', 'view=later'))
      assert.equal(await dialog.getByLabel('Name').inputValue(), 'Late <b>')
      await publish.click()
      await dialog.getByText(/Parameter view names "later"/).waitFor()
      await isAccessible(page)
      await dialog.getByLabel('Link of the list').fill(link)
      await publish.click()
      await page.getByText('Published “Late <b>”.').waitFor()
      await rowOf(page, 'Late <b>').getByText('view=late', { exact: true }).waitFor()
      await isAccessible(page)
      const key = (await admin.records.keys.issue(rights({ brands: ['aldermoor'] }))).key
      const published = await service.get('/api/query/v1/brands/aldermoor/views', { key })
      assert.deepEqual(published.body.items, [
        { name: 'Late <b>', group: 'orders', query: 'view=late' },
      ])
      await choose(page, 'Late <b>', 'Remove the view')
      await confirm(page, 'Remove the view')
      await page.getByText('This brand has no published views.').waitFor()
      assert.deepEqual(await actions('view.published', 'view.removed'), [
        ['Ada', 'view.published', 'aldermoor'],
        ['Ada', 'view.removed', 'aldermoor'],
      ])
      await leave(page)
    })
  })

  describe('keys', () => {
    it('are issued and shown once, and nothing of a key stays in the browser', async () => {
      const page = await goTo('/keys')
      await page.getByRole('button', { name: 'Issue key' }).click()
      const dialog = page.getByRole('dialog')
      assert.ok(await dialog.getByRole('button', { name: 'Issue key' }).isDisabled())
      await dialog.getByLabel('Name', { exact: true }).fill('Warehouse')
      await dialog.getByLabel('Aldermoor aldermoor').check()
      await dialog.getByText('Groups, addresses and rate limit').click()
      await dialog.getByLabel('Only these groups').check()
      await dialog.getByLabel('Find').fill('orders')
      await dialog.getByLabel('Orders', { exact: true }).check()
      await dialog.getByLabel('Addresses').fill('127.0.0.1\n10.0.0.0/8')
      await dialog.getByLabel('Requests per second').fill('50')
      await dialog.getByLabel('Requests at once').fill('100')
      await isAccessible(page)
      await confirm(page, 'Issue key')
      const shown = page.getByRole('dialog', { name: 'The new key' })
      await shown.getByText('This is the only time the key is shown.').waitFor()
      await isAccessible(page)
      const key = await shown.locator('code').innerText()
      assert.match(key, /^slv_/)
      await shown.getByRole('button', { name: 'Copy' }).click()
      await shown.getByText('Copied').waitFor()
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), key)
      assert.equal(await statusOf(key), 200)
      assert.match(await shown.innerText(), /aldermoor\s+only Orders\s+from 127\.0\.0\.1, 10\.0/)
      await confirm(page, 'I have stored it')
      const row = rowOf(page, 'Warehouse')
      await row.waitFor()
      assert.match(await row.innerText(), /only Orders[\s\S]*valid/)
      const contents = `[document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }]`
      assert.ok(!JSON.stringify(await page.evaluate(contents)).includes(key))
      const stored = (await admin.records.keys.list()).find(({ name }) => name === 'Warehouse')
      assert.deepEqual(
        [stored?.onlyGroups, stored?.addresses, stored?.perSecond, stored?.burst],
        [['orders'], ['127.0.0.1', '10.0.0.0/8'], 50, 100],
      )
      const days = (Date.parse(stored?.expiresAt ?? '') - Date.now()) / 86_400_000
      assert.ok(days > 89 && days <= 90)
      await page.reload()
      await row.waitFor()
      assert.ok(!(await page.content()).includes(key))
      await leave(page)
    })

    it('that send records have collections, and a secret for signed messages', async () => {
      const page = await goTo('/keys')
      await page.getByRole('button', { name: 'Issue key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name', { exact: true }).fill('ERP')
      await dialog.getByLabel('Sends records, and reads none').check()
      await dialog.getByLabel('Also issue a secret').check()
      await dialog.getByLabel('Aldermoor aldermoor').check()
      await dialog.getByLabel('Birkholm birkholm').check()
      await dialog.getByLabel('Expires').selectOption('never')
      await dialog.getByText('Groups, addresses and rate limit').click()
      await dialog.getByLabel('Find').fill('sku')
      await dialog.getByLabel('SKUs', { exact: true }).check()
      await confirm(page, 'Issue key')
      const shown = page.getByRole('dialog', { name: 'The new key' })
      await shown.getByText('Signing secret').waitFor()
      assert.equal(await shown.locator('code').count(), 2)
      await confirm(page, 'I have stored it')
      const text = await rowOf(page, 'ERP').innerText()
      assert.match(text, /sends records[\s\S]*aldermoor, birkholm\s+sends SKUs[\s\S]*never expires/)
      await leave(page)
    })

    it('that the server refuses keep what was typed', async () => {
      const page = await goTo('/keys')
      await page.getByRole('button', { name: 'Issue key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name', { exact: true }).fill('Nowhere')
      await dialog.getByLabel('Every brand').check()
      await dialog.getByText('Groups, addresses and rate limit').click()
      await dialog.getByLabel('Addresses').fill('127.0.0.300')
      await confirm(page, 'Issue key')
      await dialog.getByRole('alert').getByText('127.0.0.300').waitFor()
      assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Nowhere')
      // A click outside does not lose it either.
      await page.mouse.click(5, 5)
      assert.equal(await dialog.count(), 1)
      await page.keyboard.press('Escape')
      await until(async () => (await dialog.count()) === 0)
      const names = (await admin.records.keys.list()).map(({ name }) => name)
      assert.ok(!names.includes('Nowhere'))
      await leave(page)
    })

    it('are changed: brands, groups, addresses, expiry and rate', async () => {
      const page = await goTo('/keys?brand=aldermoor')
      await choose(page, 'Warehouse', 'Change …')
      const dialog = page.getByRole('dialog', { name: 'Change Warehouse' })
      await dialog.getByLabel('Name', { exact: true }).fill('Warehouse 2')
      await dialog.getByLabel('Birkholm birkholm').check()
      await dialog.getByLabel('Expires').selectOption('day')
      await dialog.getByLabel('Last day').fill('2031-05-04')
      await dialog.getByText('Groups, addresses and rate limit').click()
      assert.equal(await dialog.getByLabel('Addresses').inputValue(), '127.0.0.1\n10.0.0.0/8')
      await dialog.getByLabel('All groups without these').check()
      await dialog.getByLabel('Addresses').fill('')
      await dialog.getByLabel('Requests per second').fill('')
      await isAccessible(page)
      await confirm(page, 'Save')
      await page.getByText('Warehouse 2 is changed.').waitFor()
      const text = await rowOf(page, 'Warehouse 2').innerText()
      assert.match(text, /aldermoor, birkholm\s+without Orders\s[\s\S]*5 May 2031|4 May 2031/)
      const key = (await admin.records.keys.list()).find(({ name }) => name === 'Warehouse 2')
      assert.deepEqual(
        [key?.withoutGroups, key?.onlyGroups, key?.addresses, key?.perSecond, key?.burst],
        [['orders'], null, null, null, 100],
      )
      assert.deepEqual((await actions('key.changed')).at(-1), ['Ada', 'key.changed', null])
      await leave(page)
    })

    it('are rotated with an overlap, then revoked, which every server applies', async () => {
      const signedIn = await admin.signIn('Bea')
      const body = { name: 'Portal', brands: ['aldermoor'], expires: '30d' }
      const issued = await signedIn.ask('/api/keys', { method: 'POST', body })
      const old: string = issued.body.key
      assert.equal(await statusOf(old), 200)
      const page = await goTo('/keys')
      await choose(page, 'Portal', 'Rotate …')
      await page.getByLabel('Overlap').selectOption('24h')
      await isAccessible(page)
      await confirm(page, 'Issue its successor')
      const shown = page.getByRole('dialog', { name: 'The new key' })
      await shown.getByText(`It replaces ${issued.body.id}, which works until`).waitFor()
      const successor = await shown.locator('code').innerText()
      await confirm(page, 'I have stored it')
      await rowOf(page, issued.body.id).first().getByText('replaced').waitFor()
      assert.deepEqual([await statusOf(old), await statusOf(successor)], [200, 200])
      const all = await admin.records.keys.list()
      const id = all.find((each) => each.id === issued.body.id)?.successorId ?? ''
      await rowOf(page, new RegExp(`${id}[\\s\\S]*valid`))
        .getByRole('button', { name: 'Actions: Portal' })
        .click()
      await chooseOpened(page, 'Revoke …')
      await page.getByText('All servers reject the key within a second.').waitFor()
      await isAccessible(page)
      await confirm(page, 'Revoke')
      await page.getByText('Portal is revoked.').waitFor()
      await until(async () => (await statusOf(successor)) === 401)
      assert.equal(await statusOf(old), 200)
      assert.deepEqual(await actions('key.rotated', 'key.revoked'), [
        ['Ada', 'key.rotated', 'aldermoor'],
        ['Ada', 'key.revoked', 'aldermoor'],
      ])
      await leave(page)
    })

    it('show when and how they were used', async () => {
      const signedIn = await admin.signIn('Bea')
      const body = { name: 'Busy', global: true }
      const { key, id } = (await signedIn.ask('/api/keys', { method: 'POST', body })).body
      // A server writes what it has counted when it stops.
      const api = await openTestService({}, { folder: admin.folder })
      for (const path of ['orders', 'skus', `orders/${randomUUID()}`]) await api.get(path, { key })
      await api.close()
      const page = await goTo('/keys')
      const row = rowOf(page, 'Busy')
      await row.waitFor()
      assert.match(await row.innerText(), /valid\s+\d+ \w+ 20\d\d, \d\d:\d\d/)
      assert.match(await row.innerText(), /every brand[\s\S]*can read every brand/)
      await row.getByRole('button', { name: 'Details' }).click()
      const details = page.locator('.admin-key-details')
      await details.locator('.chart').waitFor()
      await details.getByText('Values as a table').click()
      assert.match(await details.locator('.chart-table tbody tr').last().innerText(), /2\s+1$/)
      await isAccessible(page)
      await details.getByRole('link', { name: 'Usage by operation' }).click()
      await page.waitForURL(`**/usage?key=${id}&by=operation`)
      await page.getByRole('row', { name: /listOrders/ }).waitFor()
      await leave(page)
    })
  })

  describe('usage', () => {
    it('is shown by day in a chart, and by key, brand, operation and group in tables', async () => {
      const page = await goTo('/usage')
      await page.locator('.chart').waitFor()
      await rowOf(page, 'Busy').waitFor()
      await isAccessible(page)
      await page.getByRole('button', { name: 'Brand', exact: true }).click()
      assert.match(await rowOf(page, 'aldermoor').innerText(), /^aldermoor\s+\d/)
      await page.getByRole('button', { name: 'Group', exact: true }).click()
      await rowOf(page, 'SKUs').waitFor()
      await page.getByRole('button', { name: 'Operation', exact: true }).click()
      await rowOf(page, 'listSkus').waitFor()
      await page.getByRole('button', { name: 'Day', exact: true }).click()
      const day = rowOf(page, String(new Date().getUTCFullYear())).first()
      await day.getByRole('button', { name: 'Details' }).click()
      const details = page.locator('.admin-usage-details')
      assert.match(await details.innerText(), /not_found\s+1[\s\S]*127\.0\.0\.1\s+\d/)
      await isAccessible(page)
      await page.getByRole('combobox', { name: 'Key', exact: true }).selectOption({ label: 'Busy' })
      await until(async () => /^[^\n]*\s3\s+1\s/.test(await day.innerText()))
      await page.getByLabel('First day').fill('2020-01-01')
      await page.getByLabel('Last day').fill('2020-01-31')
      await page.getByText('There were no requests.').first().waitFor()
      assert.match(page.url(), /key=[^&]+.*|from=2020-01-01/)
      await page.getByLabel('First day').fill('2031-01-01')
      await page.getByRole('alert').first().waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.locator('.chart').waitFor()
      await leave(page)
    })
  })

  describe('the audit log', () => {
    it('is filtered, read on by page, and shows the details of an entry', async () => {
      const page = await goTo('/audit')
      const rows = page.locator('.admin-table tbody tr')
      await rows.first().waitFor()
      assert.match(await rows.first().innerText(), /Ada\s+operator\s+admin\.signed-in/)
      await page
        .getByRole('combobox', { name: 'Action', exact: true })
        .selectOption('brand.removed')
      await until(async () => (await rows.count()) === 1)
      await rows.first().getByRole('button', { name: 'Details' }).click()
      const details = page.locator('.admin-entry')
      assert.match(await details.innerText(), /selvedge \S+ admin/)
      await isAccessible(page)
      assert.match(page.url(), /\/audit\?action=brand\.removed$/)
      await page.getByRole('combobox', { name: 'Brand', exact: true }).selectOption('birkholm')
      await page.getByText('Nothing matches these filters.').waitFor()
      await page.getByRole('button', { name: 'Clear filters' }).click()
      const { keys } = admin.records
      const [key] = await keys.list()
      for (let change = 0; change < 101; change += 1) {
        await keys.update(key?.id ?? '', (each) => ({ ...each, name: `Key ${change}` }))
      }
      await page.getByRole('combobox', { name: 'Action', exact: true }).selectOption('key.changed')
      await until(async () => (await rows.count()) === 100)
      await page.getByRole('button', { name: 'Show more' }).click()
      await until(async () => (await rows.count()) === 102)
      assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
      await page.getByLabel('Last day').fill('2020-01-01')
      await page.getByText('Nothing matches these filters.').waitFor()
      await leave(page)
    })

    it('is verified, also against a head that was noted before', async () => {
      const page = await goTo('/audit')
      await page.getByRole('button', { name: 'Verify the log' }).click()
      await confirm(page, 'Verify')
      await page.getByText(/entries are in order/).waitFor()
      const head = await page.getByRole('dialog').locator('code').innerText()
      assert.match(head, /^\d+:[0-9a-f]{64}$/)
      await isAccessible(page)
      const field = page.getByLabel('Head from an earlier verification')
      await field.fill(head)
      await confirm(page, 'Verify')
      await page.getByText(/entries are in order/).waitFor()
      await field.fill(head.replace(/:.*/, `:${'0'.repeat(64)}`))
      await confirm(page, 'Verify')
      await page.locator('.admin-problem').waitFor()
      await field.fill('nonsense')
      await confirm(page, 'Verify')
      await page.getByRole('dialog').getByRole('alert').getByText('<number>:<hash>').waitFor()
      await leave(page)
    })
  })

  it('fit a phone, in German, without a table that is too wide', async () => {
    const page = await goTo('/brands', {
      locale: 'de-DE',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    for (const [path, title] of [
      ['/brands', 'Marken'],
      ['/keys', 'Schlüssel'],
      ['/usage', 'Nutzung'],
      ['/audit', 'Protokoll'],
    ] as const) {
      if (path !== '/brands') await page.goto(admin.url + path)
      await page.getByRole('heading', { name: title, exact: true }).waitFor()
      await page.locator('.admin-cards').first().waitFor()
      const overflow = `document.getElementById('content').scrollWidth - document.getElementById('content').clientWidth`
      assert.equal(await page.evaluate(overflow), 0, path)
      assert.deepEqual(await allFindings(page), [])
    }
    await page.goto(`${admin.url}/keys`)
    await page.getByRole('button', { name: 'Schlüssel ausstellen' }).click()
    await page.getByLabel('Jede Marke, auch später angelegte').check()
    await page.getByText('Gruppen, Adressen und Anfragelimit').click()
    await page.getByLabel('Nur diese Gruppen').check()
    await page.getByLabel('Bestellungen', { exact: true }).waitFor()
    assert.deepEqual(await allFindings(page), [])
    await leave(page)
  })
})
