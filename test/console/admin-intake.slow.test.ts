/** The operator's pages of units, imports and rows in quarantine, in a real browser. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openAdminPage } from '../support/admin-page.ts'
import { entriesOf } from '../support/admin-service.ts'
import { seriousFindings } from '../support/browser.ts'
import { missingBrowser, openChromium } from '../support/chromium.ts'
import { until } from '../support/cluster.ts'
import { leave } from '../support/console.ts'
import { type Operated, openOperated } from '../support/operated.ts'

describe('the pages of intake', { skip: missingBrowser }, () => {
  let operated: Operated
  let browser: Browser
  before(async () => {
    operated = await openOperated()
    browser = await openChromium()
  })
  after(async () => {
    await browser?.close()
    await operated?.close()
  })

  const goTo = (path: string, options: BrowserContextOptions = {}) =>
    openAdminPage(browser, operated.admin, path, options)
  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  const units = async (...filter: string[]) =>
    JSON.parse((await operated.place.run(['intake', '--json', ...filter])).stdout)
  const actions = async () => {
    const entries = await entriesOf(operated.admin.records.audit)
    return entries.map(({ actor, action }) => `${actor} ${action}`)
  }

  it('lists units, by brand and by state', async () => {
    const page = await goTo('/intake')
    const rows = page.locator('.admin-table tbody tr')
    await rowOf(page, 'File vendors.csv').waitFor()
    assert.equal(await rows.count(), 6)
    assert.match(await rowOf(page, 'File tags-2.ndjson').innerText(), /in quarantine\s+1\s/)
    await page.getByLabel('Brand').selectOption('aldermoor')
    await until(async () => (await rows.count()) === 2)
    await page.getByLabel('State').selectOption('in quarantine')
    await until(async () => (await rows.count()) === 1)
    assert.match(await rows.innerText(), /^Request[\s\S]*malformed JSON[\s\S]*aldermoor/)
    assert.match(page.url(), /\/intake\?brand=aldermoor&state=quarantined$/)
    await page.getByLabel('State').selectOption('working')
    await page.getByText('Nothing matches these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await until(async () => (await rows.count()) === 6)
    await leave(page)
  })

  it('shows a unit with its report', async () => {
    const page = await goTo('/intake')
    await page.getByRole('link', { name: 'File vendors.csv' }).click()
    await page.getByRole('heading', { name: 'File vendors.csv' }).waitFor()
    const counts = rowOf(page, 'Partners')
    await counts.waitFor()
    assert.match(await counts.innerText(), /^Partners\s+4\s+2\s+0\s+0\s+0\s+2$/)
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
    await page.getByRole('link', { name: 'Show the rows in quarantine' }).click()
    await page.getByRole('heading', { name: 'Quarantine', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Show the differences' }).click()
    await page.waitForURL('**/imports/*')
    await page.goto(`${operated.admin.url}/intake/none`)
    await page.getByText('There is no unit none.').waitFor()
    await leave(page)
  })

  it('takes a held file once an operator has accepted it', async () => {
    const [held] = await units('--state', 'quarantined', '--brand', 'halden')
    const page = await goTo(`/intake/${held.id}`)
    await page.getByText('less than half of the 5 of tags-1.ndjson').waitFor()
    await page.getByRole('button', { name: 'Accept and try again' }).click()
    const dialog = page.getByRole('dialog', { name: 'Accept the file as it is?' })
    await dialog.getByText('The records that it lacks are removed.').waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await units('--state', 'quarantined', '--brand', 'halden')).length, 1)
    await page.getByRole('button', { name: 'Accept and try again' }).click()
    await confirm(page, 'Accept and try again')
    await page.getByText('The unit is tried again.').waitFor()
    await page.getByText('It is stored when its turn comes.').waitFor()
    assert.ok((await actions()).includes('Ada unit.retried'))
    await operated.watchTags()
    await page.reload()
    await page.getByText('An operator has accepted this file').waitFor()
    const counts = rowOf(page, 'Tags')
    await counts.waitFor()
    assert.match(await counts.innerText(), /^Tags\s+2\s+0\s+1\s+1\s+3\s+0$/)
    await page.getByRole('link', { name: 'Show the differences' }).click()
    const changes = page.getByRole('table', { name: 'Differences' }).getByRole('row')
    await changes.nth(4).waitFor()
    assert.match(await changes.nth(1).innerText(), /^renamed\s+Tags\s+changed\s+Name two → renamed/)
    assert.match(await changes.nth(2).innerText(), /^three\s+Tags\s+removed\s+–$/)
    assert.equal(await changes.count(), 5)
    await leave(page)
  })

  it('tries a unit again, says why it cannot, and discards', async () => {
    const page = await goTo(`/intake/${operated.quarantined}`)
    await page.getByText('The database failed: malformed JSON.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Accept and try again' }).count(), 0)
    // Another operator was faster.
    await operated.place.run(['intake', 'discard', operated.quarantined])
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Records that have changed since stay as they are.').waitFor()
    await confirm(page, 'Try again')
    await page.getByRole('alert').getByText('is refused and cannot be retried').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    const poison = await operated.sendPoison()
    await page.goto(`${operated.admin.url}/intake/${poison}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await operated.cure()
    await confirm(page, 'Try again')
    await page.getByText('The unit is tried again.').waitFor()
    await until(async () => (await units('--state', 'done', '--brand', 'aldermoor')).length === 2)

    await operated.poison()
    const lost = await operated.sendPoison()
    await page.goto(`${operated.admin.url}/intake/${lost}`)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('Its records are lost unless they are sent again.').waitFor()
    await confirm(page, 'Discard')
    await page.getByText('The unit is discarded.').waitFor()
    await page.getByText('It was refused').waitFor()
    const after = (await units()).find(({ id }: { id: string }) => id === lost)
    assert.equal(after.state, 'refused')
    assert.ok((await actions()).includes('Ada unit.discarded'))
    await leave(page)
  })

  it('lists imports, and shows what one changed', async () => {
    const page = await goTo('/imports?brand=halden')
    const first = rowOf(page, 'File tags-1.ndjson')
    await first.waitFor()
    assert.match(await first.innerText(), /done[\s\S]*\s5\s+0\s+0\s+0\s+0$/)
    assert.match(await rowOf(page, 'File vendors.csv').innerText(), /\s2\s+0\s+0\s+2\s+\d$/)
    assert.match(await rowOf(page, 'File notes.csv').innerText(), /refused/)
    await page.getByRole('link', { name: 'File tags-1.ndjson' }).click()
    await page.getByRole('heading', { name: 'Differences' }).waitFor()
    const counts = page.getByRole('table', { name: 'What it changed' }).getByRole('row')
    assert.match(await counts.nth(1).innerText(), /^Tags\s+5\s+5\s+0\s+0\s+0\s+0$/)
    const [batch] = await units('--state', 'done', '--brand', 'aldermoor')
    await page.goto(`${operated.admin.url}/imports/${batch.id}`)
    await page.getByText('“stored” stands for added or changed').waitFor()
    assert.match(await rowOf(page, 'Good').innerText(), /^Good\s+Tags\s+stored/)
    await leave(page)
  })

  it('shows rows in quarantine by source and reason, with their cells', async () => {
    const page = await goTo('/quarantine?brand=halden')
    await page.getByRole('heading', { name: '2 rows', exact: true }).waitFor()
    const reason = page.locator('.admin-rows')
    assert.equal(await reason.count(), 1)
    assert.match(await reason.innerText(), /^STATUS is not listed in values[\s\S]*2 rows/)
    const row = page.locator('.admin-row').first()
    assert.match(await row.innerText(), /NO "2"[\s\S]*vendors\.csv, line 3[\s\S]*STATUS X/)
    await row.getByText('Row as received').click()
    await row.getByText('Silk').waitFor()
    assert.match(await row.innerText(), /NO\s+2\s+NAME\s+Silk\s+STATUS\s+X/)
    await page.getByLabel('Brand').selectOption('Aldermoor')
    await page.getByText('No rows are in quarantine.').waitFor()
    await leave(page)
  })

  it('downloads the correction file of rows', async () => {
    const page = await goTo('/quarantine?brand=halden')
    await page.getByRole('button', { name: 'List the files' }).click()
    const link = page.getByRole('link', { name: 'vendors.corrections.csv' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const text = readFileSync(await download.path(), 'utf8')
    assert.match(text, /^\ufeffNO,NAME,STATUS,selvedge_reason,selvedge_row\r\n2,Silk,X,/)
    assert.equal(download.suggestedFilename(), 'vendors.corrections.csv')
    await page.getByText('drop it into the watched folder').waitFor()
    await leave(page)
  })

  it('discards one row, and all of a brand once its name is typed', async () => {
    const page = await goTo('/quarantine?brand=halden')
    await page.getByRole('button', { name: 'List the files' }).click()
    const corrections = rowOf(page, 'vendors.corrections.csv')
    await corrections.getByRole('cell', { name: '2', exact: true }).waitFor()
    await page.locator('.admin-row').first().getByRole('button', { name: 'Discard' }).click()
    await page.getByText('They come in again only if their source sends them again.').waitFor()
    await confirm(page, 'Discard')
    await page.getByText('1 row is discarded.').waitFor()
    await corrections.getByRole('cell', { name: '1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard 1 row' }).click()
    const dialog = page.getByRole('dialog', { name: 'Discard 1 row?' })
    const button = dialog.getByRole('button', { name: 'Discard 1 row' })
    assert.equal(await button.isDisabled(), true)
    await dialog.getByRole('textbox').fill('halden')
    assert.deepEqual(await seriousFindings(page), [])
    await button.click()
    await page.getByText('No rows are in quarantine.').waitFor()
    const { stdout } = await operated.place.run(['intake', 'rows', '--brand', 'halden', '--json'])
    assert.equal(JSON.parse(stdout).total, 0)
    assert.ok((await actions()).includes('Ada rows.discarded'))
    await leave(page)
  })
})
