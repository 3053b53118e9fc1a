/** What an import says about the business rules after it is committed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { qualityJson, rules } from '#check'
import { checkImport } from '#operator'
import { openRecords } from '#server'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { recordsAt } from '../support/model.ts'

let place: Sandbox
before(async () => {
  place = openSandbox()
  const { code, stderr } = await place.run(['demo', '--orders', '0', '--as-of', '2026-06-01'])
  assert.equal(code, 0, stderr)
})
after(() => place.close())

const [order] = recordsAt('orders')

/** Imports the order with another total, and says what came of it. */
const importOrder = (totalQuantity: number, ...options: readonly string[]) => {
  place.put({ 'orders.ndjson': `${JSON.stringify({ ...order, totalQuantity })}\n` })
  return place.run(['import', 'orders.ndjson', '--brand', 'aldermoor', ...options])
}

describe('an import that breaks a business rule', () => {
  it('is committed, and names the command that shows the records', async () => {
    const { code, stdout, stderr } = await importOrder(641)
    assert.equal(code, 0)
    assert.match(stdout, /^Imported\.$/m)
    assert.match(
      stderr,
      /^The records break \d business rules?\. To see the records: selvedge check --brand aldermoor$/m,
    )
    const checked = await place.run(['check', '--brand', 'aldermoor', '--rule', 'ORD-01'])
    assert.match(
      checked.stdout,
      new RegExp(
        `^orders +${order?.['id']} +${order?.['orderNumber']} +.*totals are quantity 641`,
        'm',
      ),
    )
    // What was not checked is not said to pass.
    const others = rules.length - 1
    assert.ok(
      checked.stdout.includes(
        `0 of 1 rule pass for aldermoor: 1 error and 0 warnings. ${others} rules were not checked.`,
      ),
      checked.stdout,
    )
    const passing = await place.run(['check', '--brand', 'aldermoor', '--rule', 'ORD-02'])
    assert.equal(
      passing.stdout,
      `Rule ORD-02 passes for aldermoor. ${others} rules were not checked.\n`,
    )
  })

  it('prints nothing but its result as JSON', async () => {
    const { code, stdout, stderr } = await importOrder(642, '--json')
    assert.deepEqual([code, stderr], [0, ''])
    const result = JSON.parse(stdout)
    assert.ok(result.written)
    const { total, passed, broken, unchecked } = result.rules
    assert.deepEqual([total, unchecked, passed + broken], [rules.length, 0, rules.length])
    assert.ok(broken > 0)
  })

  it('checks nothing with --no-check, nor in a dry run', async () => {
    for (const option of ['--no-check', '--dry-run']) {
      const { code, stderr } = await importOrder(643, option)
      assert.equal(code, 0)
      assert.doesNotMatch(stderr, /business rule/)
    }
  })

  it('says how many rules are not checked yet where that takes too long', async () => {
    await importOrder(640, '--no-check')
    const records = await openRecords({ databaseUrl: place.databaseUrl })
    try {
      let begun = 0
      const { store } = records
      const isOver = () => begun++ >= 2
      const first = await checkImport({ ...records, now: Date.now }, 'aldermoor', isOver)
      assert.ok(first.isUnfinished)
      assert.match(
        first.sentence ?? '',
        /^(The 2 rules checked so far pass|The records break \d business rules?)\. \d+ rules are not checked yet, after 30 seconds\. A running server continues in the background\. /,
      )
      const { isCurrent } = qualityJson(await store.quality.read('aldermoor'))
      assert.equal(isCurrent, false)
      assert.equal(
        (await checkImport({ ...records, now: Date.now }, 'aldermoor')).isUnfinished,
        false,
      )
    } finally {
      await records.close()
    }
  })

  it('is followed by one that says nothing where all rules pass again', async () => {
    await importOrder(640, '--no-check')
    const { stderr } = await importOrder(640)
    assert.doesNotMatch(stderr, /ORD|not checked/)
  })

  it('is reported in the same way when its file is dropped into a watched folder', async () => {
    place.put({ 'in/orders.ndjson': `${JSON.stringify({ ...order, totalQuantity: 644 })}\n` })
    const watch = ['watch', 'in', '--brand', 'aldermoor', '--once', '--settle', '0s']
    const { code, stdout, stderr } = await place.run(watch)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^orders\.ndjson: imported: orders 1 changed\./)
    assert.match(stderr, /^The records break \d business rules?\. To see the records: /m)
  })
})
