/** Batches over HTTP: how they are accepted, waited for, repeated and refused. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { ingestBasePath } from '#contract'
import { assertAnswer } from '../support/answers.ts'
import { until } from '../support/cluster.ts'
import {
  lines,
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'

const waiting = { prefer: 'wait=30' }
const tag = recordOf('tags')
const other = recordOf('tags', 1)
const item = putItem('tags', tag)

describe('a batch', () => {
  let service: TestIngest
  before(async () => {
    service = await openTestIngest()
  })
  after(() => service.close())

  it('is accepted with 202 and the place where it can be followed', async () => {
    const sent = await service.send([item])
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
    assert.equal(sent.body.brand, storyBrand)
    assert.match(sent.body.state, /^(queued|working)$/)
    const location = sent.headers.get('location') ?? ''
    assert.equal(location, `${ingestBasePath}/brands/${storyBrand}/batches/${sent.body.id}`)
    assert.equal(sent.headers.get('cache-control'), 'no-store')
    assert.ok(sent.headers.get('ratelimit') && sent.headers.get('x-request-id'))
    const followed = await service.get(location, (await service.issue()).key, waiting)
    assert.equal(followed.status, 200)
    assert.equal(followed.headers.get('preference-applied'), 'wait=30')
    const batch = followed.body
    assert.deepEqual([batch.state, batch.items], ['committed', 1])
    const [{ collection, read, added }, ...more] = batch.collections
    assert.deepEqual([collection, read, added, more], ['tags', 1, 1, []])
  })

  it('names the invalid codes of its records', async () => {
    const wrong = { ...recordOf('locations'), countryCode: 'GERMANY', latitude: '999' }
    const { body } = await service.send([item, putItem('locations', wrong)], { headers: waiting })
    assert.deepEqual(
      body.details.problems.map(({ line, field, value, reason }: Record<string, string>) => [
        ...[line, field, value, reason],
      ]),
      [
        [2, '/countryCode', 'GERMANY', 'is not an ISO 3166-1 alpha-2 code: use DE'],
        [2, '/latitude', '999', 'must be from -90 to 90'],
      ],
    )
  })

  it('is answered with 200 once it is committed, if the sender prefers to wait', async () => {
    for (const prefer of ['wait=30', 'respond-async, wait=30', 'wait="30";x=1', 'WAIT = 30']) {
      const { status, headers, body } = await service.send([item], { headers: { prefer } })
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.state, body.problemCount], ['committed', 0])
      assert.equal(headers.get('preference-applied'), 'wait=30')
    }
    for (const prefer of ['wait=100000', 'wait=99999999999999']) {
      const most = await service.send([item], { headers: { prefer } })
      assert.equal(most.headers.get('preference-applied'), 'wait=60')
    }
    const none = await service.send([item], { headers: { prefer: 'return=minimal' } })
    assert.equal(none.status, 202)
    assert.equal(none.headers.get('preference-applied'), null)
  })

  it('is refused as a whole with 422 and its problems', async () => {
    const wrong = { ...other, createdAt: 'yesterday' }
    const items = [putItem('tags', other), putItem('tags', wrong)]
    const answer = await service.send(items, { headers: waiting })
    const { status, body } = answer
    assert.equal(status, 422)
    assert.equal(body.errorCode, 'batch_refused')
    assert.match(
      body.error,
      /^The batch has 1 problem\. Nothing was changed\. Line 2, name "Core" \/createdAt \(yesterday\): /,
    )
    assert.equal(body.details.state, 'refused')
    assert.deepEqual(
      [body.details.problems[0].line, body.details.problems[0].key],
      [2, 'name "Core"'],
    )
    assert.ok(!('file' in body.details.problems[0]))
    const stored = await service.get(
      `${ingestBasePath}/brands/${storyBrand}/batches/${body.details.id}`,
    )
    assert.equal(stored.status, 200)
    assert.deepEqual(stored.body, body.details)
    const { problems: _, ...details } = body.details
    const other422 = { ...answer, text: 'altered', body: { ...body, details } }
    const path = `${ingestBasePath}/brands/${storyBrand}/batches`
    assert.throws(() => assertAnswer('POST', path, other422), /must have required property/)
  })

  it('is refused with the name of what is wrong, and a suggestion', async () => {
    for (const [sent, query, reason] of [
      [
        { ...item, collection: 'tag' },
        '',
        / Line 1 \(tag\): is not a collection: did you mean tags\?$/,
      ],
      [
        { ...item, collection: 'nothing-like-it' },
        '',
        / Line 1 \(nothing-like-it\): is not a collection: collections are named as in the API/,
      ],
      [
        item,
        'map=nothing',
        /changed\. The batch cannot be mapped: this server has no mappings \(INGEST_MAPS\)\.$/,
      ],
    ] as const) {
      const { status, body } = await service.send([sent], { headers: waiting, query })
      assert.equal(status, 422)
      assert.match(body.error, reason)
    }
  })

  it('is checked and not stored in a dry run', async () => {
    const add = [putItem('tags', other)]
    for (const _ of [1, 2]) {
      const { status, body } = await service.send(add, { headers: waiting, query: 'dry-run=true' })
      assert.equal(status, 200)
      assert.deepEqual([body.dryRun, body.state], [true, 'checked'])
      assert.deepEqual([body.collections[0].added, body.writeToken], [1, null])
      const { name: title } = other
      assert.deepEqual(body.changes, [
        { operation: 'added', collection: 'tags', id: other['id'], line: 1, title, fields: [] },
      ])
    }
    const wrong = [{ ...item, record: {} }]
    const { status, body } = await service.send(wrong, { headers: waiting, query: 'dry-run=true' })
    assert.equal(status, 422)
    assert.match(body.error, /It would have been refused\./)
    assert.deepEqual(body.details.changes, [])
  })

  it('shows in a dry run which fields differ, and no value that was not sent', async () => {
    await service.send([item], { headers: waiting })
    const changed = { ...tag, name: 'x'.repeat(300), uiColor: '#000000' }
    const { key } = await service.issue({ collections: ['tags'] })
    const { text, body } = await service.send([putItem('tags', changed)], {
      ...{ key, headers: waiting, query: 'dry-run=true' },
    })
    const cut = `${'x'.repeat(100)}…`
    assert.deepEqual(
      body.changes.map(({ fields }: { fields: unknown }) => fields),
      [
        [
          { field: '/name', after: cut },
          { field: '/uiColor', after: '#000000' },
        ],
      ],
    )
    assert.ok(tag['name'] && !text.includes(String(tag['name'])))
  })

  it('changes some fields of a record, and has the outcome of each item on request', async () => {
    const merge = { ...item, operation: 'merge', record: { uiColor: '#ABCDEF' } }
    await service.send([item], { headers: waiting })
    const query = 'results=items'
    const { status, body } = await service.send([merge], { headers: waiting, query })
    assert.deepEqual(
      [status, body.state, body.results],
      [
        ...[200, 'committed'],
        [{ line: 1, collection: 'tags', id: item.id, outcome: 'changed', problems: [] }],
      ],
    )
    const stored = await service.stored('tags')
    const merged = stored.find(({ id }) => id === item.id)
    assert.deepEqual(merged, { ...tag, uiColor: '#ABCDEF' })
    const wrong = { ...merge, record: { name: 7 } }
    const refused = await service.send([merge, wrong], { headers: waiting, query })
    assert.equal(refused.status, 422)
    const { results, collections } = refused.body.details
    assert.deepEqual(
      results.map(({ outcome, problems }: { outcome: string; problems: object[] }) => [
        ...[outcome, problems.length, problems.some((each) => 'file' in each)],
      ]),
      [
        ['refused', 0, false],
        ['refused', 1, false],
      ],
    )
    const [{ added, changed, unchanged }] = collections
    assert.deepEqual([added, changed, unchanged], [0, 0, 0])
  })

  it('does not show stored values of a record that it changes', async () => {
    const checklist = { ...recordOf('checklists'), code: 'SECRET', name: 'SECRET' }
    const [first, second] = [1, 2].map((version) =>
      putItem('checklists', {
        ...checklist,
        id: `${String(item.id).slice(0, -1)}${version}`,
        version,
      }),
    )
    const { status } = await service.send([first, second] as object[], { headers: waiting })
    assert.equal(status, 200)
    for (const [record, field, value] of [
      [{ version: 1 }, '/version', '1'],
      [{ status: 7 }, '/status', '7'],
      [{ statu: 'x' }, '/statu', 'x'],
    ] as const) {
      const { text, body } = await service.send([{ ...second, operation: 'merge', record }], {
        ...{ headers: waiting, query: 'dry-run=true&results=items' },
      })
      const [problem] = (body.details ?? body).problems
      assert.deepEqual([problem?.field, problem?.value], [field, value], text)
      assert.doesNotMatch(text, /SECRET/)
    }
  })

  it('shortens long identities in the outcomes of its items', async () => {
    const long = { collection: 'c'.repeat(5_000), id: 'x'.repeat(5_000), operation: 'remove' }
    const options = { headers: waiting, query: 'results=items' }
    const { text, body } = await service.send([long], options)
    assert.match(body.details.results[0].id, /^x+…$/)
    assert.ok(text.length < 3_000, text)
  })

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    it(`may be compressed with ${encoding}`, async () => {
      const body = compress(Buffer.from(lines([item])))
      const headers = { 'content-encoding': encoding, ...waiting }
      const sent = await service.send(body, { headers })
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      const cut = await service.send(body.subarray(0, -9), { headers })
      assert.equal(cut.status, 400)
      assert.equal(cut.body.error, `The body is not valid ${encoding}.`)
    })
  }

  it('is the same batch for the same Idempotency-Key and body', async () => {
    const headers = { 'idempotency-key': 'order 7', ...waiting }
    const first = await service.send([item], { headers: { ...headers, 'idempotency-key': 'o-7' } })
    const again = await service.send([item], {
      headers: { ...headers, 'idempotency-key': '"o-7"' },
    })
    assert.equal(first.headers.get('idempotency-replayed'), null)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('location'), first.headers.get('location'))
    const changed = await service.send([putItem('tags', other)], {
      headers: { ...headers, 'idempotency-key': 'o-7' },
    })
    assert.equal(changed.status, 422)
    assert.equal(changed.body.errorCode, 'idempotency_conflict')
    assert.match(changed.body.error, /^The Idempotency-Key "o-7" belongs to an earlier request/)
    for (const key of ['', 'x'.repeat(256), 'a b', '"a']) {
      const odd = await service.send([item], { headers: { 'idempotency-key': key } })
      assert.deepEqual([odd.status, odd.body.errorCode], [400, 'malformed_request'], key)
    }
  })

  it('belongs to its brand alone', async () => {
    const { body } = await service.send([item], { headers: waiting })
    const { key } = await service.issue({ brands: ['birkholm'] })
    const path = (brand: string, id: string) => `${ingestBasePath}/brands/${brand}/batches/${id}`
    const scoped = await service.get(path(storyBrand, body.id), key)
    assert.deepEqual([scoped.status, scoped.body.errorCode], [401, 'out_of_scope'])
    const missing = await service.get(path('birkholm', body.id), key)
    assert.equal(missing.status, 404)
    for (const id of ['x', '..', '%00', "'", 'a'.repeat(65)]) {
      assert.equal((await service.get(path(storyBrand, id))).status, 404, id)
    }
  })

  const refusals: readonly [
    what: string,
    options: Parameters<TestIngest['send']>[1] & { body?: string },
    status: number,
    code: string,
    sentence: RegExp,
  ][] = [
    ['without items', { body: ' \n\n' }, 400, 'malformed_request', /has no items/],
    [
      'of another type',
      { headers: { 'content-type': 'text/csv' } },
      415,
      'unsupported_media_type',
      /must be application\/x-ndjson .* or application\/json/,
    ],
    [
      'in another encoding',
      { headers: { 'content-encoding': 'br' } },
      415,
      'unsupported_media_type',
      /Use gzip, zstd or none/,
    ],
    [
      'with an unknown parameter',
      { query: 'dryrun=true' },
      400,
      'invalid_parameter',
      /did you mean dry-run/,
    ],
    ['with a strange map', { query: 'map=../x' }, 400, 'invalid_parameter', /name of a mapping/],
    ['with a strange flag', { query: 'dry-run=1' }, 400, 'invalid_parameter', /true or false/],
    ['with strange results', { query: 'results=all' }, 400, 'invalid_parameter', /must be items/],
    [
      'of rows with results',
      { query: 'map=erp&results=items' },
      400,
      'invalid_parameter',
      /leave it out for rows and events/,
    ],
    ['without a key', { key: null }, 401, 'missing_api_key', /Send an API key/],
    ['for another brand', { brand: 'birkholm' }, 401, 'out_of_scope', /may not send records/],
    [
      'of JSON that is not an event',
      { headers: { 'content-type': 'application/json' }, body: '[1]' },
      400,
      'malformed_request',
      /one JSON object or one array of JSON objects/,
    ],
  ]
  for (const [what, { body, ...options }, status, code, sentence] of refusals) {
    it(`${what} is refused with ${status}`, async () => {
      const answer = await service.send(body ?? [item], options)
      assert.deepEqual([answer.status, answer.body.errorCode], [status, code])
      assert.match(answer.body.error, sentence)
    })
  }

  it('for a brand that does not exist is refused with 404', async () => {
    const { key } = await service.issue({ brands: ['birkholm'] })
    const { status, body } = await service.send([item], { brand: 'birkholm', key })
    assert.deepEqual([status, body.error], [404, 'There is no such brand.'])
  })

  it('is logged with its key, brand and operation', async () => {
    const { headers } = await service.send([item], { headers: waiting })
    const id = headers.get('x-request-id')
    const logged = () => service.logged.find((each) => each.includes(`"${id}"`))
    await until(() => logged() !== undefined)
    const line = JSON.parse(logged() ?? '')
    assert.deepEqual(
      [line.route, line.brand, line.method, line.status],
      ['sendBatch', storyBrand, 'POST', 200],
    )
    assert.match(line.keyId, /^key_/)
    assert.match((await service.metrics.text()).body, /operation="sendBatch"/)
  })
})

describe('the port that receives records', () => {
  let service: TestIngest
  before(async () => {
    service = await openTestIngest({ INGEST_RATE_PER_SECOND: '1', INGEST_RATE_BURST: '2' })
  })
  after(() => service.close())

  it('has health, readiness and its own document', async () => {
    for (const path of ['/healthz', '/readyz', `${ingestBasePath}/openapi.json`]) {
      assert.equal((await service.get(path, null)).status, 200, path)
    }
    const nothing = await service.get('/whoami')
    assert.deepEqual([nothing.status, nothing.body.errorCode], [404, 'not_found'])
    assert.match(nothing.body.error, /POST to \/api\/ingest\/v1\/brands\/\{brand\}\/batches/)
    const wrong = await service.get(`${ingestBasePath}/brands/${storyBrand}/batches`)
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST'])
  })

  it('limits the requests of each key', async () => {
    const { key } = await service.issue()
    // At once: on a busy machine the rate admits a third one that comes later.
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => service.send([item], { key })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 429])
    const refused = answers.find(({ status }) => status === 429)
    assert.ok(Number(refused?.headers.get('retry-after')) >= 1)
  })
})
