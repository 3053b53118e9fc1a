/** Brands and keys, managed from the command line while a server runs. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog } from '#contract'
import { openUsageWriter } from '#usage'
import { readMoment } from '../../src/operator/moments.ts'
import { openSandbox } from '../support/command.ts'
import { eachOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('brands and keys from the command line', () => {
  const place = openSandbox()
  const { folder } = place
  const selvedge = (...args: readonly string[]) => place.run(args)

  /** A command that must succeed, and the JSON it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: what is printed is read freely
  const json = async (...args: readonly string[]): Promise<any> => {
    const { code, stdout, stderr } = await selvedge(...args, '--json')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^[[{].*[\]}]\n$/, 'one line of JSON')
    return JSON.parse(stdout)
  }
  const refused = async (
    reason: RegExp,
    what: string,
    ...args: readonly string[]
  ): Promise<void> => {
    const { code, stdout, stderr } = await selvedge(...args)
    const said = `${what}: selvedge ${args.join(' ')} → ${code} ${stdout}${stderr}`
    // A usage error has another exit code than a refusal.
    assert.equal(
      code,
      /use either|use --brand|needs --ingest|reads no groups|Say what/i.test(stderr) ? 2 : 1,
      said,
    )
    assert.equal(stdout, '', said)
    assert.match(stderr, reason, said)
    assert.doesNotMatch(stderr, /^\s+at /m, said)
  }

  let service: TestService
  before(async () => {
    const first = await selvedge('brands', 'list')
    assert.equal(first.code, 1)
    assert.match(first.stderr, /^There is no database at /)
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { story: false, folder })
    const empty = await selvedge('brands', 'list')
    assert.match(empty.stdout, /^There are no brands\. Add one: /)
    const none = await selvedge('keys', 'list')
    assert.match(none.stdout, /^There are no keys\. Issue one: /)
  })
  after(async () => {
    await service.close()
    place.close()
  })

  let addresses = 0
  /** The status of a brand's tags for a key, from an address that has not failed before. */
  const statusOf = async (key: string, brand: string) => {
    addresses += 1
    const { status, body, headers } = await service.get(`${basePath}/brands/${brand}/tags`, {
      key,
      headers: { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` },
    })
    return { status, code: body?.errorCode, headers }
  }
  /** A server reads new keys within a second; a busy machine may take longer. */
  const becomes = async (key: string, brand: string, status: number, code?: string) => {
    const deadline = performance.now() + 15_000
    for (;;) {
      const seen = await statusOf(key, brand)
      if (seen.status === status && seen.code === code) return seen.headers
      assert.ok(performance.now() < deadline, `${seen.status} ${seen.code}, not ${status} ${code}`)
      await wait(25)
    }
  }

  it('adds brands and lists them', async () => {
    const added = await json('brands', 'add', 'first', '--name', 'First & Co', '--country', 'GB')
    assert.equal(added.slug, 'first')
    assert.equal(added.countryCode, 'GB')
    assert.deepEqual(Object.keys(added), Object.keys(recordsAt('brand')[0] ?? {}))
    const { code, stdout } = await selvedge('brands', 'add', 'second', '--name', 'Second')
    assert.equal(code, 0)
    assert.equal(stdout, 'Added Second. Issue a key for it: selvedge keys issue --brand second\n')
    const checks = { default: 'enforce', exceptions: {} }
    assert.deepEqual(await json('brands', 'list'), [
      { slug: 'first', name: 'First & Co', records: 1, own: 1, checks },
      { slug: 'second', name: 'Second', records: 1, own: 1, checks },
    ])
    const listed = await selvedge('brands', 'list')
    assert.equal(
      listed.stdout,
      [
        'slug    name        records  of its own  checks',
        'first   First & Co        1           1  enforce',
        'second  Second            1           1  enforce',
        '',
      ].join('\n'),
    )
  })

  it('refuses brands that exist or whose slug is not valid', async () => {
    await refused(
      /^The brand first already exists\. See: selvedge brands list\n$/,
      'there',
      'brands',
      'add',
      'first',
      '--name',
      'X',
    )
    const slugs = ['First', '-a', '*']
    await eachOf(
      slugs,
      (slug) =>
        refused(/ is not a valid slug\. /, 'slug', 'brands', 'add', '--name', 'X', '--', slug),
      3,
    )
  })

  it('issues keys for a brand, for several and for all', async () => {
    const one = await json('keys', 'issue', '--brand', 'first', '--name', 'One')
    assert.match(one.key, /^slv_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    assert.deepEqual([one.name, one.brands, one.global], ['One', ['first'], false])
    assert.deepEqual([one.expiresAt, one.perSecond, one.burst], [null, null, null])
    const two = await json(
      'keys',
      'issue',
      '--brand',
      'first',
      '--brand',
      'second',
      '--brand',
      'first',
    )
    assert.deepEqual(two.brands, ['first', 'second'])
    const all = await json('keys', 'issue', '--global')
    assert.deepEqual([all.brands, all.global], [[], true])
    await becomes(all.key, 'first', 200)
    await becomes(all.key, 'nobody', 404, 'not_found')
    await becomes(two.key, 'second', 200)
    await becomes(two.key, 'nobody', 401, 'out_of_scope')
    await becomes(one.key, 'first', 200)
    await becomes(one.key, 'second', 401, 'out_of_scope')
    const words = await selvedge('keys', 'issue', '--brand', 'second', '--expires', '2031-05-06')
    // The key alone goes to standard output: KEY=$(selvedge keys issue …)
    assert.match(words.stdout, /^slv_\w{43}_\w{6}\n$/)
    assert.match(
      words.stderr,
      /^Issued key_[\w-]{12} for second, until 2031-05-06T00:00:00\.000Z\.\nThe key is shown only once\. Store it in a safe place:\n$/,
    )
  })

  it('gives keys an expiry and a rate of their own', async () => {
    const span = await json('keys', 'issue', '--brand', 'first', '--expires', '90d')
    const days = (Date.parse(span.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90)
    const until = '2031-01-31T12:00:00+02:00'
    const { expiresAt } = await json('keys', 'issue', '--global', '--expires', until)
    assert.equal(expiresAt, '2031-01-31T10:00:00.000Z')
    const args = ['keys', 'issue', '--brand', 'first', '--rate', '2.5', '--burst', '7']
    const metered = await json(...args)
    assert.deepEqual([metered.perSecond, metered.burst], [2.5, 7])
    const headers = await becomes(metered.key, 'first', 200)
    assert.equal(headers.get('ratelimit-policy'), '"default";q=7;w=3')
    const short = await json('keys', 'issue', '--brand', 'first', '--expires', '6s')
    await becomes(short.key, 'first', 200)
    await wait(Math.max(0, Date.parse(short.expiresAt) - Date.now()))
    await becomes(short.key, 'first', 401, 'expired_api_key')
  })

  it('refuses to issue keys from invalid options', () =>
    eachOf(
      [
        ['without a scope', /use either/],
        ['with two scopes', /use either/, '--global', '--brand', 'first'],
        ['for no brand there is', /^There is no brand nobody\./, '--brand', 'nobody'],
        ['to send to every brand', /Choose the brands of the ingest key/, '--ingest', '--global'],
        ['to send to none', /Choose the brands of the ingest key/, '--ingest'],
        [
          'to read collections',
          /^--collections needs --ingest/,
          '--global',
          '--collections',
          'tags',
        ],
        ['to read by signatures', /^--webhook needs --ingest/, '--global', '--webhook'],
        [
          'to send to no collection there is',
          /^--collections: there is no collection "order"\./,
          ...['--ingest', '--brand', 'first', '--collections', 'tags,order'],
        ],
        [
          'to send shared records',
          /^--collections: countries is shared by all brands/,
          ...['--ingest', '--brand', 'first', '--collections', 'countries'],
        ],
        ['that ended', /is in the past/, '--global', '--expires', '2020-01-01'],
        [
          'at no rate',
          /^--rate is not valid\. Use a number greater than 0\./,
          '--global',
          '--rate',
          '0',
        ],
        [
          'with no burst',
          /^--burst is not valid\. Use a whole number from 1 to 999999999\./,
          '--global',
          '--burst',
          '0',
        ],
      ] as const,
      ([what, reason, ...args]) => refused(reason, what, 'keys', 'issue', ...args),
      3,
    ))

  it('issues keys for groups and addresses', async () => {
    const args = ['keys', 'issue', '--brand', 'first', '--name', 'Limited']
    const limited = await json(
      ...args,
      ...['--only', 'tags, domain:orders,finance,tags', '--without', 'payments'],
      ...['--from', '10.0.0.0/8,::FFFF:192.0.2.1,2001:DB8::/32', '--expires', '90d', '--rate', '5'],
    )
    const limits = {
      onlyGroups: ['tags', 'domain:orders', 'domain:finance'],
      withoutGroups: ['payments'],
      addresses: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
    }
    const { onlyGroups, withoutGroups, addresses: stored } = limited
    assert.deepEqual({ onlyGroups, withoutGroups, addresses: stored }, limits)
    assert.equal(limited.perSecond, 5)
    await becomes(limited.key, 'first', 200)
    const scope =
      'first (only tags, domain:orders, domain:finance; without payments; from 10.0.0.0/8, 192.0.2.1, 2001:db8::/32)'
    const listed = await selvedge('keys', 'list')
    assert.ok(listed.stdout.includes(`  read  ${scope}  good `), listed.stdout)
    const next = await json('keys', 'rotate', limited.id)
    assert.deepEqual({ ...next, ...limits }, next)
    const words = await selvedge(...args, '--without', 'tags', '--from', '192.0.2.0/24')
    assert.match(
      words.stderr,
      /^Issued key_\S+ for first \(without tags; from 192\.0\.2\.0\/24\)\.\n/,
    )
    await becomes(words.stdout.trim(), 'first', 401, 'out_of_scope')
  })

  it('refuses limits that are not valid, with the reason', () =>
    eachOf(
      [
        [/^--only: there is no group or domain "ordrs"\. Did you mean orders\?/, '--only', 'ordrs'],
        [/Did you mean finance\?/, '--without', 'finanse'],
        [/^--only: there is no group or domain ""\. Use groups such as /, '--only', ''],
        [/or domains: domain:orders, domain:catalog, /, '--only', 'everything'],
        [/^--without: every key can read the record of its brand\./, '--without', 'brand'],
        [/^The key could read nothing: /, '--only', 'tags', '--without', 'tags,orders'],
        [/^--only: a new key has no limit to remove\. Leave the option out\./, '--only', 'none'],
        [/^--from: a new key has no limit to remove\./, '--from', 'none'],
        [/^The key could read nothing: /, '--only', 'invoices', '--without', 'finance'],
        [
          /^--from: 10\.0\.0\.1\/8 is an address inside a network\. Use 10\.0\.0\.0\/8 /,
          '--from',
          '10.0.0.1/8',
        ],
        [
          /^--from: example\.com is not an IP address or network /,
          '--from',
          '10.0.0.1,example.com',
        ],
        [
          /^--from: .* 100 addresses and networks at most\./,
          '--from',
          Array.from({ length: 101 }, (_, at) => `10.0.0.${at}`).join(),
        ],
        [
          /^An ingest key reads no groups: limit what it sends with --collections\./,
          '--ingest',
          '--only',
          'tags',
        ],
      ] as const,
      ([reason, ...args]) => refused(reason, 'limit', 'keys', 'issue', '--brand', 'first', ...args),
      3,
    ))

  it('changes keys, and removes limits', async () => {
    const issued = await json('keys', 'issue', '--brand', 'first', '--name', 'Before')
    const { key, ...before } = issued
    const update = (...args: readonly string[]) => json('keys', 'update', issued.id, ...args)
    await becomes(key, 'first', 200)
    const limits = [
      '--only',
      'orders',
      '--without',
      'payments',
      '--from',
      '192.0.2.1',
      '--expires',
      '2031-05-06',
    ]
    const limited = await update(...limits, '--rate', '3', '--burst', '4', '--name', 'After')
    assert.deepEqual(limited, {
      ...before,
      ...{ name: 'After', onlyGroups: ['orders'], withoutGroups: ['payments'] },
      ...{
        addresses: ['192.0.2.1'],
        expiresAt: '2031-05-06T00:00:00.000Z',
        perSecond: 3,
        burst: 4,
      },
    })
    await becomes(key, 'first', 401, 'out_of_scope')
    const listed = await json('keys', 'list')
    assert.deepEqual(
      listed.find(({ id }: { id: string }) => id === issued.id),
      {
        ...limited,
        lastUsedAt: listed.find(({ id }: { id: string }) => id === issued.id).lastUsedAt,
      },
    )
    const none = ['--only', '--without', '--from', '--expires', '--rate', '--burst'].flatMap(
      (option) => [option, 'none'],
    )
    assert.deepEqual(await update(...none, '--name', 'Before'), before)
    await becomes(key, 'first', 200)
    assert.deepEqual((await update('--brand', 'second')).brands, ['second'])
    await becomes(key, 'first', 401, 'out_of_scope')
    const everywhere = await update('--global')
    assert.deepEqual([everywhere.brands, everywhere.global], [[], true])
    await becomes(key, 'first', 200)
    const words = await selvedge('keys', 'update', issued.id, '--brand', 'first', '--only', 'tags')
    assert.equal(
      words.stdout,
      `Updated ${issued.id}: first (only tags). All servers apply this within a second.\n`,
    )
  })

  it('refuses changes that leave a key without sense, and changes nothing', async () => {
    const { id } = await json('keys', 'issue', '--brand', 'first', '--only', 'tags')
    const sender = await json('keys', 'issue', '--ingest', '--brand', 'first')
    const ended = await json('keys', 'issue', '--brand', 'first')
    await json('keys', 'revoke', ended.id)
    const before = await json('keys', 'list')
    for (const [reason, ...args] of [
      [/^The key could read nothing: /, id, '--without', 'tags'],
      [/^--collections needs --ingest/, id, '--collections', 'tags'],
      [/use either/, id, '--brand', 'first', '--global'],
      [/^There is no brand nobody\./, id, '--brand', 'nobody'],
      [/is in the past/, id, '--expires', '2020-01-01'],
      [/^Say what to change/, id],
      [/^An ingest key reads no groups/, sender.id, '--without', 'tags'],
      [/^Choose the brands of the ingest key/, sender.id, '--global'],
      [/has been revoked\. Issue a new key instead\./, ended.id, '--name', 'x'],
      [/^Key key_nobody does not exist\. See: selvedge keys list\n$/, 'key_nobody', '--name', 'x'],
    ] as const) {
      await refused(reason, 'update', 'keys', 'update', ...args)
    }
    assert.deepEqual(await json('keys', 'list'), before)
    const changed = await json(
      'keys',
      'update',
      sender.id,
      '--collections',
      'tags',
      '--from',
      '::1',
    )
    assert.deepEqual([changed.collections, changed.addresses], [['tags'], ['::1']])
  })

  it('reviews keys, with what they did not use', async () => {
    const wide = await json('keys', 'issue', '--brand', 'first', '--brand', 'second')
    const plain = await json(
      'keys',
      'issue',
      '--brand',
      'first',
      '--only',
      'tags',
      '--expires',
      '1w',
    )
    const ended = await json('keys', 'issue', '--global')
    await json('keys', 'revoke', ended.id)
    const writer = await openUsageWriter({
      database: service.records.keyDatabase,
      ...{ now: Date.now, keptDays: 400, hasBrand: async () => true, countRecords: async () => 0 },
      ...{ onWarning: () => undefined, onError: assert.ifError },
    })
    for (const [keyId, operation] of [
      [wide.id, 'listOrders'],
      [plain.id, 'listTags'],
    ]) {
      writer.add({
        ...{ keyId, operation, brand: 'first', errorCode: null, records: 1, bytes: 9 },
        ...{ groups: null, address: '192.0.2.1' },
      })
    }
    await writer.close()
    const reviews = await json('keys', 'review')
    const findingsOf = (id: string) =>
      reviews.find((each: { id: string }) => each.id === id)?.findings
    assert.deepEqual(findingsOf(plain.id), [
      { finding: 'expires_soon', expiresAt: plain.expiresAt },
    ])
    const [expiry, used] = findingsOf(wide.id)
    assert.deepEqual(expiry, { finding: 'never_expires' })
    assert.equal(used.finding, 'wider_than_used')
    assert.deepEqual(used.unusedBrands, ['second'])
    assert.equal(used.unusedGroups.length, catalog.resources.length - 2)
    assert.ok(!used.unusedGroups.includes('orders'))
    assert.equal(findingsOf(ended.id), undefined)
    const { stdout } = await selvedge('keys', 'review')
    assert.match(stdout, /^id +name +look at\n/)
    assert.match(
      stdout,
      new RegExp(
        `^${wide.id} +did not use in 90 days: brand second; groups order-items, .*, domain:catalog, .*, domain:reference$`,
        'm',
      ),
    )
  })

  it('parses times and durations, and refuses others', () => {
    const now = Date.parse('2026-11-15T12:00:00Z')
    for (const [text, expected] of [
      ['90d', '2027-02-13T12:00:00.000Z'],
      ['2w', '2026-11-29T12:00:00.000Z'],
      ['12h', '2026-11-16T00:00:00.000Z'],
      ['30m', '2026-11-15T12:30:00.000Z'],
      ['45s', '2026-11-15T12:00:45.000Z'],
      ['2028-02-29', '2028-02-29T00:00:00.000Z'],
      ['2031-01-31T12:00:00Z', '2031-01-31T12:00:00.000Z'],
      ['2031-01-31T12:00:00.5Z', '2031-01-31T12:00:00.500Z'],
      ['2031-01-31T23:00:00-02:00', '2031-02-01T01:00:00.000Z'],
    ] as const) {
      assert.equal(readMoment(text, now), expected)
    }
    for (const [text, reason] of [
      ['0s', /is in the past/],
      ['2026-11-15T12:00:00Z', /is in the past/],
      ['soon', /is not a duration/],
      ['', /is not a duration/],
      ['-5d', /is not a duration/],
      ['1.5d', /is not a duration/],
      ['5', /is not a duration/],
      ['5y', /is not a duration/],
      ['9999999d', /is not a duration/],
      ['2031-1-1', /is not a duration/],
      ['2031-02-30', /is not a time\./],
      ['2027-02-29', /is not a time\./],
      ['2031-04-31T00:00:00Z', /is not a time\./],
      ['2031-13-01', /is not a time\./],
      ['2031-01-01T25:00:00Z', /is not a time\./],
      ['2031-01-01T00:00:00+99:00', /is not a time\./],
    ] as const) {
      assert.throws(() => readMoment(text, now), { name: 'Error', message: reason }, text)
    }
  })

  it('lists keys, and never shows them again', async () => {
    const issued = await json('keys', 'issue', '--brand', 'first', '--name', 'Listed')
    const all = await json('keys', 'list')
    const listed = all.find(({ id }: { id: string }) => id === issued.id)
    const { key, ...rest } = issued
    assert.deepEqual(listed, rest)
    const { stdout } = await selvedge('keys', 'list')
    assert.match(stdout, /^id +name +kind +scope +state +created +last used +expires\n/)
    assert.match(
      stdout,
      new RegExp(`^${issued.id} +Listed +read +first +good +\\S+Z +never +never$`, 'm'),
    )
    assert.ok(!stdout.includes('slv_') && !JSON.stringify(all).includes('slv_'))
    // Read by another process: one that closes a file of SQLite's gives up its locks on it.
    const names = readdirSync(folder).filter((each) => each.startsWith('selvedge.'))
    assert.ok(names.includes('selvedge.keys.db'))
    for (const name of names) {
      const bytes = execFileSync('cat', [join(folder, name)], { maxBuffer: 2 ** 28 })
      assert.ok(!bytes.includes(key), name)
    }
  })

  it('issues ingest keys, which cannot read, for brands and collections', async () => {
    const args = ['keys', 'issue', '--ingest', '--brand', 'first', '--name', 'ERP']
    const all = await json(...args)
    assert.match(all.key, /^slw_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    assert.deepEqual([all.kind, all.brands, all.collections], ['ingest', ['first'], null])
    assert.ok(!('signingSecret' in all))
    const some = await json(...args, '--collections', 'orders, order-items,orders', '--webhook')
    assert.deepEqual(some.collections, ['orders', 'order-items'])
    assert.match(some.signingSecret, /^whsec_[0-9A-Za-z+/]{43}=$/)
    for (const { key } of [all, some]) await becomes(key, 'first', 401, 'invalid_api_key')
    const listed = await selvedge('keys', 'list')
    assert.match(
      listed.stdout,
      new RegExp(`^${some.id} +ERP +ingest +first: orders, order-items +good `, 'm'),
    )
    assert.ok(!listed.stdout.includes('whsec_'))
    const next = await selvedge('keys', 'rotate', some.id)
    assert.match(next.stdout, /^slw_\w{50}\nwhsec_\S{44}\n$/)
    assert.ok(!next.stdout.includes(some.signingSecret))
    assert.match(next.stderr, /The key and the signing secret are shown only once\. Store them /)
    const { key, signingSecret, ...record } = some
    const successor = ((await json('keys', 'list')) as { id: string; createdAt: string }[]).at(-1)
    const { id, createdAt } = successor ?? { id: '', createdAt: '' }
    assert.deepEqual(successor, { ...record, id, createdAt })
  })

  it('revokes keys', async () => {
    const { key, id } = await json('keys', 'issue', '--brand', 'first')
    await becomes(key, 'first', 200)
    const revoked = await json('keys', 'revoke', id)
    assert.match(revoked.revokedAt, /Z$/)
    await becomes(key, 'first', 401, 'invalid_api_key')
    assert.deepEqual(await json('keys', 'revoke', id), revoked)
    const { stdout } = await selvedge('keys', 'revoke', id)
    assert.equal(stdout, `Revoked ${id}. All servers reject it within a second.\n`)
    await refused(
      /^Key key_nobody does not exist\. See: selvedge keys list\n$/,
      'unknown',
      'keys',
      'revoke',
      'key_nobody',
    )
    await refused(/has been revoked\. Issue a new key instead\./, 'revoked', 'keys', 'rotate', id)
  })

  it('rotates keys: the new one has the same rights, the old one expires after the overlap', async () => {
    const args = [
      'keys',
      'issue',
      '--brand',
      'first',
      '--name',
      'Rolled',
      '--rate',
      '3',
      '--burst',
      '9',
    ]
    const old = await json(...args)
    await becomes(old.key, 'first', 200)
    const next = await json('keys', 'rotate', old.id, '--overlap', '6s')
    assert.notEqual(next.key, old.key)
    const { name, brands, perSecond, burst } = next
    assert.deepEqual(
      { name, brands, perSecond, burst },
      {
        name: 'Rolled',
        brands: ['first'],
        perSecond: 3,
        burst: 9,
      },
    )
    await becomes(next.key, 'first', 200)
    assert.equal((await statusOf(old.key, 'first')).status, 200)
    const { stdout } = await selvedge('keys', 'list')
    const line = new RegExp(
      `^${old.id} +Rolled +read +first +(replaced by \\S+|expired) .* (\\S+)$`,
      'm',
    )
    const [, , ends = ''] = line.exec(stdout) ?? []
    await wait(Math.max(0, Date.parse(ends) - Date.now()))
    await becomes(old.key, 'first', 401, 'expired_api_key')
    assert.equal((await statusOf(next.key, 'first')).status, 200)
    await refused(/^Key nobody does not exist\./, 'unknown', 'keys', 'rotate', 'nobody')
  })

  it('does not rotate a key twice, and names its successor', async () => {
    const old = await json('keys', 'issue', '--brand', 'first', '--name', 'Twice')
    const { code, stdout, stderr } = await selvedge('keys', 'rotate', old.id, '--overlap', '2h')
    assert.equal(code, 0)
    assert.match(stdout, /^slv_\w{43}_\w{6}\n$/)
    const listed = (await json('keys', 'list')) as readonly {
      readonly id: string
      readonly name: string
      readonly successorId: string | null
      readonly expiresAt: string | null
    }[]
    const { successorId, expiresAt } = listed.find(({ id }) => id === old.id) ?? {}
    assert.equal(
      stderr,
      `Issued ${successorId} to replace ${old.id}, which works until ${expiresAt}.\nThe key is shown only once. Store it in a safe place:\n`,
    )
    await refused(
      new RegExp(
        `^${old.id} has already been rotated: its successor is ${successorId}, and it works until ${expiresAt}\\. To replace the successor: selvedge keys rotate ${successorId}\n$`,
      ),
      'rotated',
      ...['keys', 'rotate', old.id, '--json'],
    )
    assert.equal(listed.filter(({ name }) => name === 'Twice').length, 2)
    const after = (await json('keys', 'list')) as typeof listed
    assert.equal(after.filter(({ name }) => name === 'Twice').length, 2)
  })

  it('issues links to downloads, which a running server knows at once, and removes them', async () => {
    const key = await json('keys', 'issue', '--brand', 'first', '--name', 'Sheets')
    const none = await selvedge('links', 'list')
    assert.match(none.stdout, /^There are no links\. Issue one: /)
    const added = ['links', 'add', 'tags?format=csv', '--key', key.id, '--name', 'Ann']
    const { code, stdout, stderr } = await selvedge(...added)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^\/links\/sll_\w{43}_\w{6}\n$/)
    assert.match(
      stderr,
      new RegExp(`^Issued link_.* for ${key.id}, until .*shown only once:\n$`, 's'),
    )
    const [link, ...others] = await json('links', 'list')
    assert.deepEqual(
      [link.name, link.keyId, link.brand, link.group, link.query, link.state, others.length],
      ['Ann', key.id, 'first', 'tags', 'format=csv', 'good', 0],
    )
    const days = (Date.parse(link.expiresAt) - Date.parse(link.createdAt)) / 86_400_000
    assert.equal(Math.round(days), 90)
    const statusNow = async () => (await fetch(service.url + stdout.trim())).status
    assert.equal(await statusNow(), 200)
    const table = await selvedge('links', 'list')
    assert.ok(!table.stdout.includes('sll_') && !JSON.stringify(link).includes('sll_'))
    await refused(/does not exist/, 'no such key', ...added.slice(0, 4), 'key_x')
    await refused(
      /format names/,
      'no such format',
      'links',
      'add',
      'tags?format=x',
      '--key',
      key.id,
    )
    await refused(/does not exist/, 'no such link', 'links', 'remove', 'link_x')
    assert.equal((await json('links', 'remove', link.id)).id, link.id)
    assert.equal(await statusNow(), 404)
    await selvedge(...added)
    await json('keys', 'update', key.id, '--only', 'orders')
    assert.equal((await json('links', 'list'))[0].state, 'out_of_scope')
    await json('keys', 'revoke', key.id)
    assert.equal((await json('links', 'list'))[0].state, 'key_invalid')
  })
})
