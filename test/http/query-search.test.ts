/** Search over HTTP: what it finds, for whom, and what it refuses. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, queryBasePath, resourceAt } from '#contract'
import { sharedOwner } from '#store'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestResponse, type TestService } from '../support/service.ts'

interface Item {
  readonly group: string
  readonly id?: string
  readonly title: string
  readonly field: string
  readonly value: string
  readonly match: string
  readonly url: string
  readonly record: { readonly [name: string]: unknown }
}

describe('search', () => {
  let service: TestService
  let key: string
  let foreign: string
  before(async () => {
    service = await openTestService()
    const [tag] = recordsAt('tags')
    await service.write('birkholm', {
      brand: [brandRecord('birkholm', 901)],
      tags: [
        { ...tag, id: idOf(902), name: 'Costa of birkholm' },
        ...Array.from({ length: 60 }, (_, n) => ({
          ...tag,
          id: idOf(910 + n),
          name: 'Quixotic A',
        })),
      ],
    })
    key = await service.key('aldermoor')
    foreign = await service.key('birkholm')
  })
  after(() => service.close())

  const ask = (query: string, options: object = {}, brand = 'aldermoor'): Promise<TestResponse> =>
    service.get(`${queryBasePath}/brands/${brand}/search?${query}`, { key, ...options })
  const itemsOf = async (query: string): Promise<readonly Item[]> => {
    const { status, body, text } = await ask(query)
    assert.equal(status, 200, text)
    return body.items
  }
  const issuesOf = async (query: string): Promise<Record<string, string>> => {
    const { status, body } = await ask(query)
    assert.equal(status, 400, query)
    const details: readonly { parameter: string; issue: string }[] = body.details
    return Object.fromEntries(details.map(({ parameter, issue }) => [parameter, issue]))
  }

  it('finds an order by its number, with its record byte for byte', async () => {
    const { text, body } = await ask('q=po+5512')
    assert.equal(Object.keys(body).join(), 'query,items,isComplete')
    assert.equal(body.query, 'po 5512')
    const [order]: Item[] = body.items
    assert.ok(order)
    assert.equal(Object.keys(order).join(), 'group,id,title,field,value,match,url,record')
    assert.deepEqual(
      [order.group, order.title, order.field, order.value, order.match],
      ['orders', 'PO-5512', 'orderNumber', 'PO-5512', 'exact'],
    )
    assert.equal(order.url, `${basePath}/brands/aldermoor/orders/${order.id}`)
    const record = await service.get(order.url, { key })
    assert.equal(record.status, 200)
    assert.ok(text.includes(`"record":${record.text}}`))
  })

  it('finds every record of every group by each of its searchable values', async () => {
    for (const { path, searchable, key: identity } of catalog.resources) {
      for (const record of recordsAt(path).slice(0, 3)) {
        for (const field of searchable) {
          const value = (record as { [name: string]: string | null })[field]
          if (!value || !/[\p{L}\p{N}]{3}/u.test(value)) continue
          const query = encodeURIComponent([...value].slice(0, 100).join(''))
          const items = await itemsOf(`q=${query}&groups=${path}&limit=50`)
          assert.ok(
            items.some((item) =>
              identity.every((name) => item.record[name] === (record as never)[name]),
            ),
            `${path} ${field} ${value}`,
          )
        }
      }
    }
  })

  it('has the supplier before a country that begins alike', async () => {
    const groups = (await itemsOf('q=costa&limit=50')).map(({ group }) => group)
    assert.ok(groups.includes('suppliers') && groups.includes('countries'))
    assert.ok(groups.indexOf('suppliers') < groups.indexOf('countries'))
  })

  it('ignores case and accents, and finds shared records too', async () => {
    const [country] = await itemsOf('q=CÔTE%20d%27ivoire')
    assert.deepEqual([country?.group, country?.id], ['countries', 'CI'])
    assert.equal(country?.url, `${basePath}/brands/aldermoor/countries/CI`)
  })

  it('answers with the same bytes for the same query, and 304 until something changes', async () => {
    const first = await ask('q=costa')
    const tag = first.headers.get('etag') ?? ''
    assert.equal((await ask('q=costa')).text, first.text)
    const headers = { 'if-none-match': tag }
    assert.equal((await ask('q=costa', { headers })).status, 304)
    assert.equal((await ask('q=costa&limit=1', { headers })).status, 200)
    await service.write('birkholm', { tags: [{ ...recordsAt('tags')[0], id: idOf(903) }] })
    assert.equal((await ask('q=costa', { headers })).status, 304)
    const [courier] = recordsAt('couriers')
    await service.write(sharedOwner, { couriers: [{ ...courier, name: 'Costa Lines' }] })
    const changed = await ask('q=costa', { headers })
    assert.equal(changed.status, 200)
    assert.ok(changed.body.items.some(({ value }: Item) => value === 'Costa Lines'))
  })

  it('finds nothing of another brand, and answers only its keys', async () => {
    assert.ok(!(await ask('q=costa&limit=50')).text.includes('birkholm'))
    const own = await ask('q=costa&groups=tags', { key: foreign }, 'birkholm')
    assert.deepEqual(
      own.body.items.map(({ id }: Item) => id),
      [idOf(902)],
    )
    assert.equal((await ask('q=costa', { key: foreign })).body.errorCode, 'out_of_scope')
    assert.equal((await ask('q=costa', { key: null })).body.errorCode, 'missing_api_key')
    assert.equal((await ask('q=costa', {}, 'nowhere')).status, 401)
  })

  it('is not crowded out by records of other brands, and does not count them', async () => {
    const [tag] = recordsAt('tags')
    await service.write('aldermoor', { tags: [{ ...tag, id: idOf(990), name: 'Quixotic Z' }] })
    const { body } = await ask('q=quixotic&limit=1')
    assert.deepEqual(
      [body.items.map(({ title }: Item) => title), body.isComplete],
      [['Quixotic Z'], true],
    )
  })

  it('says whether there is more', async () => {
    assert.equal((await ask('q=PO-5512')).body.isComplete, true)
    const { body } = await ask('q=a&limit=3')
    assert.deepEqual([body.items.length, body.isComplete], [3, false])
  })

  it('finds nothing without complaint', async () => {
    const { status, body } = await ask('q=zzzzzz')
    assert.equal(status, 200)
    assert.deepEqual(body, { query: 'zzzzzz', items: [], isComplete: true })
  })

  it('refuses what it does not understand, and says all of it', async () => {
    assert.match((await issuesOf(''))['q'] ?? '', /^is missing: .*q=PO-5512/)
    assert.deepEqual(await issuesOf('q='), { q: 'must not be empty' })
    assert.deepEqual(await issuesOf('q=%20-%20'), { q: 'must have a letter or a digit' })
    assert.deepEqual(await issuesOf(`q=${'x'.repeat(101)}`), {
      q: 'must have at most 100 characters',
    })
    assert.equal((await ask(`q=${encodeURIComponent('𠀀'.repeat(100))}`)).status, 200)
    const issues = await issuesOf('q=&limit=51&groups=ordrs,order-shipments&page=2')
    assert.equal(issues['limit'], 'must be a whole number from 1 to 50')
    assert.match(issues['groups'] ?? '', /order-shipments.*no numbers, codes or names/)
    assert.match(issues['page'] ?? '', /is not a parameter here/)
    assert.equal(
      (await issuesOf('q=a&groups=ordrs'))['groups'],
      'names "ordrs", which is not a group; did you mean orders?',
    )
    assert.deepEqual(await issuesOf('q=a&q=b'), { q: 'must be given once only' })
  })

  it('searches the groups that are named, by commas or again and again', async () => {
    for (const groups of ['groups=partners,suppliers', 'groups=partners&groups=suppliers']) {
      const items = await itemsOf(`q=costa&${groups}`)
      assert.deepEqual([...new Set(items.map(({ group }) => group))].sort(), [
        'partners',
        'suppliers',
      ])
    }
  })

  it('follows what is changed and removed', async () => {
    const resource = resourceAt(catalog, 'tags')
    const tag = { ...recordsAt('tags')[0], id: idOf(950), name: 'Quokka' }
    await service.write('aldermoor', { tags: [tag] })
    assert.equal((await itemsOf('q=quokka')).length, 1)
    await service.records.store.write('aldermoor', async (writer) => {
      await writer.stageRemoval(resource, [[idOf(950)]])
      await writer.merge(resource)
    })
    assert.equal((await itemsOf('q=quokka')).length, 0)
  })
})
