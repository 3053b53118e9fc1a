/** The command `selvedge watch` with a bucket: its settings, its errors, mapped files and parking. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { bucket, closeServer, credentials, startS3 } from '../support/images.ts'
import { brand, line, tag } from '../support/import-records.ts'
import { bucketAddress, namesIn, openBucketClient, putText } from '../support/watching.ts'

const own = ['--brand', brand, '--no-check']
const keys = {
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
}

describe('watch s3://…', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  let place: Sandbox
  const watch = (address: string, args: readonly string[] = [], environment: object = keys) =>
    place.run(['watch', address, ...own, '--once', '--every', '1s', ...args], '', {
      ...environment,
    })
  before(async () => {
    s3 = await startS3()
    place = openSandbox()
    const made = await place.run(['brands', 'add', brand, '--name', 'Aldermoor'])
    assert.equal(made.code, 0, made.stderr)
  })
  after(async () => {
    place.close()
    await s3.close()
  })

  it('takes objects as soon as they are there, and shows the bucket among the sources', async () => {
    const client = openBucketClient(s3.endpoint, 'drop/erp')
    await putText(client, 'tags-20260301.ndjson', line(tag(1)))
    const address = bucketAddress(s3.endpoint, 'drop/erp')
    const { code, stdout, stderr } = await watch(address, ['--settle', '1h'])
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^tags-20260301\.ndjson: imported: tags 1 new\. Moved to processed\//)
    const [state] = JSON.parse((await place.run(['sources', '--json'])).stdout)
    assert.deepEqual(
      [state.name, state.processed, state.waiting],
      [`s3://${bucket}/drop/erp`, 1, 0],
    )
  })

  it('with --done takes only objects that have a marker, and deletes it', async () => {
    const client = openBucketClient(s3.endpoint, 'marked')
    await putText(client, 'tags-20260302.ndjson', line(tag(2)))
    await putText(client, 'tags-20260302.ndjson.done', '')
    await putText(client, 'tags-20260303.ndjson', line(tag(3)))
    const { code, stdout } = await watch(bucketAddress(s3.endpoint, 'marked'), ['--done', '--json'])
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).file, 'tags-20260302.ndjson')
    const names = await namesIn(client)
    assert.deepEqual(
      names.filter((name) => !name.startsWith('processed/')),
      ['tags-20260303.ndjson'],
    )
  })

  it('refuses an address, settings and a bucket that cannot be used', async () => {
    const address = bucketAddress(s3.endpoint, 'in')
    const noKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }
    const wrong = { ...keys, AWS_SECRET_ACCESS_KEY: 'wrong' }
    const cases = [
      ['s3://x', keys, /^The address "s3:\/\/x" must name a bucket: /],
      [address, noKeys, /needs an access key id and a secret access key\. Set AWS_ACCESS_KEY_ID/],
      [address, wrong, /^The bucket pictures at \S+ responded to GET with 403 \w+\. Check the acc/],
      [address.replace(bucket, 'nowhere'), keys, /404 NoSuchBucket\. Check the name of the bucket/],
      [bucketAddress('http://127.0.0.1:9', 'in'), keys, /cannot be reached\.\n$/],
    ] as const
    for (const [url, environment, message] of cases) {
      const { code, stderr } = await watch(url, [], environment)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
      assert.ok(!stderr.includes('    at '), stderr)
    }
  })

  it('waits for a bucket that is away, says so in the sources, and continues', async () => {
    const away = await startS3()
    const port = Number(new URL(away.endpoint).port)
    const client = openBucketClient(away.endpoint, 'away')
    await putText(client, 'tags-20260304.ndjson', line(tag(4)))
    const started = place.start(
      ['watch', bucketAddress(away.endpoint, 'away'), ...own, '--every', '1s'],
      keys,
    )
    await started.said('tags-20260304.ndjson: imported')
    await closeServer(away.server)
    await started.said('cannot be reached. Trying again in')
    const stateNow = async () =>
      JSON.parse((await place.run(['sources', '--json'])).stdout).find(
        ({ name }: { name: string }) => name === `s3://${bucket}/away`,
      )
    const state = await stateNow()
    assert.equal(state.state, 'failing')
    assert.match(state.error, /cannot be reached/)
    const back = await startS3(port)
    await putText(client, 'tags-20260305.ndjson', line(tag(5)))
    await started.said('tags-20260305.ndjson: imported')
    started.child.kill('SIGTERM')
    assert.equal((await started.ended).code, 0)
    assert.deepEqual([(await stateNow()).state, (await stateNow()).error], ['idle', null])
    await back.close()
  })
})
