/** What checks of the business rules have found, as the query API shows it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rules } from '#check'
import { catalog, queryBasePath, resourceAt } from '#contract'
import { checkChanged } from '../../src/check/quality.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const path = `${queryBasePath}/brands/aldermoor/quality`
const quality = async () => (await service.get(path)).body

const check = (isOver = () => false) =>
  checkChanged({
    store: service.records.store,
    database: service.records.database,
    catalog,
    brand: 'aldermoor',
    today: '2026-06-01',
    checkedAt: new Date().toISOString(),
    isOver,
  })

const [order] = recordsAt('orders')
const writeOrder = (change: object) =>
  service.write('aldermoor', { orders: [{ ...order, ...change }] as never })

describe('the quality of records', () => {
  it('is unknown before the first check', async () => {
    const { checkedAt, isCurrent, rules: counts, findings, history } = await quality()
    assert.deepEqual([checkedAt, isCurrent, findings, history], [null, false, [], []])
    assert.deepEqual(counts, {
      total: rules.length,
      passed: 0,
      broken: 0,
      unchecked: rules.length,
      outdated: 0,
    })
  })

  it('is known for the rules that were checked, and unknown for all others', async () => {
    let checked = 0
    await check(() => checked++ >= 3)
    const { checkedAt, isCurrent, rules: counts, unchecked, findings, history } = await quality()
    assert.deepEqual([typeof checkedAt, isCurrent, findings], ['string', false, []])
    const left = rules.length - 3
    assert.deepEqual(counts, {
      ...{ total: rules.length, passed: 3, broken: 0, unchecked: left, outdated: 0 },
    })
    assert.deepEqual(
      unchecked,
      rules.slice(3).map(({ id }) => id),
    )
    // A point of the history would look as if all rules had been checked.
    assert.deepEqual(history, [])
  })

  it('is what a check has found, with the records and what to do', async () => {
    const { results, left } = await check()
    assert.deepEqual([results.length, left], [rules.length - 3, 0])
    const { isCurrent, checkedAt, rules: counts, findings, history } = await quality()
    assert.ok(isCurrent && checkedAt)
    assert.deepEqual(counts, {
      total: rules.length,
      passed: rules.length - 1,
      broken: 1,
      unchecked: 0,
      outdated: 0,
    })
    const [finding, ...more] = findings
    assert.deepEqual(more, [])
    const { rule, severity, count, remedy, records, groups } = finding
    assert.deepEqual([rule, severity, count], ['RCV-02', 'warning', 1])
    assert.deepEqual(groups, ['goods-receipt-lines', 'shipment-items'])
    assert.match(remedy, /credit note/)
    const [record] = records
    assert.equal(record.group, 'shipment-items')
    assert.equal(record.id, 'f153fff3-290f-4e5e-8753-7b991594085a')
    assert.equal(record.title, 'AM-1042-IND-M × 120')
    assert.equal(record.detail, 'shipped 120, received 118')
    assert.deepEqual(history, [{ checkedAt, errors: 0, warnings: 1, counts: { 'RCV-02': 1 } }])
  })

  it('is not checked again while nothing has changed', async () => {
    assert.deepEqual(await check(), { results: [], left: 0 })
    assert.equal((await quality()).history.length, 1)
  })

  it('is not current once a record has changed, until the rules that read it are checked', async () => {
    await writeOrder({ totalQuantity: 641 })
    const { isCurrent, rules: counts } = await quality()
    assert.equal(isCurrent, false)
    assert.ok(counts.outdated > 5 && counts.outdated < 60, `${counts.outdated} rules`)
    const { results } = await check()
    assert.equal(results.length, counts.outdated)
    const after = await quality()
    assert.ok(after.isCurrent)
    assert.deepEqual(
      after.findings.map(({ rule, severity }: Record<string, string>) => [rule, severity]),
      [
        ['ORD-01', 'error'],
        ['RCV-02', 'warning'],
      ],
    )
    assert.equal(after.findings[0].records[0].title, 'PO-5512')
    assert.deepEqual(after.history.at(-1).counts, { 'ORD-01': 1, 'RCV-02': 1 })
    await writeOrder({})
    // A part of a check would mix old and new counts in the history.
    let checked = 0
    await check(() => {
      checked += 1
      return checked > 2
    })
    assert.equal((await quality()).history.length, after.history.length)
    await check()
    assert.deepEqual((await quality()).history.at(-1).counts, { 'RCV-02': 1 })
  })

  it('continues with the next check where one ran out of time', async () => {
    await writeOrder({ totalQuantity: 642 })
    const { outdated } = (await quality()).rules
    let checked = 0
    const first = await check(() => checked++ >= 3)
    assert.deepEqual([first.results.length, first.left], [3, outdated - 3])
    assert.equal((await quality()).isCurrent, false)
    // Although all of them are outdated again, those that were left come first.
    await writeOrder({ totalQuantity: 643 })
    checked = 0
    const second = await check(() => checked++ >= 3)
    const idsOf = ({ results }: typeof first) => results.map(({ rule }) => rule.id)
    assert.equal(new Set([...idsOf(first), ...idsOf(second)]).size, 6)
    await check()
    assert.ok((await quality()).isCurrent)
    await writeOrder({})
    await check()
  })

  it('has an ETag, and refuses parameters', async () => {
    const first = await service.get(path)
    const etag = first.headers.get('etag') ?? ''
    const again = await service.get(path, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    await service.records.store.quality.store('aldermoor', [], true)
    assert.equal((await service.get(path)).headers.get('etag'), etag)
    const refused = await service.get(`${path}?rule=ORD-01`)
    assert.equal(refused.status, 400)
    assert.equal(refused.body.errorCode, 'invalid_parameter')
  })

  it('is kept for each brand by itself, and only for so many checks', async () => {
    const other = { ...recordsAt('brand')[0], slug: 'other' }
    await service.write('other', { brand: [other] as never })
    const key = await service.key('other')
    const { body } = await service.get(path.replace('aldermoor', 'other'), { key })
    assert.deepEqual([body.checkedAt, body.findings], [null, []])
    assert.equal((await service.get(path, { key })).status, 401)

    const finding = { rule: 'ORD-01', reads: ['orders'], version: '', day: null, records: [] }
    for (let count = 1; count <= 105; count += 1) {
      const checkedAt = new Date(count * 1_000).toISOString()
      await service.records.store.quality.store('other', [{ ...finding, checkedAt, count }], true)
    }
    const { history } = (await service.get(path.replace('aldermoor', 'other'), { key })).body
    assert.equal(history.length, 100)
    assert.deepEqual(history[0].counts, { 'ORD-01': 6 })
    assert.deepEqual(history.at(-1).counts, { 'ORD-01': 105 })
    assert.equal((await quality()).findings.length, 1)
  })
})

describe('every rule', () => {
  it('says what to do in one short sentence, and reads known groups', () => {
    for (const { id, remedy, collections } of rules) {
      assert.match(remedy, /^[A-Z].{20,120}\.$/, id)
      for (const collection of collections) assert.ok(resourceAt(catalog, collection))
    }
  })
})
