/** The command that queries a list. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSandbox, type Sandbox } from '../support/command.ts'

let place: Sandbox
before(async () => {
  place = openSandbox()
  const { code, stderr } = await place.run(['demo', '--orders', '110', '--as-of', '2026-06-01'])
  assert.equal(code, 0, stderr)
})
after(() => place.close())

const query = (...args: readonly string[]) => place.run(['query', ...args, '--brand', 'aldermoor'])

describe('selvedge query', () => {
  it('prints a table in the requested order, and how many records there are', async () => {
    const { code, stdout } = await query(
      'order-items',
      '--sort',
      '-qty',
      '--fields',
      'qty,step',
      '--limit',
      '2',
    )
    assert.equal(code, 0)
    const [head, first, second] = stdout.split('\n')
    assert.match(head ?? '', /qty +step/)
    assert.ok(Number.parseInt(first?.trim() ?? '', 10) >= Number.parseInt(second?.trim() ?? '', 10))
    assert.match(stdout, /2 records of 1,\d{3}\./)
  })

  it('prints the records of a view on a day as JSON', async () => {
    const { stdout } = await query('orders', '--view', 'open', '--as-of', '2026-01-20', '--json')
    const { items, totalItems, asOf } = JSON.parse(stdout)
    assert.equal(items.length, Math.min(25, totalItems))
    assert.equal(asOf, '2026-01-20')
  })

  it('prints CSV of more records than a page has', async () => {
    const { stdout } = await query(
      'countries',
      '--format',
      'csv',
      '--limit',
      '500',
      '--sort',
      'name',
    )
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines[0], 'code,name')
    assert.equal(lines.length, 250)
  })

  it('selects by any parameter of the query API', async () => {
    const { stdout } = await query(
      'order-items',
      '--where',
      'qty.gte=100',
      '--where',
      'step.in=production',
      '--json',
    )
    const { items } = JSON.parse(stdout)
    assert.ok(items.length > 0)
    for (const { qty, step } of items) assert.ok(qty >= 100 && step === 'production')
  })

  const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown group', ['order'], /There is no list order\. Did you mean .*orders/],
    ['an unknown view', ['orders', '--view', 'lat'], /late/],
    ['a field that cannot be sorted', ['orders', '--sort', 'memo'], /orderDate/],
    ['a condition without a value', ['orders', '--where', 'status'], /name=value/],
    ['a limit that is not a number', ['orders', '--limit', 'all'], /--limit/],
  ]
  for (const [what, args, message] of refusals) {
    it(`refuses ${what}, and says what is possible`, async () => {
      const { code, stdout, stderr } = await query(...args)
      assert.notEqual(code, 0)
      assert.equal(stdout, '')
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /Unexpected error/)
    })
  }
})
