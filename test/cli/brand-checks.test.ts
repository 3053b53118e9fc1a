/** The checks of a brand's records on the way in, as the commands set and obey them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ndjson, openSandbox } from '../support/command.ts'
import { changed, line, tag } from '../support/import-records.ts'
import { idOf } from '../support/model.ts'

describe('the checks of a brand', () => {
  const place = openSandbox()
  after(() => place.close())
  const run = (...args: string[]) => place.run(args)
  const importTags = async (name: string, records: readonly object[], ...more: string[]) => {
    place.put({ [`${name}/tags.ndjson`]: ndjson(records) })
    return run('import', name, '--brand', 'acme', '--no-check', ...more)
  }
  const twice = [tag(1, { name: 'Organic' }), tag(2, { name: 'Organic' })]

  before(async () => {
    assert.equal((await run('brands', 'add', 'acme', '--name', 'Acme')).code, 0)
  })

  it('are enforced for a new brand: a key that is there twice is refused with both records', async () => {
    const { code, stdout, stderr } = await importTags('twice', twice)
    assert.equal(code, 1)
    assert.match(stdout, /Nothing was written: 1 problem\./)
    assert.ok(
      stderr.includes(
        `error: twice/tags.ndjson:2 /name (Organic) is already the name of tags ${idOf(1)}, which line 1 of twice/tags.ndjson has; this row is tags ${idOf(2)}`,
      ),
      stderr,
    )
    const skipped = await importTags('twice', twice, '--skip-invalid')
    assert.equal(skipped.code, 0)
    assert.match(skipped.stdout, /tags +2 +1 +0 +0 +0 +0 +1 /)
    const { stdout: listed } = await run('brands', 'list')
    assert.match(listed, /^acme +Acme +2 +2 +enforce$/m)
  })

  it('can be warnings, for all or by name, once the broken rules have been printed', async () => {
    const none = await run('brands', 'update', 'acme', '--checks', 'warn')
    assert.equal(none.stdout, 'No stored record of acme breaks a check.\nChecks of acme: warn.\n')
    const { code, stdout, stderr } = await importTags('twice', twice)
    assert.deepEqual([code, /Imported\. 1 warning\./.test(stdout)], [0, true], stderr)
    assert.match(
      stderr,
      /^warning: twice\/tags\.ndjson:2 \/name \(Organic\) is already the name of tags [-0-9]+, which is stored/m,
    )

    const some = await run(
      'brands',
      'update',
      'acme',
      '--checks',
      'enforce, currency=warn,tags.name=warn',
    )
    assert.match(some.stdout, /^tags\.name +tags\.name +warn +1$/m)
    assert.match(
      some.stdout,
      /Checks of acme: enforce, except currency=warn, tags\.name=warn\. Stored records stay,/,
    )
    const back = await run('brands', 'update', 'acme', '--checks', 'tags.name=enforce', '--json')
    const { checks, rules } = JSON.parse(back.stdout)
    assert.deepEqual(checks, { default: 'enforce', exceptions: { currency: 'warn' } })
    assert.deepEqual(
      rules.filter((each: { count: number }) => each.count > 0),
      [{ check: 'tags.name', rule: 'tags.name', mode: 'enforce', count: 1 }],
    )
    const unchanged = await importTags('twice', twice)
    assert.deepEqual([unchanged.code, unchanged.stderr.includes('warning')], [0, false])
  })

  it('obey the mode for codes too', async () => {
    const partner = changed('partners', { id: idOf(5), defaultCurrencyCode: 'Dollar' })
    place.put({ 'codes/partners.ndjson': line(partner) })
    const importCodes = () =>
      run('import', 'codes', '--brand', 'acme', '--allow-dangling', '--no-check')
    await run('brands', 'update', 'acme', '--checks', 'enforce')
    const refused = await importCodes()
    assert.equal(refused.code, 1)
    assert.match(
      refused.stderr,
      /^error: codes\/partners\.ndjson:1 name .*: \/\S*[cC]urrencyCode \(Dollar\) is not an ISO 4217 code/m,
    )
    await run('brands', 'update', 'acme', '--checks', 'currency=warn')
    const warned = await importCodes()
    assert.equal(warned.code, 0, warned.stderr)
    assert.match(warned.stderr, /^warning: codes\/partners\.ndjson:1/m)
  })

  it('of shared records are set with --shared', async () => {
    const { stdout } = await run('brands', 'update', '--shared', '--checks', 'couriers.code=warn')
    assert.match(stdout, /^Checks of the shared records: enforce, except couriers\.code=warn\.$/m)
  })

  it('name what is wrong with an option', async () => {
    for (const [args, sentence] of [
      [['acme', '--checks', 'off'], '--checks does not take "off". Use enforce, warn, or'],
      [
        ['acme', '--checks', 'tags.code=warn'],
        'There is no check tags.code. Codes and unique keys',
      ],
      [['acme', '--checks', 'bounds=warn'], 'There is no check bounds.'],
      [['other', '--checks', 'warn'], 'There is no brand other.'],
      [['--checks', 'warn'], 'Name a brand, or use --shared'],
    ] as const) {
      const { code, stderr } = await run('brands', 'update', ...args)
      assert.ok(code !== 0 && stderr.includes(sentence), stderr)
    }
  })
})
