/** A bucket as the target of backups: uploads in parts, and those that are not completed. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { openBucketTarget } from '#backup'
import { createS3Client, type S3Client } from '#s3'
import { bucket, closeServer, credentials, listen, startS3 } from '../support/images.ts'
import { bucketAddress, namesIn, openBucketClient } from '../support/watching.ts'

const installation = '0123456789ab'
const at = Date.parse('2026-11-18T12:00:00.000Z')
const begun = { installation, at, bytesMax: 100_000_000 }
const name = `selvedge-20261118T120000000Z-${installation}.backup`
/** Longer than two parts. */
const content = randomBytes(40_000_000)

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  before(async () => {
    s3 = await startS3()
  })
  after(() => s3.close())

  for (const bytes of [1_000, 16 * 1_048_576, content.length]) {
    it(`gets a backup of ${bytes} bytes once it is finished, and not before`, async () => {
      const prefix = `size-${bytes}`
      const client = openBucketClient(s3.endpoint, prefix)
      const target = await openBucketTarget(bucketAddress(s3.endpoint, prefix), client)
      const draft = await target.create(begun)
      for (let from = 0; from < bytes; from += 7_000_000) {
        await draft.write(content.subarray(from, Math.min(from + 7_000_000, bytes)))
      }
      assert.deepEqual(await namesIn(client), [])
      await draft.finish()
      assert.deepEqual(await namesIn(client), [name])
      const stored = Buffer.concat(await Array.fromAsync(draft.read()))
      assert.equal(sha256(stored), sha256(content.subarray(0, bytes)))
      await draft.publish()
      await draft.abort()
      assert.deepEqual(await target.list(installation), [name])
      assert.deepEqual(await target.list('ffffffffffff'), [])
    })
  }

  it('does not have a backup that was not verified', async () => {
    const client = openBucketClient(s3.endpoint, 'unverified')
    const target = await openBucketTarget(bucketAddress(s3.endpoint, 'unverified'), client)
    const draft = await target.create(begun)
    await draft.write(content.subarray(0, 1_000))
    await draft.finish()
    await draft.abort()
    assert.deepEqual(await namesIn(client), [])
  })
})

/** The server of the other tests neither lists nor aborts uploads. */
describe('uploads that are not completed', () => {
  const requests: string[] = []
  let failsAt = Number.POSITIVE_INFINITY
  let server: Server
  let client: S3Client
  before(async () => {
    server = createServer((request, response) => {
      request.resume().once('end', () => {
        const url = new URL(request.url ?? '', 'http://s3')
        requests.push(`${request.method} ${url.pathname}${url.search}`)
        const part = Number(url.searchParams.get('partNumber'))
        if (part >= failsAt)
          response.writeHead(500).end('<Error><Code>InternalError</Code></Error>')
        else if (part > 0) response.writeHead(200, { etag: '"e"' }).end()
        else if (request.method === 'POST') response.end('<r><UploadId>a/b c</UploadId></r>')
        else if (url.searchParams.has('uploads')) response.end(listed)
        else if (request.method === 'GET') response.end('<ListBucketResult></ListBucketResult>')
        else response.writeHead(204).end()
      })
    })
    const endpoint = `http://127.0.0.1:${await listen(server)}`
    client = createS3Client({
      ...{ bucket, prefix: 'p', endpoint, region: 'us-east-1', pathStyle: true },
      ...{ ...credentials, what: 'The bucket', now: () => at, timeoutMs: 5_000 },
    })
  })
  after(() => closeServer(server))

  const upload = (key: string, id: string, hours: number) =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(at - hours * 3_600_000).toISOString()}</Initiated></Upload>`
  const listed = [
    '<ListMultipartUploadsResult>',
    upload(`p/${name}`, 'old', 25),
    upload(`p/${name}`, 'running', 1),
    upload('p/selvedge-20261118T120000000Z-ffffffffffff.backup', 'foreign', 99),
    upload('p/selvedge-film.mp4', 'other', 99),
    '</ListMultipartUploadsResult>',
  ].join('')

  it('are aborted when a part fails', async () => {
    const target = await openBucketTarget('s3://b/p', client)
    const draft = await target.create(begun)
    failsAt = 2
    await assert.rejects(async () => {
      await draft.write(content)
      await draft.finish()
    }, /responded to PUT with 500 InternalError/)
    requests.length = 0
    await draft.abort()
    assert.deepEqual(requests, [`DELETE /${bucket}/p/${name}?uploadId=a%2Fb%20c`])
  })

  it('of killed runs of this installation are aborted after a day', async () => {
    const target = await openBucketTarget('s3://b/p', client)
    requests.length = 0
    await target.create(begun)
    assert.deepEqual(
      requests.filter((each) => each.startsWith('DELETE')),
      [`DELETE /${bucket}/p/${name}?uploadId=old`],
    )
  })
})
