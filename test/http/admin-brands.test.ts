/** The operator page adds, lists, updates and removes brands as the commands do. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OperatorBrand, OperatorBrands } from '#contract'
import { openTestAdmin, type SignedIn, type TestAdmin } from '../support/admin-service.ts'
import { openSandbox } from '../support/command.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`brands on the operator page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    let browser: SignedIn
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      admin = await openTestAdmin(url ? { DATABASE_URL: url } : {})
      browser = await admin.signIn('anna')
    })
    after(async () => {
      await admin.close()
      await postgres?.close()
    })

    const brands = async () => (await browser.ask('/api/brands')).body as OperatorBrands
    const add = (body: object) => browser.ask('/api/brands', { method: 'POST', body })
    const remove = (slug: string, body: object) =>
      browser.ask(`/api/brands/${slug}`, { method: 'DELETE', body })
    const lastEntry = async () => (await admin.entries()).at(-1)

    it('are added with the codes of the command, in the name of the operator', async () => {
      const added = await add({
        slug: 'one',
        name: 'One',
        country: 'DE',
        timezone: 'Europe/Berlin',
      })
      assert.equal(added.status, 200, added.text)
      assert.equal(added.body.countryCode, 'DE')
      assert.equal(added.body.baseCurrencyCode, 'USD')
      assert.equal(added.body.timezone, 'Europe/Berlin')
      const { items, total, nextCursor } = await brands()
      assert.deepEqual([total, nextCursor], [1, null])
      const [one] = items
      assert.deepEqual(
        [one?.slug, one?.name, one?.own, one?.checks, one?.findings],
        ['one', 'One', 1, { default: 'enforce', exceptions: {} }, null],
      )
      assert.ok(Number(one?.aboutBytes) > 0)
      assert.match(one?.changedAt ?? '', /^\d{4}-\d\d-\d\dT/)
      const entry = await lastEntry()
      assert.deepEqual([entry?.action, entry?.brand], ['brand.added', 'one'])
      assert.deepEqual([entry?.actor, entry?.actorKind], ['anna', 'operator'])
    })

    it('are refused with the sentence of the command', async () => {
      const place = openSandbox(admin.databaseUrl)
      const refusals = [
        [{ slug: 'One', name: 'x' }, 400, ['brands', 'add', 'One', '--name', 'x']],
        [{ slug: 'one', name: 'x' }, 409, ['brands', 'add', 'one', '--name', 'x']],
        [
          { slug: 'two', name: 'x', country: 'XX' },
          400,
          ['brands', 'add', 'two', '--name', 'x', '--country', 'XX'],
        ],
      ] as const
      for (const [body, status, args] of refusals) {
        const refused = await add(body)
        assert.equal(refused.status, status, refused.text)
        const { stderr, code } = await place.run(args)
        assert.equal(code, 1)
        assert.ok(stderr.endsWith(`${refused.body.error}\n`), stderr)
      }
      assert.equal((await brands()).total, 1)
      place.close()
    })

    it('get other checks, and so do the shared records', async () => {
      const patch = (slug: string, checks: string) =>
        browser.ask(`/api/brands/${slug}`, { method: 'PATCH', body: { checks } })
      const updated = await patch('one', 'currency=warn')
      assert.equal(updated.status, 200, updated.text)
      const checks = { default: 'enforce', exceptions: { currency: 'warn' } }
      assert.deepEqual(updated.body.checks, checks)
      assert.deepEqual((await brands()).items[0]?.checks, checks)
      assert.equal((await patch('*', 'warn')).body.brand, '*')
      assert.equal((await brands()).sharedChecks.default, 'warn')
      assert.equal((await lastEntry())?.actor, 'anna')
      const wrong = await patch('one', 'colour=warn')
      assert.deepEqual([wrong.status, wrong.body.errorCode], [400, 'invalid_parameter'])
      assert.match(wrong.body.error, /^There is no check colour\./)
      assert.equal((await patch('none', 'warn')).status, 404)
    })

    it('have published views, with the sentences of the command', async () => {
      const place = openSandbox(admin.databaseUrl)
      const path = '/api/brands/one/views'
      const publish = (body: object) => browser.ask(path, { method: 'POST', body })
      const link = 'https://console.example/brands/one/orders?view=late&limit=25&saved=Late'
      const published = await publish({ link })
      assert.equal(published.status, 200, published.text)
      const late = { name: 'Late', group: 'orders', query: 'view=late', problem: null }
      assert.deepEqual(published.body, late)
      const entry = await lastEntry()
      assert.deepEqual(
        [entry?.action, entry?.brand, entry?.subject, entry?.actor],
        ['view.published', 'one', 'Late', 'anna'],
      )
      const refusals = [
        [{ link }, 409, [link]],
        [{ name: 'x', link: link.replace('one', 'two') }, 400, null],
        [{ name: 'x', group: 'orders', query: 'nonsense=1' }, 400, null],
        [{ name: 'x', link: 'javascript:alert(1)//brands/one/orders' }, 400, null],
        [{ name: 'x', group: 'orders', query: 'a'.repeat(20_000) }, 400, null],
        [{ name: 'x', group: 'orders', query: 'a'.repeat(1_000_000) }, 413, undefined],
      ] as const
      for (const [body, status, args] of refusals) {
        const refused = await publish(body)
        assert.equal(refused.status, status, refused.text)
        if (args === undefined) continue
        const { name = '', group = '', query = '', link: from } = body as Record<string, string>
        const list = from ? [from] : ['--group', group, '--query', query]
        const named = name ? ['--name', name] : []
        const ran = await place.run(['views', 'add', '--brand', 'one', ...named, ...list])
        assert.ok(ran.stderr.endsWith(`${refused.body.error}\n`), ran.stderr)
      }
      assert.deepEqual((await browser.ask(path)).body, { items: [late], nextCursor: null })
      const removed = await browser.ask(path, { method: 'DELETE', body: { name: 'Late' } })
      assert.equal(removed.status, 204, removed.text)
      assert.deepEqual((await lastEntry())?.action, 'view.removed')
      const again = await browser.ask(path, { method: 'DELETE', body: { name: 'Late' } })
      assert.equal(again.status, 404)
      assert.equal((await browser.ask('/api/brands/none/views')).status, 404)
      place.close()
    })

    it('are removed after the slug was repeated, with what belongs to them', async () => {
      await add({ slug: 'two', name: 'Two' })
      await browser.ask('/api/keys', { method: 'POST', body: { name: 'k', brands: ['two'] } })
      const shown = await browser.ask('/api/brands/two/removal?images=true')
      assert.deepEqual(
        [shown.body.records, shown.body.images, shown.body.keys.length],
        [1, 0, 1],
        shown.text,
      )
      assert.equal((await browser.ask('/api/brands/two/removal')).body.images, null)
      for (const body of [{}, { confirm: 'one' }]) {
        assert.equal((await remove('two', body)).status, 400)
      }
      const removed = await remove('two', { confirm: 'two', images: true })
      assert.equal(removed.status, 200, removed.text)
      assert.deepEqual([removed.body.removed, removed.body.records], [true, 1])
      assert.deepEqual(
        (await brands()).items.map(({ slug }) => slug),
        ['one'],
      )
      const entry = await lastEntry()
      assert.deepEqual([entry?.action, entry?.actor], ['brand.removed', 'anna'])
      assert.equal((await remove('two', { confirm: 'two' })).status, 404)
    })
  })
}

describe('the list of brands', () => {
  let admin: TestAdmin
  let browser: SignedIn
  before(async () => {
    admin = await openTestAdmin()
    browser = await admin.signIn()
  })
  after(() => admin.close())

  it('has pages of 200, from stored statistics', async () => {
    const { store } = admin.records
    const slugs = Array.from({ length: 205 }, (_, n) => `brand-${String(n).padStart(3, '0')}`)
    for (const slug of slugs) {
      await browser.ask('/api/brands', { method: 'POST', body: { slug, name: slug } })
    }
    const listed: OperatorBrand[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const page = (await browser.ask(`/api/brands${query}`)).body as OperatorBrands
      assert.equal(page.total, 205)
      listed.push(...page.items)
      cursor = page.nextCursor
    }
    assert.deepEqual(
      listed.map(({ slug }) => slug),
      slugs,
    )
    assert.deepEqual(
      listed.map(({ slug, records, own }) => [slug, records, own]),
      (await store.brands()).map(({ slug, records, own }) => [slug, records, own]),
    )
    const wrong = await browser.ask('/api/brands?cursor=x')
    assert.deepEqual([wrong.status, wrong.body.errorCode], [400, 'invalid_parameter'])
  })

  it('has the sources, the quarantined rows and the findings of a brand', async () => {
    const { store } = admin.records
    await store.sources.update(
      'brand-000',
      { kind: 'watch', name: '/in' },
      { state: 'failing', error: 'x', waiting: 3 },
    )
    await store.quality.store('brand-000', [], true)
    const { items } = (await browser.ask('/api/brands')).body as OperatorBrands
    assert.deepEqual(items[0]?.sources, {
      ...{ total: 1, failing: 1, waiting: 3, quarantined: 0, quarantinedRows: 0 },
    })
    assert.deepEqual(items[1]?.sources, {
      ...{ total: 0, failing: 0, waiting: 0, quarantined: 0, quarantinedRows: 0 },
    })
    const listed = await browser.ask('/api/sources?brand=brand-000')
    assert.deepEqual(
      listed.body.items.map(({ name, state }: { name: string; state: string }) => [name, state]),
      [['/in', 'failing']],
    )
  })
})
