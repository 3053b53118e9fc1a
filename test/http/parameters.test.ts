/** Parameters of requests: which are refused, in which order, and how the response explains it. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { catalog, relationsOf, resourceAt } from '#contract'
import { absentValue, allFilters, eachOf, idOf, lists, recordsAt } from '../support/model.ts'
import { createRefusals } from '../support/refusals.ts'
import { openTestService } from '../support/service.ts'

// Behind a proxy, so that refusals can come from an address each and none is limited.
const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
after(() => service.close())
const { refused, refusedFor, total } = createRefusals(service)

describe('limit', () => {
  for (const value of [
    '0',
    '101',
    '1000',
    '-1',
    '-0',
    '1.5',
    '5.0',
    '1e1',
    '0x10',
    '%2B5',
    '+5',
    '%205',
    '5%20',
    '5%0A',
    '05',
    '005',
    '100.0',
    '',
    'abc',
    'true',
    'null',
    'NaN',
    'Infinity',
    '99999999999999999999',
    '%EF%BC%95',
    '%D9%A5',
    '1%00',
    '10,20',
    '[5]',
    '5;6',
  ]) {
    it(`refuses ${value || 'nothing'}`, () => refusedFor(`tags?limit=${value}`, 'limit'))
  }

  it('refuses to be named without a value', () => refusedFor('tags?limit', 'limit'))

  it('is refused in every list in the same words', () =>
    eachOf(lists, async ({ path }) => {
      const issue = 'must be a whole number from 1 to 100'
      assert.deepEqual(await refused(`${path}?limit=0`), [{ parameter: 'limit', issue }])
      assert.deepEqual(await refused(`${path}?limit=101`), [{ parameter: 'limit', issue }])
    }))
})

describe('a parameter', () => {
  const { filters } = resourceAt(catalog, 'orders')
  const names = ['limit', 'cursor', ...filters.map(({ name }) => name), 'include'].join(', ')
  const takes = `This path takes ${names}`

  it('that occurs twice is refused by name, in every filter', () =>
    eachOf(allFilters, async ({ resource: { path }, filter }) => {
      const value = absentValue(filter)
      const issue = 'must be given once only'
      const expected = [{ parameter: filter.name, issue }]
      const { name } = filter
      assert.deepEqual(await refused(`${path}?${name}=${value}&${name}=${value}`), expected)
      const other = filter.kind === 'integer' ? '1' : filter.kind === 'string' ? 'x' : idOf(1)
      assert.deepEqual(await refused(`${path}?${name}=${value}&limit=2&${name}=${other}`), expected)
    }))

  for (const twice of [
    'limit=5&limit=5',
    'limit=5&limit=6',
    'cursor=a&cursor=b',
    'limit=5&%6Cimit=5',
  ]) {
    it(`is refused as ${twice}`, () => refusedFor(`tags?${twice}`, twice.split('=')[0] ?? ''))
  }

  it('that is unknown is refused in every list and get', () =>
    eachOf(catalog.resources, async (resource) => {
      const { path, endpoints } = resource
      if (endpoints.includes('list')) await refusedFor(`${path}?nonsense=1`, 'nonsense')
      if (resource.lookup)
        await refusedFor('?nonsense=1'.replace('?', '/api/public/v1/brands/aldermoor?'), 'nonsense')
      else if (endpoints.includes('get')) {
        const id = path === 'countries' ? 'US' : idOf(1)
        await refusedFor(`${path}/${id}?nonsense=1`, 'nonsense')
        await refusedFor(`${path}/${id}?limit=1`, 'limit')
      }
    }))

  for (const [written, meant] of [
    ['Limit', 'limit'],
    ['LIMIT', 'limit'],
    ['limt', 'limit'],
    ['limits', 'limit'],
    ['curser', 'cursor'],
    ['supplierID', 'supplierId'],
    ['supplierid', 'supplierId'],
    ['suplierId', 'supplierId'],
    ['orderNumbr', 'orderNumber'],
    ['includes', 'include'],
    ['supplier_id', 'supplierId'],
    ['order-number', 'orderNumber'],
    ['OrderNumber', 'orderNumber'],
  ] as const) {
    it(`misspelled as ${written} gets ${meant} as a suggestion`, async () => {
      assert.deepEqual(await refused(`orders?${written}=x`), [
        { parameter: written, issue: `is not a parameter here; did you mean ${meant}? ${takes}` },
      ])
    })
  }

  it('that resembles several gets the most similar one as a suggestion', async () => {
    for (const { resource, filter } of allFilters) {
      // One letter too many at the end: the name itself is never further away than another.
      const [detail] = await refused(`${resource.path}?${filter.name}x=1`)
      const names = ['limit', 'cursor', ...resource.filters.map(({ name }) => name)]
      if (names.includes(`${filter.name}x`)) continue
      assert.match(
        detail?.issue ?? '',
        new RegExp(`did you mean ${filter.name}\\? This path takes limit, cursor, `),
        `${resource.path}?${filter.name}x`,
      )
    }
  })

  for (const [query, hint] of [
    ['orders?per_page=5', 'the number of records of a page is limit'],
    ['orders?pageSize=5', 'the number of records of a page is limit'],
    ['orders?page=2', 'the next page is at the nextCursor of this one: pass it as cursor'],
    ['orders?offset=20', 'the next page is at the nextCursor of this one: pass it as cursor'],
    ['orders?expand=supplier', 'records that are referred to are added by include'],
    [
      'orders?sort=-orderDate',
      'the query API takes it: /api/query/v1/brands/{brand}/orders?sort=…',
    ],
    [
      'orders?order_by=orderDate',
      'the query API takes it: /api/query/v1/brands/{brand}/orders?sort=…',
    ],
    [
      'orders?orderDate.gte=2026-01-01',
      'the query API takes it: /api/query/v1/brands/{brand}/orders?orderDate.gte=…',
    ],
    ['orders?memo=x', 'it is a field of orders, but lists are not filtered by it'],
    [
      'order-items?supplierId=x',
      'it is a filter of orders: list orders?supplierId=… and use orderId here',
    ],
    [
      'orders?itemType=product',
      'it is a filter of groups that refer to orders: order-items (see its orderId)',
    ],
  ] as const) {
    it(`of another API or group, as in ${query}, is refused with where it is`, async () => {
      const [detail] = await refused(query)
      const issue = detail?.issue ?? ''
      assert.ok(issue.startsWith(`is not a parameter here; ${hint}. This path takes `), issue)
      const { body } = await service.get(query)
      assert.ok(body.error.includes(hint), body.error)
    })
  }

  it('that is not a parameter of other groups either gets no such hint', async () => {
    const [tag] = await refused('tags?expand=x')
    assert.match(tag?.issue ?? '', /^is not a parameter here\. This path takes limit, cursor/)
    const [one] = await refused(`orders/${idOf(1)}?page=2`)
    assert.equal(one?.issue, 'is not a parameter here. This path takes include')
  })

  it('that resembles none gets the names of all parameters', async () => {
    assert.deepEqual(await refused('orders?banana=1&apple=2'), [
      { parameter: 'banana', issue: `is not a parameter here. ${takes}` },
      { parameter: 'apple', issue: 'is not a parameter here' },
    ])
    const { text } = await service.get(
      `orders?${Array.from({ length: 100 }, (_, place) => `banana${place}=1`).join('&')}`,
    )
    assert.ok(text.length < 32_768, `${text.length} characters`)
  })

  for (const [query, ...named] of [
    ['limit[]=5', 'limit[]'],
    ['limit%00=5', 'limit\0'],
    ['limit%20=5', 'limit '],
    ['+limit=5', ' limit'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['prototype=1', 'prototype'],
    ['toString=1', 'toString'],
    ['hasOwnProperty=1', 'hasOwnProperty'],
    ['__proto__[limit]=1', '__proto__[limit]'],
    ['%6Eame%3D=5', 'name='],
    ['%256Eame=5', '%6Eame'],
    ['name.x=5', 'name.x'],
    ['api_key=x', 'api_key'],
    ['access_token=x', 'access_token'],
  ] as const) {
    it(`named ${query} is not a parameter`, async () => {
      const [detail, ...more] = await refused(`tags?${query}`)
      assert.deepEqual([detail?.parameter, ...more], named)
      assert.match(detail?.issue ?? '', /^is not a parameter here/)
    })
  }

  it('without a name is refused', async () => {
    const { body } = await service.get('tags?=5')
    assert.equal(body.error, 'In the query a parameter has no name.')
    await refusedFor('tags?=5&limit=0&=', '', '', 'limit')
  })

  it('leaves the prototype of objects alone', async () => {
    for (const name of ['__proto__', '__proto__[polluted]', 'constructor[prototype][polluted]']) {
      assert.equal((await service.get(`tags?${encodeURIComponent(name)}=x&limit=1`)).status, 400)
    }
    const plain = {} as { [name: string]: unknown }
    for (const name of ['limit', 'polluted', 'name', 'x']) assert.equal(plain[name], undefined)
  })

  it('may have a percent-encoded name', async () => {
    assert.equal(await total('units-of-measure?%63ode=no+such'), 0)
    const [{ code = '' } = {}] = recordsAt('units-of-measure')
    assert.equal(await total(`units-of-measure?%63%6F%64%65=${encodeURIComponent(`${code}`)}`), 1)
  })

  it('is decoded once only', async () => {
    const [{ code = '' } = {}] = recordsAt('units-of-measure')
    const twice = encodeURIComponent(
      [...`${code}`].map((each) => `%${each.charCodeAt(0).toString(16)}`).join(''),
    )
    assert.equal(await total(`units-of-measure?code=${twice}`), 0)
  })

  for (const value of [
    '%',
    '%4',
    '%Z1',
    '%u0041',
    '%ff',
    '%C0%AF',
    '%C1%81',
    '%E0%80%AF',
    '%F5%80%80%80',
    '%F4%90%80%80',
    '%ED%A0%80',
    '%ED%B0%80',
    '%ED%A0%BD%ED%B7%B5',
    '%E6%97',
    'a%80b',
    '%FE%FF',
  ]) {
    it(`with the value ${value} is not UTF-8`, async () => {
      const expected = [{ parameter: 'code', issue: 'is not valid percent-encoded UTF-8' }]
      assert.deepEqual(await refused(`units-of-measure?code=${value}`), expected)
    })
    it(`with the name ${value} is not UTF-8`, async () => {
      const [detail] = await refused(`units-of-measure?${value}=x`)
      assert.deepEqual(detail, { parameter: value, issue: 'is not valid percent-encoded UTF-8' })
    })
  }

  it('with a NUL character is refused in every filter', () =>
    eachOf(allFilters, async ({ resource: { path }, filter: { name, kind } }) => {
      const [detail, ...more] = await refused(`${path}?${name}=a%00b`)
      assert.equal(detail?.parameter, name)
      assert.deepEqual(more, [])
      if (kind === 'string') assert.equal(detail.issue, 'must not contain a NUL character')
    }))

  it('with raw bytes beyond ASCII is refused, percent signs or not', async () => {
    const key = await service.key('aldermoor')
    for (const query of ['code=\xe9', 'code=\xc3\xa9', 'code=\xe9%41', 'code=\xe9+a', '\xe9=%41']) {
      const answer = await raw(`/api/public/v1/brands/aldermoor/units-of-measure?${query}`, key)
      assert.match(answer, /^HTTP\/1\.1 400 /, `${JSON.stringify(query)}: ${answer.slice(0, 90)}`)
    }
  })

  it('after an empty one is read: && and a trailing & mean nothing', async () => {
    assert.equal(await total('tags?'), 9)
    assert.equal(await total('tags?&'), 9)
    assert.equal(await total('tags?&&limit=1&&'), 9)
  })
})

/** What comes back for a request line that fetch would not send. */
const raw = (target: string, key: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
    })
    socket.on('close', () => resolve(text))
    const headers = `Host: x\r\nAuthorization: Bearer ${key}\r\nConnection: close`
    socket.write(Buffer.from(`GET ${target} HTTP/1.1\r\n${headers}\r\n\r\n`, 'latin1'))
  })

describe('a fragment in the request', () => {
  it('is never read as a part of the path, and never ignored', async () => {
    const key = await service.key('aldermoor')
    for (const tail of ['#', '#x', '#x?limit=3', '?limit=3#x', '?name=a#b', '/US#x']) {
      const answer = await raw(`/api/public/v1/brands/aldermoor/countries${tail}`, key)
      assert.match(answer, /^HTTP\/1\.1 (400|404) /, `${tail}: ${answer.slice(0, 800)}`)
    }
  })
})

describe('several problems', () => {
  it('are reported together: what cannot be decoded first, then in order', () =>
    refusedFor(
      'orders?limit=0&supplierId=X&nonsense=1&status=&orderNumber=%ff&currency=a%00&Limit=3',
      ...['orderNumber', 'currency', 'limit', 'supplierId', 'nonsense', 'status', 'Limit'],
    ))

  it('of include and others are reported together, as an invalid parameter', async () => {
    const details = await refused('orders?limit=0&include=nobody,supplier,supplier')
    assert.deepEqual(
      details.map(({ parameter }) => parameter),
      ['limit', 'include', 'include'],
    )
  })

  it('of a path and a query are reported together', async () => {
    const details = await refused('orders/NOT-AN-ID?limit=1&include=nobody')
    assert.deepEqual(
      details.map(({ parameter }) => parameter),
      ['id', 'limit', 'include'],
    )
  })

  it('are counted in the sentence', async () => {
    const { body } = await service.get('orders?limit=0&nonsense=1')
    assert.match(body.error, /There are 2 problems; see details\./)
  })

  it('are reported up to 50 of them', async () => {
    const query = Array.from({ length: 90 }, (_, index) => `wrong${index}=1`).join('&')
    const details = await refused(`tags?${query}`)
    assert.equal(details.length, 50)
  })

  it('beyond 100 parameters are not examined', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
    assert.equal((await refused(`tags?${many(100)}`)).length, 50)
    assert.deepEqual(await refused(`tags?${many(101)}`), [
      { parameter: '', issue: 'there are more than 100 parameters' },
    ])
    assert.deepEqual(await refused(`tags?${many(1_001)}`), [
      { parameter: '', issue: 'there are more than 100 parameters' },
    ])
  })

  it('echo no more than 100 characters of what was sent', async () => {
    const long = 'n'.repeat(3_000)
    for (const query of [`${long}=1`, `${long}=1&${long}=2`, `${long}=%ff`, `${long}%ff=1`]) {
      const { text } = await service.get(`tags?${query}`)
      assert.ok(text.length < 1_000, `${text.length} characters`)
    }
    const { text } = await service.get(`orders?include=${long}`)
    assert.ok(text.length < 1_000, `${text.length} characters`)
  })

  it('echo whole characters', async () => {
    const { body } = await service.get(`tags?${encodeURIComponent('🧵'.repeat(80))}n=1`)
    for (const { parameter } of body.details) assert.ok(parameter.isWellFormed(), parameter)
    const { body: odd } = await service.get(`tags?x${encodeURIComponent('🧵'.repeat(80))}n=1`)
    for (const { parameter } of odd.details) assert.ok(parameter.isWellFormed(), parameter)
  })
})

describe('include', () => {
  const withRelations = lists.filter((resource) => relationsOf(resource).length > 0)
  const without = lists.filter((resource) => relationsOf(resource).length === 0)

  it('is refused as unsupported where there is nothing to include', () =>
    eachOf(without, async ({ path, endpoints }) => {
      for (const value of ['brand', 'x', '', 'id']) {
        const details = await refused(`${path}?include=${value}`, 'unsupported_include')
        assert.equal(details[0]?.parameter, 'include')
      }
      if (!endpoints.includes('get')) return
      const id = path === 'countries' ? 'US' : idOf(1)
      await refused(`${path}/${id}?include=x`, 'unsupported_include')
    }))

  it('is refused as unsupported by the brand and the image content', async () => {
    await refused('/api/public/v1/brands/aldermoor?include=x', 'unsupported_include')
    await refused(`images/${idOf(1)}/content?include=uploadedBy`, 'unsupported_include')
  })

  it('is refused as unsupported for an unknown, repeated or empty relation', () =>
    eachOf(withRelations, async (resource) => {
      const { path } = resource
      const relations = relationsOf(resource)
      const [{ name = '', field = '' } = {}] = relations
      const others = ['brand', 'createdBy', 'order', 'tag'].filter((other) =>
        relations.every((relation) => relation.name !== other),
      )
      for (const value of [
        '',
        ',',
        `${name},`,
        `,${name}`,
        `${name},,${name}`,
        `${name},${name}`,
        name.toUpperCase(),
        field,
        `${name}.${name}`,
        `${name}%20`,
        `+${name}`,
        `${name};${name}`,
        '*',
        'all',
        '__proto__',
        'constructor',
        ...others,
      ]) {
        const details = await refused(`${path}?include=${value}`, 'unsupported_include')
        for (const { parameter } of details) assert.equal(parameter, 'include')
      }
      await refused(`${path}?include=${name}&include=${name}`, 'unsupported_include')
    }))

  it('does not reach people or nested references', async () => {
    await refused('production-runs?include=retractedByUser', 'unsupported_include')
    await refused('production-runs?include=retractedBy', 'unsupported_include')
    await refused('partners?include=defaultPaymentTerm', 'unsupported_include')
    await refused('partners?include=relationship.defaultPaymentTerm', 'unsupported_include')
  })

  it('lists the relations that are supported', async () => {
    const names = relationsOf(resourceAt(catalog, 'orders')).map(({ name }) => name)
    const [detail] = await refused('orders?include=nobody', 'unsupported_include')
    assert.equal(detail?.issue, `names "nobody", which is none of ${names.join(', ')}`)
  })
})

describe('the order of checks', () => {
  const at = (path: string) => `/api/public/v1/${path}`
  const bad = `slv_${'0'.repeat(43)}_000000`

  /** Each row breaks two rules; the first one met decides. */
  const rows: readonly (readonly [string, string, 'none' | 'bad' | 'brand' | 'global', string])[] =
    [
      ['unknown path, no key', at('nothing'), 'none', 'not_found'],
      ['unknown path below a brand, no key', at('brands/aldermoor/nothing'), 'none', 'not_found'],
      ['unknown path, bad key', at('brands/aldermoor/tags/x/y'), 'bad', 'not_found'],
      ['bad parameter, no key', at('brands/aldermoor/tags?limit=0'), 'none', 'missing_api_key'],
      ['bad parameter, bad key', at('brands/aldermoor/tags?limit=0'), 'bad', 'invalid_api_key'],
      ['bad parameter, other brand', at('brands/elsewhere/tags?limit=0'), 'brand', 'out_of_scope'],
      ['bad id, bad key', at('brands/aldermoor/tags/X'), 'bad', 'invalid_api_key'],
      ['unknown brand, bad parameter', at('brands/elsewhere/tags?limit=0'), 'global', 'not_found'],
      ['unknown brand, bad cursor', at('brands/elsewhere/tags?cursor=x'), 'global', 'not_found'],
      [
        'bad parameter, bad cursor',
        at('brands/aldermoor/tags?limit=0&cursor=x'),
        'brand',
        'invalid_parameter',
      ],
      [
        'unsupported include, bad cursor',
        at('brands/aldermoor/orders?include=x&cursor=x'),
        'brand',
        'unsupported_include',
      ],
      [
        'bad parameter, unknown record',
        at(`brands/aldermoor/tags/${idOf(1)}?limit=1`),
        'brand',
        'invalid_parameter',
      ],
      [
        'unsupported include, unknown record',
        at(`brands/aldermoor/orders/${idOf(1)}?include=x`),
        'brand',
        'unsupported_include',
      ],
    ]

  it('is path, key, brand, parameters, cursor, record', async () => {
    const keys = {
      none: null,
      bad,
      brand: await service.key('aldermoor'),
      global: await service.key(),
    }
    for (const [index, [faults, url, who, code]] of rows.entries()) {
      const headers = { 'x-forwarded-for': `10.0.0.${index}` }
      const { body } = await service.get(url, { key: keys[who], headers })
      assert.equal(body.errorCode, code, faults)
    }
  })

  it('checks the method before the key', async () => {
    const { status } = await service.get('tags?limit=0', { method: 'POST', key: null })
    assert.equal(status, 405)
    const { body } = await service.get('nothing', { method: 'POST', key: null })
    assert.equal(body.errorCode, 'not_found')
  })
})
