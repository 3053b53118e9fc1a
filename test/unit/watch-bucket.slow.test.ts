/** Objects that are put into a bucket: which are taken, where they are afterwards, and after a crash. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type S3Client, StorageUnavailable } from '#s3'
import { bucketInbox } from '#watch'
import { closeServer, listen, remove, startS3, temporaryFolder } from '../support/images.ts'
import { line, tag } from '../support/import-records.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import {
  addBrand,
  namesIn,
  openBucketClient,
  openFileUnits,
  putText,
  tagNames,
  watchOnce,
} from '../support/watching.ts'

const { store } = await openImportSandbox().openRecords('bucket.db')
const today = () => new Date().toISOString().slice(0, 10)

class Crash extends Error {}

/** A bucket that ends the program at one of its calls: before it is carried out, or after it. */
const crashing = (client: S3Client, at: number, moment: 'before' | 'after') => {
  let calls = 0
  const count =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      calls += 1
      if (calls === at && moment === 'before') throw new Crash()
      const result = await call(...args)
      if (calls >= at) throw new Crash()
      return result
    }
  return {
    ...client,
    head: count(client.head),
    get: count(client.get),
    put: count(client.put),
    copy: count(client.copy),
    remove: count(client.remove),
  }
}

describe('a watched bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  let folder: string
  let prefixes = 0
  /** A prefix and a brand of their own. */
  const open = async () => {
    prefixes += 1
    const name = `brand-${prefixes}`
    await addBrand(store, name, prefixes)
    const client = openBucketClient(s3.endpoint, `in/${name}`)
    const inboxOf = (over: S3Client = client) =>
      bucketInbox({ name: `s3://${name}`, client: over, temporaryFolder: folder })
    return { name, client, inboxOf, once: () => watchOnce(store, name, inboxOf()) }
  }
  before(async () => {
    s3 = await startS3()
    folder = await temporaryFolder()
  })
  after(async () => {
    await s3.close()
    await remove(folder)
  })

  it('takes objects in the order of the times in their names, and leaves copies of them', async () => {
    const { client, once, name } = await open()
    await putText(client, 'tags-20260302.ndjson', line(tag(1, { name: 'second' })))
    await putText(client, 'tags-20260301.ndjson', line(tag(1, { name: 'first' })))
    await putText(client, 'tags-20260303.ndjson', line(tag(2, { name: 7 })))
    await putText(client, '.hidden', 'not taken')
    await putText(client, 'another/tags.ndjson', 'not taken')
    const { outcomes, failed } = await once()
    assert.equal(failed, 1)
    assert.deepEqual(
      outcomes.map(({ file, outcome, movedTo }) => [file, outcome, movedTo]),
      [
        ['tags-20260301.ndjson', 'imported', `processed/${today()}/tags-20260301.ndjson`],
        ['tags-20260302.ndjson', 'imported', `processed/${today()}/tags-20260302.ndjson`],
        ['tags-20260303.ndjson', 'failed', 'failed/tags-20260303.ndjson'],
      ],
    )
    assert.deepEqual(await namesIn(client), [
      '.hidden',
      'another/tags.ndjson',
      'failed/tags-20260303.ndjson',
      'failed/tags-20260303.ndjson.problems.ndjson',
      'failed/tags-20260303.ndjson.problems.txt',
      `processed/${today()}/tags-20260301.ndjson`,
      `processed/${today()}/tags-20260302.ndjson`,
    ])
    assert.deepEqual(await tagNames(store, name), ['second'])
    const problems = await client.get('failed/tags-20260303.ndjson.problems.txt')
    assert.ok(problems)
    assert.equal(
      await new Response(ReadableStream.from(problems.body)).text(),
      'must be a string\n',
    )
    const [state] = await store.sources.list(name)
    assert.deepEqual([state?.processed, state?.failed, state?.waiting], [2, 1, 0])
  })

  it('refuses a CSV file that ends without a line break, unless a marker is there', async () => {
    const { client, once } = await open()
    const header = 'id,name,code,createdAt,updatedAt'
    await putText(client, 'tags-1.csv', header)
    await putText(client, 'tags-2.csv', header)
    await putText(client, 'tags-2.csv.done', '')
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file, outcome }) => [file, outcome]),
      [
        ['tags-1.csv', 'failed'],
        ['tags-2.csv', 'imported'],
      ],
    )
    assert.match(outcomes[0]?.problem ?? '', /^ends without a line break/)
  })

  it('keeps a second object of the same name beside the first, and does not import it', async () => {
    const { client, once } = await open()
    const names = []
    for (const text of ['one', 'two', 'two']) {
      await putText(client, 'tags.ndjson', line(tag(1, { name: text })))
      // The time of an object is known to a second.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const { outcomes } = await once()
      names.push(...outcomes.map(({ outcome }) => outcome))
    }
    assert.deepEqual(names, ['imported', 'imported', 'repeated'])
    const processed = await namesIn(client, `processed/${today()}/`)
    assert.equal(processed.length, 3)
    assert.ok(processed.includes('tags.ndjson'))
    assert.equal(processed.filter((each) => /^tags-[0-9a-f]{8}\.ndjson$/.test(each)).length, 2)
  })

  it('takes names with spaces, signs, CJK characters and line breaks', async () => {
    const { client, once } = await open()
    const names = [
      'tags 20260301 a (b).ndjson',
      'tags 20260302 面料 棉.ndjson',
      '20260303 tags\n.ndjson',
    ]
    for (const [index, name] of names.entries()) await putText(client, name, line(tag(index)))
    const { outcomes } = await once()
    assert.deepEqual(
      outcomes.map(({ file }) => file),
      names,
    )
    assert.equal((await namesIn(client, 'working/')).length, 0)
    assert.equal((await namesIn(client)).length, 3)
  })

  it('looks at every page of a listing, and decodes names', async () => {
    const page = (first: number, rest: string) =>
      `<ListBucketResult><EncodingType>url</EncodingType>${Array.from(
        { length: 1_000 },
        (_, index) =>
          `<Contents><Key>in/tags+%26%0A${first + index}</Key><LastModified>2026-03-01T09:30:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>`,
      ).join('')}${rest}</ListBucketResult>`
    const tokens: (string | null)[] = []
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x')
      tokens.push(searchParams.get('continuation-token'))
      const next = '<NextContinuationToken>a/b&amp;c=</NextContinuationToken>'
      response.end(page((tokens.length - 1) * 1_000, tokens.length < 12 ? next : ''))
    })
    const client = openBucketClient(`http://127.0.0.1:${await listen(server)}`, 'in')
    try {
      const objects = []
      for await (const each of client.list('')) objects.push(...each)
      assert.equal(new Set(objects.map(({ name }) => name)).size, 12_000)
      assert.deepEqual(objects[1_001], {
        name: 'tags &\n1001',
        etag: '"e"',
        bytes: 7,
        modifiedMs: Date.parse('2026-03-01T09:30:00.000Z'),
      })
      assert.deepEqual(tokens, [null, ...Array<string>(11).fill('a/b&c=')])
      tokens.length = 0
      const inbox = bucketInbox({ name: 's3://x', client, temporaryFolder: folder })
      const { files, hasMore } = await inbox.list()
      assert.deepEqual([files.length, hasMore, tokens.length], [10_000, true, 11])
    } finally {
      await closeServer(server)
    }
  })

  it('takes an object that was replaced after it was listed with its new content only', async () => {
    const { client, inboxOf, once, name } = await open()
    await putText(client, 'tags.ndjson', line(tag(1, { name: 'old' })))
    const inbox = inboxOf()
    const [file] = (await inbox.list()).files
    assert.ok(file)
    await putText(client, 'tags.ndjson', line(tag(1, { name: 'new' })))
    assert.equal(await inbox.claim(file), false)
    await once()
    assert.deepEqual(await tagNames(store, name), ['new'])
  })

  for (const moment of ['before', 'after'] as const) {
    it(`loses and doubles nothing when the program ends ${moment} any of its requests`, async () => {
      let crashes = 0
      for (let at = 1; ; at += 1) {
        const { client, inboxOf, once, name } = await open()
        await putText(client, 'tags-20260301.ndjson', line(tag(1, { name: 'first' })))
        await putText(client, 'tags-20260301.ndjson.done', '')
        await putText(client, 'tags-20260302.ndjson', line(tag(2, { name: 7 })))
        await putText(client, 'tags-20260303.ndjson', line(tag(1, { name: 'last' })))
        let isWhole = false
        try {
          await watchOnce(store, name, inboxOf(crashing(client, at, moment)))
          isWhole = true
        } catch (error) {
          assert.ok(error instanceof Crash, String(error))
          crashes += 1
        }
        await once()
        assert.deepEqual(
          await namesIn(client),
          [
            'failed/tags-20260302.ndjson',
            'failed/tags-20260302.ndjson.problems.ndjson',
            'failed/tags-20260302.ndjson.problems.txt',
            `processed/${today()}/tags-20260301.ndjson`,
            `processed/${today()}/tags-20260303.ndjson`,
          ],
          `request ${at}`,
        )
        assert.deepEqual(await tagNames(store, name), ['last'])
        const [state] = await store.sources.list(name)
        assert.equal(state?.processed, 2, `request ${at}`)
        if (isWhole) break
      }
      // Each of the three objects takes at least ten requests.
      assert.ok(crashes >= 30, `${crashes}`)
    })
  }

  it('deletes the copy in failed of an object that is imported after a crash', async () => {
    const { client, inboxOf, once, name } = await open()
    await putText(client, 'tags.ndjson', line(tag(1, { name: 7 })))
    // It ends between the copy to failed and the deletion in working.
    const copied: S3Client = {
      ...client,
      copy: async (...args) => {
        await client.copy(...args)
        if (args[1].startsWith('failed/')) throw new Crash()
        return true
      },
    }
    await assert.rejects(watchOnce(store, name, inboxOf(copied)), Crash)
    assert.ok((await namesIn(client)).includes('failed/tags.ndjson'))
    const claim = (await client.head('working/tags.ndjson'))?.headers ?? {}
    // As if what was missing had come: here the content itself is another one.
    await client.put('working/tags.ndjson', new TextEncoder().encode(line(tag(1))), claim)
    await once()
    assert.deepEqual(await namesIn(client), [`processed/${today()}/tags.ndjson`])
  })

  it('takes an object back that has ended the program three times, if it is retried', async () => {
    const { client, inboxOf, once, name } = await open()
    // Another object has the name in failed already.
    await putText(client, 'failed/tags.ndjson', line(tag(1, { name: 'other' })))
    await putText(client, 'tags.ndjson', line(tag(1, { name: 'back' })))
    const dying = { ...inboxOf(), draft: () => Promise.reject(new Crash()) }
    for (let deaths = 0; deaths < 3; deaths += 1) {
      await assert.rejects(watchOnce(store, name, dying), Crash)
    }
    assert.equal((await once()).outcomes[0]?.outcome, 'failed')
    assert.equal((await namesIn(client, 'failed/')).length, 4)
    const units = await openFileUnits(store)
    const [unit] = await units.list({ brand: name, limit: 1 })
    assert.ok(await units.retry(unit?.id ?? ''))
    assert.equal((await once()).outcomes[0]?.outcome, 'imported')
    assert.deepEqual(await namesIn(client), [
      'failed/tags.ndjson',
      `processed/${today()}/tags.ndjson`,
    ])
    assert.deepEqual(await tagNames(store, name), ['back'])
  })

  it('leaves no copy on this machine', async () => {
    const { client, name } = await open()
    const own = await temporaryFolder()
    await putText(client, 'tags.ndjson', line(tag(1)))
    const inbox = bucketInbox({ name: `s3://${name}`, client, temporaryFolder: own })
    const { outcomes } = await watchOnce(store, name, inbox)
    assert.equal(outcomes.length, 1)
    const [copies = ''] = readdirSync(own)
    assert.deepEqual(readdirSync(join(own, copies)), [])
    await inbox.close()
    assert.deepEqual(readdirSync(own), [])
    await remove(own)
  })

  for (const [changes, message] of [
    [{ secretAccessKey: 'wrong' }, /responded to GET with 403 SignatureDoesNotMatch\. Check the/],
    [
      { bucket: 'nowhere' },
      /responded to GET with 404 NoSuchBucket\. Check the name of the bucket/,
    ],
  ] as const) {
    it(`says what is wrong with ${JSON.stringify(changes)}`, async () => {
      const client = openBucketClient(s3.endpoint, 'in', changes)
      const inbox = bucketInbox({ name: 's3://x', client, temporaryFolder: folder })
      await assert.rejects(inbox.list(), (error) => {
        assert.ok(error instanceof StorageUnavailable)
        assert.match(error.message, message)
        return true
      })
    })
  }
})

/** An endpoint that is not what it should be: somebody else's, or one reached without encryption. */
describe('a hostile endpoint', () => {
  /** An inbox of an endpoint, and a file of this machine beside its folder for copies. */
  const against = async (
    handle: RequestListener,
    check: (inbox: ReturnType<typeof bucketInbox>, victim: string) => Promise<void>,
  ): Promise<void> => {
    const server = createServer(handle)
    const folder = await temporaryFolder()
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'kept')
    const client = openBucketClient(`http://127.0.0.1:${await listen(server)}`, 'in')
    try {
      await check(bucketInbox({ name: 's3://x', client, temporaryFolder: folder }), victim)
      assert.equal(readFileSync(victim, 'utf8'), 'kept')
    } finally {
      await closeServer(server)
      await remove(folder)
    }
  }
  const listing = (keys: readonly string[], rest = '') =>
    `<ListBucketResult><EncodingType>url</EncodingType>${keys
      .map((key) => `<Contents><Key>in/${key}</Key><ETag>"e"</ETag><Size>7</Size></Contents>`)
      .join('')}${rest}</ListBucketResult>`

  it('has names refused that are paths, and the others taken', async () => {
    const keys = ['x/../../victim', '..', '.', 'a%5Cb', 'a%00b', 'tags.ndjson', '&#xd800;']
    await against(
      (_, response) => response.end(listing(keys)),
      async (inbox) => {
        const { files, refused } = await inbox.list()
        assert.deepEqual(
          files.map(({ name }) => name),
          ['tags.ndjson'],
        )
        assert.deepEqual(
          refused.map(({ name }) => name),
          ['x/../../victim', '..', '.', 'a\\b', 'a\0b', '\ud800'],
        )
        assert.match(refused[0]?.reason ?? '', /^has a name with a slash, a backslash or NUL/)
      },
    )
  })

  it('has files listed behind 10,000 names that are refused or ignored', async () => {
    const others = Array.from({ length: 10_000 }, (_, index) => [`%5C${index}`, `.${index}`])
    await against(
      (_, response) => response.end(listing([...others.flat(), 'tags.ndjson', 'tags.ndjson.done'])),
      async (inbox) => {
        const { files, refused } = await inbox.list()
        assert.deepEqual(
          files.map(({ name }) => name),
          ['tags.ndjson'],
        )
        assert.equal(refused.length, 1_000)
      },
    )
  })

  it('names no file of this machine', async () => {
    await against(
      (_, response) => response.end('of the endpoint'),
      async (inbox, victim) => {
        const file = await inbox.open('../victim')
        await file?.close()
        assert.ok(file)
        assert.equal(readFileSync(victim, 'utf8'), 'kept')
        await inbox.close()
      },
    )
  })

  const refusals: readonly (readonly [string, RequestListener, RegExp])[] = [
    [
      'a listing without end',
      (_, response) => {
        const piece = listing(['tags.ndjson']).repeat(1_000)
        const send = () => {
          while (response.write(piece));
        }
        response.on('drain', send)
        send()
      },
      /sent more than 16,777,216 bytes in one response\.$/,
    ],
    [
      'pages without end',
      (_, response) =>
        response.end(listing([], '<NextContinuationToken>n</NextContinuationToken>')),
      /^s3:\/\/x lists 100 pages with fewer than 10,000 files\. /,
    ],
    [
      'names that cannot be decoded',
      (_, response) => response.end(listing(['%E0%A4'])),
      /sent a listing that is not valid\.$/,
    ],
  ]
  for (const [what, handle, message] of refusals) {
    it(`is given up because of ${what}`, () =>
      against(handle, async (inbox) => {
        await assert.rejects(inbox.list(), (error) => {
          assert.ok(error instanceof StorageUnavailable)
          assert.match(error.message, message)
          return true
        })
      }))
  }

  it('does not stop the program with elements that have no end', async () => {
    await against(
      (_, response) => response.end('<Contents>'.repeat(1_000_000)),
      async (inbox) => assert.deepEqual((await inbox.list()).files, []),
    )
  })
})
