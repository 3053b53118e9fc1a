/** Views of lists that an operator publishes for a brand. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSandbox } from '../support/command.ts'

describe('selvedge views', () => {
  const place = openSandbox()
  after(() => place.close())
  const run = (...args: string[]) => place.run(['views', ...args])
  const own = ['--brand', 'acme']
  const listed = async () => JSON.parse((await run('list', ...own, '--json')).stdout)

  before(async () => {
    assert.equal((await place.run(['brands', 'add', 'acme', '--name', 'Acme'])).code, 0)
  })

  it('adds, lists and removes views, from a link or from parameters', async () => {
    const none = await run('list', ...own)
    assert.match(none.stdout, /^acme has no published views\. Publish one: selvedge views add/)
    const link =
      'http://localhost:3000/brands/acme/orders?view=late&orderDate.gte=today-30&fields=orderNumber%2CtotalAmount.base&by=supplierId&limit=25&cursor=x&before=25&saved=Late+%26+large'
    const { stdout, stderr } = await run('add', link, ...own)
    assert.equal(
      stdout,
      'Published Late & large. The console shows it in the list of orders.\n',
      stderr,
    )
    const query = ['--group', 'invoices', '--query', '?status.in=paid&status.in=approved']
    const added = await run('add', ...own, '--name', ' Größe ', ...query, '--json')
    assert.deepEqual(JSON.parse(added.stdout), {
      ...{ name: 'Größe', group: 'invoices', problem: null },
      query: 'status.in=paid&status.in=approved',
    })
    assert.deepEqual(await listed(), [
      {
        ...{ name: 'Late & large', group: 'orders', problem: null },
        query:
          'view=late&orderDate.gte=today-30&fields=orderNumber%2CtotalAmount.base&by=supplierId',
      },
      JSON.parse(added.stdout),
    ])
    assert.match((await run('list', ...own)).stdout, /^Größe +invoices +status\.in=paid/m)
    const removed = await run('remove', ...own, '--name', 'Größe')
    assert.equal(removed.stdout, 'Removed Größe.\n')
    assert.deepEqual((await listed()).length, 1)
    const { stdout: audited } = await place.run(['audit', 'list', '--json'])
    assert.match(audited, /"action":"view\.removed","brand":"acme","subject":"Größe"/)
  })

  const link = (rest: string) => `https://console.example/brands/acme/${rest}`
  const name = ['--name', 'x']
  for (const [what, args, sentence] of [
    ['no list', name, /Say which list: paste its link, or use --group/],
    ['two lists', [link('orders'), '--group', 'orders', ...name], /Say which list/],
    ['no name', [link('orders?view=late')], /Name the view: use --name <name>/],
    ['a long name', [link('orders'), '--name', 'x'.repeat(61)], /at most 60 characters/],
    [
      'a name with control characters',
      [link('orders'), '--name', 'a\u202eb'],
      /control characters/,
    ],
    ['a name of two lines', [link('orders?saved=a%0Ab')], /control characters/],
    ['a script', ['javascript:alert(1)//brands/acme/orders', ...name], /not a link of a list/],
    ['another page', [link('quality/rules/x'), ...name], /not a link of a list/],
    ['a page without a list', [link('quality'), ...name], /There is no list of quality/],
    ['a misspelt group', [link('ordres'), ...name], /Did you mean orders/],
    [
      'another brand',
      [link('orders').replace('acme', 'other'), ...name],
      /The link is of the brand other, not of acme/,
    ],
    ['an unknown parameter', [link('orders?colour=red'), ...name], /Parameter colour/],
    ['a value that is not valid', [link('orders?orderDate.gte=later'), ...name], /orderDate\.gte/],
    ['columns without names', [link('orders?fields=%3Cb%3E'), ...name], /fields must have names/],
    [
      'bytes that are not a text',
      [link('orders?orderNumber=%ff'), ...name],
      /percent-encoded UTF-8/,
    ],
    [
      'a long query',
      [link(`orders?orderNumber=${'x'.repeat(4_100)}`), ...name],
      /more than 4000 characters/,
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const before = await listed()
      const { code, stderr } = await run('add', ...own, ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, sentence)
      assert.deepEqual(await listed(), before)
    })
  }

  it('refuses brands and names that do not exist', async () => {
    assert.match((await run('list', '--brand', 'none')).stderr, /There is no brand none/)
    const { code, stderr } = await run('remove', ...own, '--name', 'None')
    assert.equal(code, 1)
    assert.match(stderr, /acme has no view of this name/)
  })
})
