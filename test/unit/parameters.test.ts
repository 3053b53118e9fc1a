import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ApiError,
  type Catalog,
  catalog,
  groupScopeOf,
  type Resource,
  relationsOf,
  resourceAt,
  wholeScope,
} from '#contract'
import {
  feedParameters as feedParametersOf,
  getParameters as getParametersOf,
  listParameters as listParametersOf,
} from '../../src/request/parameters.ts'
import type { ParameterProblem } from '../../src/request/query-string.ts'
import { idParameter, pathIdParameter } from '../../src/request/record-id.ts'

/** For a key without limits. */
const listParameters = (resource: Resource) => {
  const read = listParametersOf(resource)
  return (query: string) => read(query, wholeScope)
}
const getParameters = (resource: Resource) => {
  const read = getParametersOf(resource)
  return (query: string, problem?: ParameterProblem) => read(query, problem, wholeScope)
}
const feedParameters = (served: Catalog) => {
  const read = feedParametersOf(served)
  return (query: string) => read(query, wholeScope)
}

const id = '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
const orderItems = resourceAt(catalog, 'order-items')
const orders = resourceAt(catalog, 'orders')
const one = catalog.resources.find((each) => relationsOf(each).length === 1) ?? orders
const tags = resourceAt(catalog, 'tags')
const countries = resourceAt(catalog, 'countries')
const integerFilter = catalog.resources
  .flatMap((resource) => resource.filters.map((filter) => ({ resource, filter })))
  .find(({ filter }) => filter.kind === 'integer')

/** The code and details of what a call throws. */
const refusal = (call: () => unknown): [string, unknown, string] => {
  try {
    call()
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return [error.code, error.details, error.message]
  }
  throw new assert.AssertionError({ message: 'It was not refused.' })
}

/** The parameters of a list beside include, as messages name them. */
const all = ({ filters }: typeof orders): string =>
  ['limit', 'cursor', ...filters.map(({ name }) => name)].join(', ')

const issue = (parameter: string, words: string) => ({ parameter, issue: words })

describe('the parameters of a request', () => {
  it('nothing asked for is the first page', () => {
    const { filters, ...rest } = listParameters(orders)('')
    assert.deepEqual([...filters], [])
    assert.deepEqual(rest, { limit: 25, cursor: null, include: [] })
  })

  it('limit, cursor, filters and include are read', () => {
    const read = listParameters(orderItems)(`limit=7&cursor=abc&orderId=${id}&include=sku,order`)
    assert.deepEqual([...read.filters], [['orderId', id]])
    assert.equal(read.limit, 7)
    assert.equal(read.cursor, 'abc')
    assert.deepEqual(
      read.include.map(({ name }) => name),
      ['sku', 'order'],
    )
    for (const limit of [1, 9, 10, 99, 100])
      assert.equal(listParameters(orders)(`limit=${limit}`).limit, limit)
  })

  it('a limit that is none is refused', () => {
    for (const text of ['0', '101', '-1', '1.5', '1e1', '05', '', '%205', 'abc', '1000'])
      assert.deepEqual(refusal(() => listParameters(orders)(`limit=${text}`)).slice(0, 2), [
        'invalid_parameter',
        [issue('limit', 'must be a whole number from 1 to 100')],
      ])
  })

  it('the feed takes a collection, a limit of its own, a cursor and a number', () => {
    const read = feedParameters(catalog)
    assert.deepEqual(read(''), { collection: null, limit: 100, cursor: null, after: null })
    assert.deepEqual(read('collection=order-items&limit=1000&cursor=abc&after=7'), {
      collection: 'order-items',
      limit: 1_000,
      cursor: 'abc',
      after: 7,
    })
  })

  it('the feed tells all that is wrong, once each', () => {
    const read = feedParameters(catalog)
    for (const limit of ['0', '1001', 'x', '']) {
      assert.deepEqual(refusal(() => read(`limit=${limit}`))[1], [
        issue('limit', 'must be a whole number from 1 to 1000'),
      ])
    }
    assert.deepEqual(refusal(() => read('cursor='))[1], [issue('cursor', 'must not be empty')])
    for (const after of ['-1', '1.5', 'x', '']) {
      assert.deepEqual(refusal(() => read(`after=${after}`))[1], [
        issue('after', 'must be the number of a change, or 0'),
      ])
    }
    assert.deepEqual(refusal(() => read('collection=order-item'))[1], [
      issue(
        'collection',
        'names "order-item", which is not a collection; did you mean order-items?',
      ),
    ])
    assert.deepEqual(refusal(() => read('collection=nothing-like-it'))[1], [
      issue('collection', 'names "nothing-like-it", which is not a collection'),
    ])
    assert.deepEqual(refusal(() => read('limt=1&limit=%ff&limit=2'))[1], [
      issue('limit', 'is not valid percent-encoded UTF-8'),
      issue('limit', 'must be given once only'),
      issue(
        'limt',
        'is not a parameter here; did you mean limit? This path takes limit, cursor, after, collection',
      ),
    ])
  })

  it('an empty cursor is refused', () => {
    assert.deepEqual(refusal(() => listParameters(orders)('cursor='))[1], [
      issue('cursor', 'must not be empty'),
    ])
  })

  it('identifiers are lower-case UUIDs', () => {
    for (const text of [id.toUpperCase(), `${id}0`, id.slice(1), `${id}%0A`, ''])
      assert.match(
        refusal(() => listParameters(orderItems)(`orderId=${text}`))[2],
        /^Parameter orderId must be a lower-case UUID; /,
      )
    const issues = (resource: Resource, query: string) =>
      refusal(() => listParameters(resource)(query))[1]
    assert.deepEqual(issues(orderItems, `orderId=${id.toUpperCase()}`), [
      issue('orderId', `must be a lower-case UUID; did you mean ${id}?`),
    ])
    assert.deepEqual(issues(orderItems, 'orderId=PO+55/12'), [
      issue(
        'orderId',
        'must be a lower-case UUID; use the id that orders?orderNumber=PO%2055%2F12 finds',
      ),
    ])
    assert.deepEqual(issues(orders, 'shipmentId=%ff&supplierId=Acme%0A'), [
      issue('shipmentId', 'is not valid percent-encoded UTF-8'),
      issue('supplierId', 'must be a lower-case UUID; use the id that suppliers?name=… finds'),
    ])
  })

  it('strings have 1 to 255 characters, counted as people count', () => {
    const read = listParameters(tags)
    const emoji = (count: number) => encodeURIComponent('😀'.repeat(count))
    for (const text of ['a', 'a'.repeat(255), emoji(255)])
      assert.equal(read(`code=${text}`).filters.get('code'), decodeURIComponent(text))
    for (const text of ['', 'a'.repeat(256), emoji(256), 'a'.repeat(511), `${emoji(254)}ab`])
      assert.deepEqual(refusal(() => read(`code=${text}`))[1], [
        issue('code', 'must have 1 to 255 characters'),
      ])
  })

  it('whole numbers have no leading zeros and an end', () => {
    assert.ok(integerFilter)
    const { resource, filter } = integerFilter
    const read = listParameters(resource)
    for (const value of [0, 7, 10, 2_147_483_647])
      assert.equal(read(`${filter.name}=${value}`).filters.get(filter.name), value)
    for (const text of ['', '00', '007', '-1', '1.0', '1e3', '2147483648', '99999999999'])
      assert.deepEqual(refusal(() => read(`${filter.name}=${text}`))[1], [
        issue(filter.name, 'must be a whole number from 0 to 2147483647 without leading zeros'),
      ])
  })

  it('an unknown parameter is named, with what may have been meant', () => {
    const read = listParameters(orders)
    const takes = `This path takes ${all(orders)}, include`
    assert.deepEqual(refusal(() => read('Limit=1'))[1], [
      issue('Limit', `is not a parameter here; did you mean limit? ${takes}`),
    ])
    assert.deepEqual(refusal(() => read('incude=1'))[1], [
      issue('incude', `is not a parameter here; did you mean include? ${takes}`),
    ])
    assert.deepEqual(refusal(() => read('unheardOf=1'))[1], [
      issue('unheardOf', `is not a parameter here. ${takes}`),
    ])
    assert.equal(relationsOf(one).length, 1)
    const get = getParameters(one)
    for (const refused of [listParameters(one), get]) {
      assert.deepEqual(refusal(() => refused('incude=1', undefined))[1], [
        issue(
          'incude',
          `is not a parameter here; did you mean include? This path takes ${refused === get ? 'include' : `${all(one)}, include`}`,
        ),
      ])
    }
    const bare = listParameters(tags)
    assert.deepEqual(refusal(() => bare('incude=1'))[1], [
      issue('incude', `is not a parameter here. This path takes ${all(tags)}`),
    ])
    const long = 'n'.repeat(120)
    assert.deepEqual(refusal(() => read(`${long}=1`))[1], [
      issue(`${'n'.repeat(100)}…`, `is not a parameter here. ${takes}`),
    ])
  })

  it('all problems are reported together, each once', () => {
    const [code, details] = refusal(() =>
      listParameters(orders)('limit=0&cursor=&include=nobody&code=%ff&limit=1'),
    )
    assert.equal(code, 'invalid_parameter')
    assert.deepEqual(details, [
      issue('code', 'is not valid percent-encoded UTF-8'),
      issue('limit', 'must be given once only'),
      issue('cursor', 'must not be empty'),
      issue(
        'include',
        `names "nobody", which is none of ${['supplier', 'quoteRevision', 'paymentTerm', 'destinationLocation'].join(', ')}`,
      ),
    ])
  })

  it('include is a list, with commas or repeated', () => {
    const names = (relations: readonly { name: string }[]) => relations.map(({ name }) => name)
    for (const [text, expected] of [
      ['include=sku&include=order', ['sku', 'order']],
      ['include=sku,order&include=productVersion', ['sku', 'order', 'productVersion']],
    ] as const) {
      assert.deepEqual(names(listParameters(orderItems)(text).include), expected)
      assert.deepEqual(names(getParameters(orderItems)(text, undefined)), expected)
    }
    for (const refused of [
      () => listParameters(orderItems)('include=sku&include=sku'),
      () => getParameters(orderItems)('include=sku&include=sku', undefined),
    ]) {
      assert.deepEqual(refusal(refused).slice(0, 2), [
        'unsupported_include',
        [issue('include', 'names sku more than once')],
      ])
    }
  })

  it('include names relations of the resource, each once', () => {
    const names = 'order, sku, productVersion'
    for (const [text, words] of [
      ['nobody', `names "nobody", which is none of ${names}`],
      ['', `names "", which is none of ${names}`],
      ['order,order', 'names order more than once'],
      [`${'n'.repeat(101)}`, `names "${'n'.repeat(100)}…", which is none of ${names}`],
    ] as const) {
      const expected = ['unsupported_include', [issue('include', words)]]
      const list = refusal(() => listParameters(orderItems)(`include=${text}`))
      assert.deepEqual(list.slice(0, 2), expected)
      const get = refusal(() => getParameters(orderItems)(`include=${text}`, undefined))
      assert.deepEqual(get.slice(0, 2), expected)
    }
    assert.deepEqual(refusal(() => listParameters(tags)('include=order')).slice(0, 2), [
      'unsupported_include',
      [issue('include', 'is not supported: tags has no relations')],
    ])
    assert.deepEqual(refusal(() => listParameters(orderItems)('include=%ff'))[1], [
      issue('include', 'is not valid percent-encoded UTF-8'),
    ])
    assert.deepEqual(refusal(() => getParameters(orderItems)('include=%ff', undefined))[1], [
      issue('include', 'is not valid percent-encoded UTF-8'),
    ])
  })

  it('a get takes include and nothing else', () => {
    assert.deepEqual(getParameters(orderItems)('', undefined), [])
    assert.deepEqual(
      getParameters(orderItems)('include=sku', undefined).map(({ name }) => name),
      ['sku'],
    )
    assert.deepEqual(refusal(() => getParameters(orderItems)('limit=1', undefined))[1], [
      issue('limit', 'is not a parameter here. This path takes include'),
    ])
    assert.deepEqual(refusal(() => getParameters(orderItems)('Include=sku', undefined))[1], [
      issue('Include', 'is not a parameter here; did you mean include? This path takes include'),
    ])
    assert.deepEqual(refusal(() => getParameters(tags)('limit=1', undefined))[1], [
      issue('limit', 'is not a parameter here: this path takes none'),
    ])
    const wrong = issue('id', 'must be a lower-case UUID')
    assert.deepEqual(refusal(() => getParameters(tags)('x=%ff', wrong))[1], [
      wrong,
      issue('x', 'is not valid percent-encoded UTF-8'),
    ])
    const long = 'n'.repeat(120)
    assert.deepEqual(refusal(() => getParameters(tags)(`${long}=1`, undefined))[1], [
      issue(`${'n'.repeat(100)}…`, 'is not a parameter here: this path takes none'),
    ])
  })

  it('an identity is checked by its kind', () => {
    assert.equal(idParameter(orders)(id), undefined)
    assert.deepEqual(
      idParameter(orders)(id.toUpperCase()),
      issue('id', `must be a lower-case UUID; did you mean ${id}?`),
    )
    assert.equal(idParameter(countries)('PT'), undefined)
    assert.deepEqual(
      idParameter(countries)('pt'),
      issue('id', 'must be two upper-case letters; did you mean PT?'),
    )
    assert.deepEqual(idParameter(countries)('p1'), issue('id', 'must be two upper-case letters'))
    const { idPattern: _, ...bare } = orders
    assert.equal(idParameter(bare)(id), undefined)
    assert.deepEqual(idParameter(bare)('x'), issue('id', 'must be a lower-case UUID'))
  })

  it('an identity in a path comes with the way to find a record by its title', () => {
    assert.equal(pathIdParameter(orders)(id), undefined)
    assert.deepEqual(
      pathIdParameter(orders)('PO-5512'),
      issue(
        'id',
        'must be a lower-case UUID; to find a record by its orderNumber, use orders?orderNumber=PO-5512 instead; to find it by any number, code or name, use /api/query/v1/brands/{brand}/search?q=PO-5512',
      ),
    )
    const { title: _, ...untitled } = orders
    assert.deepEqual(
      pathIdParameter(untitled)('a b'),
      issue(
        'id',
        'must be a lower-case UUID; to find a record by its number, code or name, use /api/query/v1/brands/{brand}/search?q=a%20b instead',
      ),
    )
    assert.deepEqual(
      pathIdParameter(orders)(''),
      issue('id', 'is missing; to list orders, leave out the slash at the end'),
    )
  })

  it('a get refuses what is wrong with its id, and every parameter but include', () => {
    const wrong = issue('id', 'is wrong')
    assert.deepEqual(refusal(() => getParameters(orders)('', wrong))[1], [wrong])
    assert.deepEqual(getParameters(orders)('', undefined), [])
    assert.match(refusal(() => getParameters(orders)('mutant', undefined))[2], /^Parameter mutant /)
  })

  it('a relation that is named by its field, its group or a similar name is suggested', () => {
    const relations = relationsOf(orderItems)
    const sku = relations.find(({ name }) => name === 'sku')
    assert.ok(sku)
    for (const text of [sku.field, sku.to, 'skuu']) {
      const [code, details] = refusal(() => listParameters(orderItems)(`include=${text}`))
      assert.equal(code, 'unsupported_include')
      const names = relations.map(({ name }) => name).join(', ')
      const words = `names "${text}", which is none of ${names}; did you mean sku?`
      assert.deepEqual(details, [issue('include', words)])
    }
    for (const resource of catalog.resources) {
      const names = new Set(relationsOf(resource).map(({ name }) => name))
      for (const { field, to } of relationsOf(resource)) {
        for (const text of [field, to]) {
          if (names.has(text)) continue
          const [, , message] = refusal(() => listParameters(resource)(`include=${text}`))
          const [, meant = ''] = /did you mean (\S+)\?/.exec(message) ?? []
          const relation = relationsOf(resource).find(({ name }) => name === meant)
          assert.ok(relation?.field === text || relation?.to === text, `${resource.path} ${text}`)
        }
      }
    }
    const [, details] = refusal(() => listParameters(orderItems)('include=weather'))
    assert.doesNotMatch(JSON.stringify(details), /did you mean/)
  })

  it('a group outside the scope of the key is refused, once everything else is right', () => {
    const scope = groupScopeOf({ onlyGroups: ['order-items', 'shipments'], withoutGroups: null })
    const shipments = resourceAt(catalog, 'shipments')
    const linked = shipments.filters.find(({ through }) => through)
    assert.ok(linked)
    for (const [read, path] of [
      [() => listParametersOf(orderItems)('include=order', scope), 'orders'],
      [() => listParametersOf(orders)('', scope), 'orders'],
      [() => getParametersOf(orderItems)('include=sku', undefined, scope), 'skus'],
      [
        () => listParametersOf(shipments)(`${linked.name}=${id}`, scope),
        linked.through?.collection,
      ],
      [() => feedParametersOf(catalog)('collection=orders', scope), 'orders'],
    ] as const) {
      const [code, , message] = refusal(read)
      assert.deepEqual([code, message], ['out_of_scope', `The API key may not read ${path}.`])
    }
    assert.equal(
      refusal(() => listParametersOf(orderItems)('include=order&limit=0', scope))[0],
      'invalid_parameter',
    )
    assert.equal(listParametersOf(orderItems)(`orderId=${id}`, scope).filters.size, 1)
    assert.deepEqual(getParametersOf(orderItems)('', undefined, scope), [])
    assert.equal(feedParametersOf(catalog)('', scope).collection, null)
  })

  it('several collections that may be meant are listed', () => {
    const [, details] = refusal(() => feedParameters(catalog)('collection=shipment'))
    assert.match(JSON.stringify(details), /did you mean [a-z-]+(, [a-z-]+)+\?/)
  })
})
