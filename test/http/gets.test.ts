/** Single records, and the records that `include` adds to them and to lists. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, type Resource, referencesOf, relationsOf } from '#contract'
import type { DemoRecord } from '#demo'
import { brandRecord, eachOf, idOf, keyOf, lists, recordsAt, walk } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())

const gets = catalog.resources.filter(
  ({ endpoints, lookup }) => endpoints.includes('get') && !lookup,
)
const idOfRecord = ({ key }: Resource, record: DemoRecord) => keyOf(key, record).join()
const absentId = ({ path }: Resource) => (path === 'countries' ? 'ZZ' : idOf(0))

const notFound =
  '{"error":"The record does not exist or is not available to this brand.","errorCode":"not_found"}'

describe('a get', () => {
  it('is by UUID, except for countries', () => {
    assert.deepEqual(
      gets.filter(({ key }) => key[0] !== 'id').map(({ path }) => path),
      ['countries'],
    )
  })

  it('by its number is refused with how to find it, and a slash too many is named', async () => {
    for (const [path, sentence] of [
      [
        'orders/PO-5512',
        'Parameter id must be a lower-case UUID; to find a record by its orderNumber, use orders?orderNumber=PO-5512 instead; to find it by any number, code or name, use /api/query/v1/brands/{brand}/search?q=PO-5512.',
      ],
      ['orders/', 'Parameter id is missing; to list orders, leave out the slash at the end.'],
    ] as const) {
      const { status, body } = await service.get(path)
      assert.deepEqual([status, body.error], [400, sentence], path)
    }
  })

  it('by its number is refused with a search that finds it', async () => {
    const { body } = await service.get('orders/PO-5512')
    const [, search = ''] = /use (\S+\/search\?q=\S+)\.$/.exec(body.error) ?? []
    const { status, body: results } = await service.get(search.replace('{brand}', 'aldermoor'))
    assert.equal(status, 200)
    assert.deepEqual([results.items[0].group, results.items[0].value], ['orders', 'PO-5512'])
  })

  it('of a group that is misspelled names the one that was meant, with a key or without', async () => {
    const base = '/api/public/v1/brands/aldermoor'
    const all = '/api/public/v1/openapi.json lists all paths.'
    for (const [path, hint] of [
      [`${base}/ordrs`, `Did you mean orders? ${all}`],
      [`${base}/orderItems`, `Did you mean order-items? ${all}`],
      [`${base}/order_items?limit=1`, `Did you mean order-items? ${all}`],
      [`${base}/orderitem`, `Did you mean order-items? ${all}`],
      [`${base}/OrderItem/1`, `Did you mean order-items? ${all}`],
      [`${base}/purchase-orders`, `Did you mean orders? ${all}`],
      [`${base}/Orders/${'x'.repeat(4_000)}`, `Did you mean orders? ${all}`],
      [`${base}/nothing-like-it`, `There is no such group. ${all}`],
      [`${base}/${'o'.repeat(8_000)}`, `There is no such group. ${all}`],
      [`${base}/orders/x/y`, all],
      ['/api/public/v1/', all],
      ['/api/public/v1/nothing', all],
      ['/api/nothing', all],
      ['/api/public/v1/brands', `/whoami lists the brands of your key. ${all}`],
    ] as const) {
      for (const options of [{ key: null }, {}]) {
        const { status, body } = await service.get(path, options)
        assert.equal(status, 404, path.slice(0, 80))
        assert.equal(body.error, `There is nothing at this path. ${hint}`)
      }
    }
    const { body } = await service.get('/elsewhere')
    assert.equal(body.error, 'There is nothing at this path.')
  })

  it('with another prefix names the path that was meant, with a key or without', async () => {
    const base = '/api/public/v1/brands'
    for (const [path, meant] of [
      ['/api/public/v1/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/api/public/v1/brand/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/api/public/v1/Brands/aldermoor/order_items', `${base}/aldermoor/order-items`],
      ['/api/public/v2/brands/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/api/public/v1.3/brands/aldermoor', `${base}/aldermoor`],
      ['/api/public/brands/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/api/v1/brands/aldermoor/orders/PO-5512?limit=1', `${base}/aldermoor/orders/PO-5512`],
      ['/v1/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/aldermoor-2/orderItems', `${base}/aldermoor-2/order-items`],
      ['/API/PUBLIC/V1/BRANDS/aldermoor/orders', `${base}/aldermoor/orders`],
      ['/api/public/v1/orders', `${base}/{brand}/orders`],
      ['/orders', `${base}/{brand}/orders`],
      ['/api/orders/PO-5512', `${base}/{brand}/orders/PO-5512`],
      // What cannot be a brand or an id is not repeated.
      ['/api/public/v2/brands/Al%20der/orders/%3Cb%3E', `${base}/{brand}/orders`],
    ] as const) {
      for (const options of [{ key: null }, {}]) {
        const { status, body } = await service.get(path, options)
        assert.equal(status, 404, path)
        assert.equal(
          body.error,
          `There is nothing at this path. Did you mean ${meant}? /api/public/v1/openapi.json lists all paths.`,
          path,
        )
      }
    }
  })

  it('is not offered where the identity is made of several fields', () =>
    eachOf(
      catalog.resources.filter(({ key }) => key.length > 1),
      async ({ path, key }) => {
        const [record] = recordsAt(path)
        for (const part of keyOf(key, record ?? {})) {
          const { body } = await service.get(`${path}/${encodeURIComponent(part)}`)
          assert.equal(body.errorCode, 'not_found')
          assert.equal(
            body.error,
            `There is nothing at this path. ${path} has no records by id: a record is identified by ${key.join(' and ')}. Use its list with filters.`,
          )
        }
      },
    ))

  it('gives every record of the story byte for byte: each field, in order, digit for digit', () =>
    eachOf(gets, async (resource) => {
      for (const record of recordsAt(resource.path)) {
        const { status, text } = await service.get(
          `${resource.path}/${idOfRecord(resource, record)}`,
        )
        assert.equal(status, 200, text)
        assert.equal(text, JSON.stringify(record))
      }
    }))

  it('gives the brand itself', async () => {
    const [brand] = recordsAt('brand')
    const { status, text } = await service.get('')
    assert.equal(status, 200)
    assert.equal(text, JSON.stringify(brand))
  })

  it('gives the same bytes as the list does', () =>
    eachOf(gets, async (resource) => {
      const { text } = await service.get(`${resource.path}?limit=1`)
      const [record] = recordsAt(resource.path)
      assert.ok(text.startsWith(`{"items":[${JSON.stringify(record)}]`), resource.path)
    }))

  it('keeps amounts, big whole numbers, odd texts and any JSON as they were supplied', async () => {
    const odd = {
      ...recordsAt('order-items')[0],
      id: idOf(1),
      unitPrice: '0.10000000000000000000000000000001',
      unitPriceBase: '-0.0',
      duty: '123456789012345678901234567890.00',
      qty: 9_007_199_254_740_991,
      itemDescription: ' \u2028 "quoted" \\ / é e\u0301 🧵 </script> \u007f ',
      memo: '',
    }
    const amendment = {
      ...recordsAt('order-amendments')[0],
      id: idOf(2),
      data: { b: [1, 1.5, -0.25, 1e21, null, true, { '': '' }], a: 'ü', '10': 1, '9': 2 },
    }
    await service.write('odd', {
      brand: [brandRecord('odd', 1)],
      'order-items': [odd],
      'order-amendments': [amendment],
    })
    const key = await service.key('odd')
    const ask = (path: string) => service.get(`/api/public/v1/brands/odd/${path}`, { key })
    assert.equal((await ask(`order-items/${idOf(1)}`)).text, JSON.stringify(odd))
    assert.equal((await ask(`order-amendments/${idOf(2)}`)).text, JSON.stringify(amendment))
  })

  it('of a record that does not exist is the same 404 everywhere', () =>
    eachOf(gets, async (resource) => {
      const { status, text } = await service.get(`${resource.path}/${absentId(resource)}`)
      assert.equal(status, 404)
      assert.equal(text, notFound)
    }))

  it('of another brand’s record is that 404, to the byte', async () => {
    await service.write('other', {
      brand: [brandRecord('other', 2)],
      tags: [{ ...recordsAt('tags')[0], id: idOf(77) }],
    })
    const own = await service.get(`tags/${idOf(77)}`)
    const nobody = await service.get(`tags/${idOf(78)}`)
    assert.deepEqual([own.status, own.text], [404, notFound])
    const headers = ({ headers }: typeof own) =>
      [...headers].filter(([name]) => !/^(date|x-request-id|ratelimit|server-timing)$/.test(name))
    assert.deepEqual(headers(own), headers(nobody))
  })

  it('with a malformed id is refused, naming id', () => {
    const id = 'a3bb189e-8bf9-3888-9912-ace4e6543002'
    const inOtherNotation = [
      id.toUpperCase(),
      `%7B${id}%7D`,
      id.replaceAll('-', ''),
      `${id}%0A`,
      `%20${id}`,
      `urn:uuid:${id}`,
    ]
    const bad = [
      ...inOtherNotation,
      id.slice(1),
      `${id}0`,
      id.replace('a', 'g'),
      'null',
      '0',
      '*',
      '%27',
      '__proto__',
      'constructor',
      '%00',
      '%C3%A9',
      'x'.repeat(5_000),
      `${id}%2Fcontent`,
    ]
    return eachOf(
      gets.filter(({ path }) => path !== 'countries'),
      async ({ path, title, filters }) => {
        const isFilter = filters.some(({ name, kind }) => name === title && kind === 'string')
        const hintFor = (text: string) => {
          if (inOtherNotation.includes(text)) return `; did you mean ${id}?`
          const value = text === '%00' || text.length > 100 ? '…' : text.replace('*', '%2a')
          const search = `/api/query/v1/brands/{brand}/search?q=${value}`
          return isFilter
            ? `; to find a record by its ${title}, use ${path}?${title}=${value} instead; to find it by any number, code or name, use ${search}`
            : `; to find a record by its number, code or name, use ${search} instead`
        }
        for (const each of bad) {
          const { status, body } = await service.get(`${path}/${each}`)
          const where = `${path}/${each.slice(0, 60)}`
          assert.equal(status, 400, where)
          assert.equal(body.errorCode, 'invalid_parameter', where)
          assert.deepEqual(
            body.details,
            [{ parameter: 'id', issue: `must be a lower-case UUID${hintFor(each)}` }],
            where,
          )
        }
      },
    )
  })

  it('of a country takes two upper-case letters, however they are encoded', async () => {
    const us = recordsAt('countries').find(({ code }) => code === 'US')
    for (const id of ['US', 'U%53', '%55%53', '%55S']) {
      const { status, text } = await service.get(`countries/${id}`)
      assert.equal(status, 200, id)
      assert.equal(text, JSON.stringify(us), id)
    }
    for (const id of [
      'us',
      'Us',
      'USA',
      'U',
      'U1',
      '01',
      'U%20',
      'U+',
      '%20US',
      'US%0A',
      'Ü',
      'ＵＳ',
    ]) {
      const { status, body } = await service.get(`countries/${encodeURI(decodeURI(id))}`)
      assert.equal(status, 400, id)
      const text = decodeURIComponent(id)
      const value = text.endsWith('\n') ? '…' : encodeURIComponent(text)
      const hint = /^us$/i.test(text)
        ? 'did you mean US?'
        : `to find a record by its name, use countries?name=${value} instead; to find it by any number, code or name, use /api/query/v1/brands/{brand}/search?q=${value}`
      assert.deepEqual(
        body.details,
        [{ parameter: 'id', issue: `must be two upper-case letters; ${hint}` }],
        id,
      )
    }
    assert.equal((await service.get('countries/ZZ')).status, 404)
  })

  it('takes no query parameter but include', () =>
    eachOf(gets, async (resource) => {
      const [record = {}] = recordsAt(resource.path)
      const path = `${resource.path}/${idOfRecord(resource, record)}`
      for (const name of ['limit', 'cursor', 'fields', resource.filters[0]?.name ?? 'x', 'id']) {
        const { status, body } = await service.get(`${path}?${name}=1`)
        assert.equal(status, 400, `${path}?${name}=1`)
        assert.equal(body.details[0].parameter, name)
      }
      assert.equal((await service.get(`${path}?`)).status, 200)
    }))

  it('takes none for the brand and the image content', async () => {
    for (const path of ['/api/public/v1/brands/aldermoor', `images/${idOf(1)}/content`]) {
      const { status, body } = await service.get(`${path}?limit=1`)
      assert.equal(status, 400)
      assert.deepEqual(body.details, [
        { parameter: 'limit', issue: 'is not a parameter here: this path takes none' },
      ])
    }
  })
})

describe('include', () => {
  const relations = catalog.resources.flatMap((resource) =>
    relationsOf(resource).map((relation) => ({ resource, relation })),
  )
  const targets = new Map(
    catalog.resources.map(({ path, key }) => [
      path,
      new Map(recordsAt(path).map((record) => [keyOf(key, record).join(), record])),
    ]),
  )
  const targetOf = (record: DemoRecord, field: string, to: string): DemoRecord | null => {
    const reference = record[field]
    return typeof reference === 'string' ? (targets.get(to)?.get(reference) ?? null) : null
  }

  it('adds to each record of a list exactly the record referred to, or null', () =>
    eachOf(relations, async ({ resource, relation }) => {
      const { name, field, to } = relation
      const { items } = await walk(service, resource.path, { include: name, limit: 6 })
      const expected = recordsAt(resource.path).map((record) => ({
        ...record,
        [name]: targetOf(record, field, to),
      }))
      assert.equal(JSON.stringify(items), JSON.stringify(expected), `${resource.path}.${name}`)
      for (const [index, record] of expected.entries()) {
        const included = items[index]?.[name] ?? null
        if (record[field as keyof typeof record] !== null) {
          assert.notEqual(included, null, `${resource.path}.${name}`)
        }
      }
    }))

  it('adds the same to a single record', () =>
    eachOf(
      relations.filter(({ resource }) => gets.includes(resource)),
      async ({ resource, relation: { name, field, to } }) => {
        for (const record of recordsAt(resource.path).slice(0, 4)) {
          const path = `${resource.path}/${idOfRecord(resource, record)}`
          const { text } = await service.get(`${path}?include=${name}`)
          assert.equal(text, JSON.stringify({ ...record, [name]: targetOf(record, field, to) }))
        }
      },
    ))

  it('adds several at once, in the order they were asked for, after the record’s own fields', () =>
    eachOf(lists, async (resource) => {
      const all = relationsOf(resource)
      if (all.length < 2) return
      for (const chosen of [all, [...all].reverse(), all.slice(0, 2)]) {
        const names = chosen.map(({ name }) => name)
        const { body } = await service.get(`${resource.path}?limit=3&include=${names.join(',')}`)
        const expected = recordsAt(resource.path)
          .slice(0, 3)
          .map((record) => ({
            ...record,
            ...Object.fromEntries(
              chosen.map(({ name, field, to }) => [name, targetOf(record, field, to)]),
            ),
          }))
        assert.equal(JSON.stringify(body.items), JSON.stringify(expected), resource.path)
        assert.deepEqual(Object.keys(body.items[0]), [...Object.keys(resource.fields), ...names])
      }
    }))

  it('takes its commas encoded too', async () => {
    const plain = await service.get('order-items?limit=1&include=order,sku')
    const encoded = await service.get('order-items?limit=1&include=order%2Csku')
    assert.equal(encoded.status, 200, encoded.text)
    assert.equal(encoded.text, plain.text)
  })

  it('may be repeated, which means the same as commas, in the answer and its ETag', async () => {
    const id = recordsAt('order-items')[0]?.['id']
    for (const path of ['order-items?limit=1&', `order-items/${id}?`]) {
      const plain = await service.get(`${path}include=order,sku,productVersion`)
      for (const query of [
        'include=order&include=sku&include=productVersion',
        'include=order,sku&include=productVersion',
      ]) {
        const repeated = await service.get(path + query)
        assert.equal(repeated.status, 200, repeated.text)
        assert.equal(repeated.text, plain.text)
        assert.equal(repeated.headers.get('etag'), plain.headers.get('etag'))
        assert.equal(repeated.headers.get('link'), plain.headers.get('link'))
        const again = await service.get(path + query, {
          headers: { 'if-none-match': plain.headers.get('etag') ?? '' },
        })
        assert.equal(again.status, 304)
      }
    }
    const { headers } = await service.get('order-items?limit=1&include=order&include=sku')
    assert.match(headers.get('link') ?? '', /[?&]include=order%2Csku&cursor=[\w-]+>/)
  })

  it('given twice with the same name is refused, as is any other parameter that is repeated', async () => {
    for (const [query, code] of [
      ['include=order&include=order', 'unsupported_include'],
      ['include=order,sku&include=order', 'unsupported_include'],
      ['include=order&include=', 'unsupported_include'],
      ['limit=1&limit=1', 'invalid_parameter'],
      ['category=a&category=b', 'invalid_parameter'],
    ] as const) {
      const { status, body } = await service.get(`order-items?${query}`)
      assert.deepEqual([status, body.errorCode], [400, code], query)
    }
  })

  it('goes with filters of both kinds and with cursors', async () => {
    const [first] = recordsAt('product-tags')
    const tagId = `${first?.['tagId']}`
    const { items } = await walk(service, 'parent-products', {
      tagId,
      include: 'category',
      limit: 1,
    })
    assert.ok(items.length > 0)
    for (const item of items) {
      const record = recordsAt('parent-products').find(({ id }) => id === item['id']) ?? {}
      const category = targetOf(record, 'categoryId', 'categories')
      assert.equal(JSON.stringify(item), JSON.stringify({ ...record, category }))
    }
  })

  it('adds null where the record referred to is not there', async () => {
    await service.write('loose', {
      brand: [brandRecord('loose', 3)],
      'order-items': [{ ...recordsAt('order-items')[0], id: idOf(1), orderId: idOf(2) }],
    })
    const key = await service.key('loose')
    const { body } = await service.get(
      '/api/public/v1/brands/loose/order-items?include=order,sku,productVersion',
      { key },
    )
    const [{ order, sku, productVersion }] = body.items
    assert.deepEqual([order, sku, productVersion], [null, null, null])
  })

  it('never adds another brand’s record', async () => {
    const [order] = recordsAt('orders')
    await service.write('borrowing', {
      brand: [brandRecord('borrowing', 4)],
      'order-items': [{ ...recordsAt('order-items')[0], id: idOf(1), orderId: `${order?.['id']}` }],
    })
    const key = await service.key('borrowing')
    const path = '/api/public/v1/brands/borrowing/order-items'
    const list = await service.get(`${path}?include=order`, { key })
    assert.equal(list.body.items[0].order, null)
    const get = await service.get(`${path}/${idOf(1)}?include=order`, { key })
    assert.equal(get.body.order, null)
  })

  it('is not offered for references inside objects, nor for people', () =>
    eachOf(catalog.resources, async (resource) => {
      const { path, fields, lookup } = resource
      if (lookup) return
      const offered = new Set(relationsOf(resource).map(({ name }) => name))
      const nested = referencesOf(resource)
        .filter(({ field }) => field.includes('.'))
        .flatMap(({ field }) => [
          field,
          field.replace(/Id$/, ''),
          `${field.split('.').at(-1)}`.replace(/Id$/, ''),
        ])
      const people = Object.entries(fields)
        .filter(([, { kind }]) => kind === 'person')
        .flatMap(([name]) => [name, name.replace(/Id$/, ''), name.replace(/UserId$/, '')])
      for (const name of [...nested, ...people].filter((each) => !offered.has(each))) {
        const { status, body } = await service.get(`${path}?include=${name}`)
        assert.equal(status, 400, `${path}?include=${name}`)
        assert.equal(body.errorCode, 'unsupported_include')
      }
    }))
})
