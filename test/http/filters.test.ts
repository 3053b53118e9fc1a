/** Filters and parameters: what they find, and what is refused of them. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import { catalog, type Filter, type Resource, relationsOf, resourceAt } from '#contract'
import {
  absentValue,
  brandRecord,
  eachOf,
  idOf,
  inOrder,
  lists,
  passes,
  queryOf,
  recordsAt,
  seeded,
  valuesOf,
  walk,
} from '../support/model.ts'
import { openTestService } from '../support/service.ts'

// Behind a proxy, so that refusals can come from an address each and none is limited.
const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
after(() => service.close())

const allFilters = lists.flatMap((resource) =>
  resource.filters.map((filter) => ({ resource, filter })),
)
const ofKind = (kind: Filter['kind']) => allFilters.filter(({ filter }) => filter.kind === kind)

interface Detail {
  readonly parameter: string
  readonly issue: string
}

/** A request that must be refused for its parameters. Answers what is said of them. */
const refused = async (
  path: string,
  code = 'invalid_parameter',
): Promise<readonly [...Detail[]]> => {
  const { status, body } = await service.get(path)
  const said = `${path.slice(0, 200)} → ${status} ${JSON.stringify(body).slice(0, 300)}`
  assert.equal(status, 400, said)
  assert.equal(body.errorCode, code, said)
  assert.ok(Array.isArray(body.details) && body.details.length > 0, said)
  assert.ok(body.details.length <= 50, said)
  for (const { parameter, issue } of body.details as Detail[]) {
    assert.equal(typeof parameter, 'string', said)
    assert.ok(parameter.length <= 101, said)
    assert.match(issue, /^\S.*\S$/su, said)
  }
  return body.details
}

const refusedFor = async (path: string, ...parameters: readonly string[]): Promise<void> => {
  const details = await refused(path)
  const named = details.map(({ parameter }) => parameter)
  assert.deepEqual(named, parameters, path.slice(0, 200))
}

const total = async (path: string): Promise<number> => {
  const { status, body, text } = await service.get(path)
  assert.equal(status, 200, `${path.slice(0, 200)} → ${text.slice(0, 300)}`)
  return body.totalItems
}

describe('each filter', () => {
  it('is one of 464: 212 by text, 251 by identifier, one by number', () => {
    assert.deepEqual(
      [allFilters.length, ofKind('string').length, ofKind('identifier').length],
      [464, 212, 251],
    )
    assert.deepEqual(
      ofKind('integer').map(({ resource, filter }) => `${resource.path}.${filter.name}`),
      ['production-runs.runNumber'],
    )
  })

  it('finds exactly what the model finds, for every value in the story', () =>
    eachOf(allFilters, async ({ resource, filter }) => {
      const { path } = resource
      for (const value of valuesOf(resource, filter)) {
        const expected = recordsAt(path).filter((record) => passes(record, filter, value))
        const { items, totals } = await walk(service, path, { [filter.name]: value, limit: 4 })
        const where = `${path}?${filter.name}=${value}`
        assert.deepEqual(items, expected, where)
        assert.deepEqual([...new Set(totals)], [expected.length], where)
      }
    }))

  it('finds nothing for a value that is not in the story', () =>
    eachOf(allFilters, async ({ resource, filter }) => {
      const { text } = await service.get(`${resource.path}?${filter.name}=${absentValue(filter)}`)
      assert.equal(text, '{"items":[],"nextCursor":null,"totalItems":0}')
    }))

  it('has a value in the story for most, so that the model was worth asking', () => {
    const idle = allFilters.filter(({ resource, filter }) => valuesOf(resource, filter).length < 1)
    assert.ok(idle.length < 40, idle.map(({ filter }) => filter.name).join())
  })
})

describe('filters together', () => {
  const pairsOf = (resource: Resource): readonly (readonly [Filter, Filter])[] =>
    resource.filters.flatMap((a, index) =>
      resource.filters.slice(index + 1).map((b) => [a, b] as const),
    )

  it('narrow the result to what passes each of them, in every pair', () => {
    const draw = seeded(464)
    const pairs = lists.flatMap((resource) =>
      pairsOf(resource).map(([a, b]) => ({ resource, a, b })),
    )
    return eachOf(pairs, async ({ resource, a, b }) => {
      const records = recordsAt(resource.path)
      // A record's own values, so that most pairs find something; now and then a stranger's.
      const valueFor = (filter: Filter) => {
        const values = valuesOf(resource, filter)
        const likely = values.filter((value) =>
          passes(records[draw(records.length)] ?? {}, filter, value),
        )
        const from = likely.length > 0 && draw(4) > 0 ? likely : values
        return from[draw(from.length)] ?? absentValue(filter)
      }
      const [first, second] = [valueFor(a), valueFor(b)]
      const expected = records.filter(
        (record) => passes(record, a, first) && passes(record, b, second),
      )
      const parameters = { [a.name]: first, limit: 5, [b.name]: second }
      const { items, totals } = await walk(service, resource.path, parameters)
      const where = `${resource.path}?${queryOf(parameters)}`
      assert.deepEqual(items, expected, where)
      assert.deepEqual([...new Set(totals)], [expected.length], where)
    })
  })

  it('narrow it in threes and with all there are', () => {
    const draw = seeded(3)
    return eachOf(lists, async (resource) => {
      const records = recordsAt(resource.path)
      for (const take of [3, resource.filters.length]) {
        const record = records[draw(records.length)] ?? {}
        const chosen = [...resource.filters]
          .sort(() => draw(3) - 1)
          .flatMap((filter) => {
            const value = valuesOf(resource, filter).find((each) => passes(record, filter, each))
            return value === undefined ? [] : [{ filter, value }]
          })
          .slice(0, take)
        const expected = records.filter((each) =>
          chosen.every(({ filter, value }) => passes(each, filter, value)),
        )
        const parameters = Object.fromEntries(
          chosen.map(({ filter, value }) => [filter.name, value]),
        )
        const { items, totals } = await walk(service, resource.path, { ...parameters, limit: 2 })
        const where = `${resource.path}?${queryOf(parameters)}`
        assert.ok(items.length > 0 || chosen.length === 0, where)
        assert.deepEqual(items, expected, where)
        assert.equal(totals[0], expected.length, where)
      }
    })
  })
})

describe('a string filter', () => {
  const names = [
    'Core',
    'core',
    'CORE',
    ' Core',
    'Core ',
    'Core  ',
    'Co re',
    'Core\t',
    'Core\n',
    'é', // one character
    'e\u0301', // two that look the same
    'É',
    'Ａ', // full width
    'A',
    'а', // Cyrillic
    'a',
    'ß',
    'SS',
    'ss',
    'İ',
    'i',
    'I',
    'ı',
    'a\u200bb',
    'ab',
    '\ufeffab',
    'ﬁ',
    'fi',
    '日本',
    '🧵',
    '🧵🧵',
    '%',
    '_',
    'a%',
    'a_',
    '*',
    '?',
    '\\',
    '\\\\',
    "'",
    "''",
    '"',
    '`',
    ';--',
    '/*',
    '$1',
    '?1',
    ':name',
    '@name',
    "' OR 1=1--",
    '{"$ne":1}',
    '*)(uid=*',
    `\${7*7}`,
    '[a]',
    '^Core$',
    '1',
    '1.0',
    '01',
    '+1',
    '1e0',
    'null',
    'undefined',
    'true',
    'NaN',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '&',
    '=',
    '+',
    '#',
    '/',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\uffff',
    '\u{10ffff}',
    'x'.repeat(255),
    '🧵'.repeat(255),
    '日'.repeat(255),
  ]
  const tags = inOrder(
    ['id'],
    names.map((name, index) => ({ ...recordsAt('tags')[0], id: idOf(index + 1), name })),
  )
  const base = '/api/public/v1/brands/exact/tags'
  const open = (async () => {
    await service.write('exact', { brand: [brandRecord('exact', 9)], tags })
    return service.key('exact')
  })()

  it('matches exactly: no case, no trimming, no normalising, no wildcards', async () => {
    const key = await open
    assert.equal(new Set(names).size, names.length)
    await eachOf(names, async (name) => {
      const { status, body, text } = await service.get(`${base}?name=${encodeURIComponent(name)}`, {
        key,
      })
      assert.equal(status, 200, text.slice(0, 200))
      assert.deepEqual(
        body.items,
        tags.filter((tag) => tag['name'] === name),
        name.slice(0, 20),
      )
      assert.equal(body.totalItems, 1)
    })
  })

  it('takes spaces and metacharacters literally in all 212 filters', () => {
    const metacharacters = ['%', '_', '*', "'", '"', "' OR 1=1--", '\\', ';--', '$1', '\u0001']
    return eachOf(ofKind('string'), async ({ resource, filter }) => {
      for (const value of metacharacters) {
        const query = `${resource.path}?${filter.name}=${encodeURIComponent(value)}`
        assert.equal(await total(query), 0, query)
      }
    })
  })

  it('reads + as a space, and %2B as a plus', async () => {
    const key = await open
    const found = async (query: string) =>
      (await service.get(`${base}?${query}`, { key })).body.items.map(
        ({ name }: { name: string }) => name,
      )
    assert.deepEqual(await found('name=Co+re'), ['Co re'])
    assert.deepEqual(await found('name=Co%20re'), ['Co re'])
    assert.deepEqual(await found('name=Core+'), ['Core '])
    assert.deepEqual(await found('name=%2B'), ['+'])
    assert.deepEqual(await found('name=%2B1'), ['+1'])
  })

  it('takes 1 to 255 characters, counted as people count them', () =>
    eachOf(ofKind('string'), async ({ resource: { path }, filter: { name } }) => {
      for (const [value, accepted] of [
        ['a', true],
        ['🧵', true],
        ['x'.repeat(255), true],
        ['🧵'.repeat(255), true],
        ['', false],
        ['x'.repeat(256), false],
        ['🧵'.repeat(256), false],
        [`${'🧵'.repeat(255)}x`, false],
        ['x'.repeat(5_000), false],
      ] as const) {
        const query = `${path}?${name}=${encodeURIComponent(value)}`
        if (accepted) await total(query)
        else await refusedFor(query, name)
      }
    }))
})

describe('an identifier filter', () => {
  const id = 'a3bb189e-8bf9-3888-9912-ace4e6543002'

  it('takes a lower-case UUID, the nil one too', () =>
    eachOf(ofKind('identifier'), async ({ resource: { path }, filter: { name } }) => {
      assert.equal(await total(`${path}?${name}=00000000-0000-0000-0000-000000000000`), 0)
      assert.equal(await total(`${path}?${name}=${id}`), 0)
    }))

  it('refuses everything else, naming itself', () => {
    const bad = [
      '',
      id.toUpperCase(),
      `{${id}}`,
      id.replaceAll('-', ''),
      id.slice(1),
      `${id}0`,
      `${id}%0A`,
      `%0A${id}`,
      ` ${id}`,
      `${id}+`,
      `urn:uuid:${id}`,
      id.replace('a', 'g'),
      id.replace('3', '３'),
      id.replaceAll('-', '_'),
      'null',
      '1',
      `${id},${id}`,
      '*',
    ]
    return eachOf(ofKind('identifier'), async ({ resource: { path }, filter: { name } }) => {
      for (const value of bad) {
        await refusedFor(`${path}?${name}=${value.replace('３', '%EF%BC%93')}`, name)
      }
    })
  })
})

describe('the integer filter', () => {
  it('takes whole numbers from 0 to 2147483647', async () => {
    for (const value of ['0', '7', '10', '2147483647', '2147483646']) {
      assert.equal(await total(`production-runs?runNumber=${value}`), 0, value)
    }
    assert.equal(await total('production-runs?runNumber=1'), 1)
  })

  for (const value of [
    '00',
    '007',
    '01',
    '-1',
    '-0',
    '%2B1',
    '+1',
    '2147483648',
    '9999999999',
    '4294967297',
    '21474836470',
    '00000000001',
    '1.0',
    '1.',
    '.5',
    '1e3',
    '1E0',
    '0x1',
    '1_0',
    '1,0',
    '%201',
    '1%20',
    '1%0A',
    '1%00',
    '',
    'one',
    'true',
    'null',
    'NaN',
    'Infinity',
    '%EF%BC%91',
    '%D9%A1',
    '%C2%B2',
  ]) {
    it(`refuses ${value || 'nothing'}`, () =>
      refusedFor(`production-runs?runNumber=${value}`, 'runNumber'))
  }
})

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
  it('given twice is refused by name, whichever of the 464 filters it is', () =>
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

  it('that is not known is refused in every list and get', () =>
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
  ] as const) {
    it(`misspelled as ${written} is answered with ${meant}`, async () => {
      assert.deepEqual(await refused(`orders?${written}=x`), [
        { parameter: written, issue: `is not a parameter here; did you mean ${meant}?` },
      ])
    })
  }

  it('that resembles several is answered with the one it resembles most', async () => {
    for (const { resource, filter } of allFilters) {
      // One letter too many at the end: the name itself is never further away than another.
      const [detail] = await refused(`${resource.path}?${filter.name}x=1`)
      const names = ['limit', 'cursor', ...resource.filters.map(({ name }) => name)]
      if (names.includes(`${filter.name}x`)) continue
      assert.match(
        detail?.issue ?? '',
        new RegExp(`did you mean ${filter.name}\\?$`),
        `${resource.path}?${filter.name}x`,
      )
    }
  })

  it('that resembles nothing gets the names of all that there are', async () => {
    const { filters } = resourceAt(catalog, 'orders')
    const names = ['limit', 'cursor', ...filters.map(({ name }) => name), 'include'].join(', ')
    assert.deepEqual(await refused('orders?banana=1'), [
      { parameter: 'banana', issue: `is not a parameter here; this path takes ${names}` },
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

  it('without a name is refused as that', async () => {
    const { body } = await service.get('tags?=5')
    assert.equal(body.error, 'In the query a parameter has no name.')
    await refusedFor('tags?=5&limit=0&=', '', '', 'limit')
  })

  it('leaves the prototype of objects alone', () => {
    const plain = {} as { [name: string]: unknown }
    for (const name of ['limit', 'polluted', 'name', 'x']) assert.equal(plain[name], undefined)
  })

  it('may be percent-encoded in its name', async () => {
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

  it('with a NUL character is refused in all 464 filters', () =>
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
  it('is never taken for a part of the path or hidden from the judgement', async () => {
    const key = await service.key('aldermoor')
    for (const tail of ['#', '#x', '#x?limit=3', '?limit=3#x', '?name=a#b', '/US#x']) {
      const answer = await raw(`/api/public/v1/brands/aldermoor/countries${tail}`, key)
      assert.match(answer, /^HTTP\/1\.1 (400|404) /, `${tail}: ${answer.slice(0, 800)}`)
    }
  })
})

describe('several faults', () => {
  it('are all told at once, in the order they were given', () =>
    refusedFor(
      'orders?limit=0&supplierId=X&nonsense=1&status=&orderNumber=%ff&currency=a%00&Limit=3',
      ...['orderNumber', 'currency', 'limit', 'supplierId', 'nonsense', 'status', 'Limit'],
    ))

  it('of include and others are told together, as an invalid parameter', async () => {
    const details = await refused('orders?limit=0&include=nobody,supplier,supplier')
    assert.deepEqual(
      details.map(({ parameter }) => parameter),
      ['limit', 'include', 'include'],
    )
  })

  it('of a path and a query are told together', async () => {
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

  it('are told up to 50 of them', async () => {
    const query = Array.from({ length: 90 }, (_, index) => `wrong${index}=1`).join('&')
    const details = await refused(`tags?${query}`)
    assert.equal(details.length, 50)
  })

  it('beyond 100 parameters are not even looked at', async () => {
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

  it('is refused as unsupported for what is no relation, repeated or empty', () =>
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

  it('says which relations there are', async () => {
    const names = relationsOf(resourceAt(catalog, 'orders')).map(({ name }) => name)
    const [detail] = await refused('orders?include=nobody', 'unsupported_include')
    assert.equal(detail?.issue, `names "nobody", which is none of ${names.join(', ')}`)
  })
})

describe('the order of judgement', () => {
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

  it('asks for the method before the key', async () => {
    const { status } = await service.get('tags?limit=0', { method: 'POST', key: null })
    assert.equal(status, 405)
    const { body } = await service.get('nothing', { method: 'POST', key: null })
    assert.equal(body.errorCode, 'not_found')
  })
})
