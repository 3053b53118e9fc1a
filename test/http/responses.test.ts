/** The check that all answers are held against: it must fail where the contract is left. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertAnswer, type Checkable, operationAt } from '../support/answers.ts'
import { openTestService, type TestService } from '../support/service.ts'

const orders = '/api/public/v1/brands/aldermoor/orders'

/** The same answer with some of it changed. */
const altered = (
  answer: Checkable,
  {
    status = answer.status,
    headers = {},
    change = (text) => text,
  }: {
    status?: number
    headers?: { readonly [name: string]: string | null }
    change?: (text: string) => string
  },
): Checkable => {
  const all = new Headers([...(answer.headers as Headers)])
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name)
    else all.set(name, value)
  }
  const text = change(answer.text)
  return { status, headers: all, text, body: text === '' ? null : JSON.parse(text) }
}

describe('the check of answers', () => {
  let service: TestService
  let list: Checkable
  let page: Checkable
  let refused: Checkable
  before(async () => {
    service = await openTestService()
    list = await service.get(orders)
    page = await service.get(`${orders.replace('orders', 'skus')}?limit=1`)
    refused = await service.get(`${orders}?limit=0`)
  })
  after(() => service.close())

  it('knows every operation by its path, and nothing else', () => {
    assert.equal(operationAt(orders)?.id, 'listOrders')
    assert.equal(operationAt(`${orders}/x`)?.id, 'getOrder')
    assert.equal(operationAt('/api/public/v1/brands/x')?.id, 'getBrand')
    assert.equal(operationAt('/api/public/v1/brands/x/images/y/content')?.id, 'getImageContent')
    for (const path of ['/', '/healthz', `${orders}/`, `${orders}/x/y`, '/api/public/v1/brands/']) {
      assert.equal(operationAt(path), undefined, path)
    }
  })

  const takes = (url: string, answer: Checkable) => assertAnswer('GET', url, answer)
  const refuses = (url: string, answer: Checkable) =>
    assert.throws(() => assertAnswer('GET', url, answer), assert.AssertionError)

  it('takes what the contract has', () => {
    takes(orders, list)
    takes(`${orders}?limit=0`, refused)
  })

  it('refuses another status, and a body of another shape', () => {
    refuses(orders, altered(list, { status: 202 }))
    refuses(orders, altered(list, { status: 404 }))
    for (const [from, to] of [
      ['"totalItems":', '"total":'],
      ['"items":[', '"rows":[],"items":['],
      ['"orderNumber":', '"number":'],
      ['"orderNumber":"', '"orderNumber":7,"x":"'],
    ] as const) {
      assert.ok(list.text.includes(from), from)
      refuses(orders, altered(list, { change: (text) => text.replace(from, to) }))
    }
    refuses(orders, altered(list, { change: () => '' }))
  })

  it('refuses a header too few, one too many, and one that says something else', () => {
    for (const name of ['etag', 'vary', 'ratelimit', 'x-request-id', 'content-type']) {
      refuses(orders, altered(list, { headers: { [name]: null } }))
    }
    for (const headers of [
      { 'x-powered-by': 'chance' },
      { 'set-cookie': 'a=b' },
      { 'cache-control': 'public' },
      { 'content-type': 'application/json' },
      { etag: 'W/"x"' },
    ]) {
      refuses(orders, altered(list, { headers: headers as { [name: string]: string } }))
    }
  })

  it('refuses a link without a next page, a next page without a link, and another one', () => {
    const skus = `${orders.replace('orders', 'skus')}?limit=1`
    takes(skus, page)
    refuses(skus, altered(page, { headers: { link: null } }))
    refuses(skus, altered(page, { headers: { link: '</other?cursor=x>; rel="next"' } }))
    refuses(orders, altered(list, { headers: { link: '</x?cursor=x>; rel="next"' } }))
  })

  it('holds answers of the query API against its document, refusals included', async () => {
    const url = '/api/query/v1/brands/aldermoor/orders?sort=supplier'
    const answer = await service.get(url)
    takes(url, answer)
    refuses(url, altered(answer, { status: 422 }))
    refuses(url, altered(answer, { headers: { 'content-type': 'text/csv' } }))
    refuses(url, altered(answer, { change: (text) => text.replace('"issue":', '"why":') }))
    const file = '/api/query/v1/brands/aldermoor/orders/download?format=csv'
    const { status, headers, text } = await service.get(file)
    const csv = { status, headers, text, body: text }
    takes(file, csv)
    const others = new Headers([...headers])
    others.set('content-type', 'text/plain')
    refuses(file, { ...csv, headers: others })
  })

  it('refuses an error that is none of the list, or not of its status', () => {
    const url = `${orders}?limit=0`
    for (const [from, to] of [
      ['invalid_parameter', 'no_such_code'],
      ['invalid_parameter', 'not_found'],
      ['"error":', '"message":'],
      ['"errorCode":', '"stack":"at","errorCode":'],
    ] as const) {
      refuses(url, altered(refused, { change: (text) => text.replace(from, to) }))
    }
    refuses(url, altered(refused, { headers: { 'cache-control': 'no-store' } }))
    refuses(url, altered(refused, { status: 401 }))
  })
})
