/** A pull checks what it reads, retries what may succeed, and rejects everything else. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, beforeEach, describe, it } from 'node:test'
import { catalog } from '#contract'
import { PullError, type PullOptions } from '#pull'
import { hostileServers, openHostileServer } from '../../reliability/hostile/servers.ts'
import { limitTransport, runLimits } from '../../src/pull/run-limits.ts'
import {
  brand,
  endings,
  openCopies,
  recordsIn,
  recordsOf,
  resultAt,
  tagsFrom,
} from '../support/copies.ts'
import { brandRecord } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const copies = await openCopies()
const { service, relay, newTarget, newCopy, pull, assertCopy } = copies
beforeEach(copies.reset)
after(copies.close)

describe('a pull counts', () => {
  it('and names the collection whose total differs; the copy is not changed', async () => {
    for (const ending of endings) {
      relay.alter = (_target, response) => response
      const to = await newCopy(ending)
      await pull(to)
      const before = recordsIn(to)
      await service.write(brand, { tags: tagsFrom(1, 1, `Miscounted${ending}`) })
      relay.alter = (target, passed) =>
        /\/tags\?/.test(target) && passed.status === 200
          ? {
              ...passed,
              body: passed.body.replace(/"totalItems":(\d+)/, (_, n) => `"totalItems":${+n + 1}`),
            }
          : passed
      await assert.rejects(
        pull(to),
        /^PullError: tags: the API has \d+ records, the copy has \d+\./,
      )
      for (const [path, text] of before) assert.equal(recordsIn(to).get(path), text, path)
    }
    await service.write(brand, { tags: tagsFrom(1, 1) })
  })

  it('and rejects a list that has a record twice; the copy is not changed', async () => {
    const to = await newCopy()
    await service.write(brand, { tags: tagsFrom(1, 1, 'Newer') })
    relay.alter = (target, answer) => {
      if (!target.includes('/tags?') || answer.status !== 200) return answer
      const body = JSON.parse(answer.body)
      body.items[1] = body.items[0]
      return { ...answer, body: JSON.stringify(body) }
    }
    await assert.rejects(pull(to), /^PullError: The list of tags has the record .* twice/)
    relay.alter = (_target, response) => response
    await service.write(brand, { tags: tagsFrom(1, 1) })
    await assertCopy(to)
  })

  it('and adds the columns that an older copy lacks', async () => {
    const to = await newCopy('.db')
    const copy = new DatabaseSync(to)
    copy.exec('alter table "tags" drop column "code"')
    copy.exec('update "tags" set "name" = \'of before\'')
    copy.close()
    assert.ok(resultAt(await pull(to), 'tags').changed > 0)
    assert.equal(recordsIn(to).get('tags'), (await recordsOf(service)).get('tags'))
  })

  it('and notices a copy that was edited; --full repairs it', async () => {
    const to = await newCopy('.db')
    const database = new DatabaseSync(to)
    database.exec("delete from countries where code = 'IS'")
    database.close()
    await assert.rejects(pull(to), /countries: the API has 249 records, the copy has 248/)
    assert.equal(resultAt(await pull(to, { full: true }), 'countries').new, 1)
    await assertCopy(to)
  })
})

describe('a pull over a bad connection', () => {
  it('waits for the rate limit of its key', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '40', RATE_BURST: '30' })
    after(() => slow.close())
    const pulled = await pull(newTarget(), { url: slow.url, key: await slow.key(brand) })
    assert.ok(pulled.requests > catalog.resources.length + 2, 'it never had to wait')
  })

  it('retries after failures, broken responses and lost connections', async () => {
    let turn = 0
    relay.intercept = () => {
      turn += 1
      if (turn % 5 === 0) return { status: 503, body: 'down' }
      if (turn % 7 === 0) throw new Error('cut off')
      return null
    }
    const to = newTarget()
    await pull(to)
    relay.intercept = () => null
    await assertCopy(to)
  })

  it('asks for smaller pages where records are too large for one response', async () => {
    const refuse = (isRefused: (limit: number, target: string) => boolean) => {
      relay.intercept = (target) => {
        const limit = Number(/\/tags\?limit=(\d+)/.exec(target)?.[1] ?? 0)
        if (!isRefused(limit, target)) return null
        const error = 'The response would have more than 33554432 bytes.'
        return { status: 400, body: JSON.stringify({ error, errorCode: 'page_too_large' }) }
      }
    }
    for (const isRefused of [
      (limit: number) => limit > 30,
      // Only of a later page.
      (limit: number, target: string) => limit > 60 && target.includes('cursor='),
    ]) {
      refuse(isRefused)
      const to = newTarget()
      await pull(to)
      relay.intercept = () => null
      await assertCopy(to)
    }
    refuse((limit) => limit > 0)
    await assert.rejects(pull(newTarget()), /\/tags\?limit=1 answered 400\. The response would/)
    relay.intercept = () => null
  })

  it('gives up after a number of tries, and reports the last response', async () => {
    relay.intercept = (target) => (/orders/.test(target) ? { status: 500, body: '' } : null)
    await assert.rejects(
      pull(newTarget()),
      /\/orders\?limit=100 answered 500 .* Gave up after 7 tries\./,
    )
    assert.equal(relay.requests.filter((target) => /\/orders\?/.test(target)).length, 7)
  })
})

describe('a pull rejects', () => {
  const rejectedAs = async (options: Partial<PullOptions>, reason: RegExp, to = newTarget()) => {
    await assert.rejects(pull(to, options), (error: unknown) => {
      assert.ok(error instanceof PullError, String(error))
      assert.match(error.message, reason)
      return true
    })
    return to
  }

  it('a wrong key, a key of another brand and a brand that does not exist', async () => {
    const to = await rejectedAs({ key: 'slv_wrong' }, /^The key is not accepted\. The API key is/)
    assert.equal(existsSync(to), false, 'nothing is created for a wrong key')
    await service.write('other', { brand: [brandRecord('other', 99)] })
    await rejectedAs({ key: await service.key('other') }, /^The API key may not read this brand\.$/)
    await rejectedAs({ key: await service.key(), brand: 'absent' }, / has no brand absent\.$/)
    await rejectedAs({ brand: 'No Slug' }, /^"No Slug" is not a valid slug\.$/)
  })

  it('addresses that are not valid, or not of a Selvedge server', async () => {
    await rejectedAs({ url: 'records' }, /^"records" is not an address such as https/)
    await rejectedAs({ url: 'ftp://records' }, /is not an address/)
    await rejectedAs({ url: `${relay.url}?x=1` }, /has a user name, a password, a query/)
    await rejectedAs({ url: `${relay.url}/api/public/v1/brands/other` }, /not the brand aldermoor/)
    await rejectedAs(
      { url: 'http://127.0.0.1:9' },
      /^The connection to .* failed: .* Gave up after 2 tries\.$/,
    )
    await rejectedAs({ url: 'http://192.0.2.1' }, /is plain HTTP, which would expose the key/)
    for (const [status, headers, body, reason] of [
      [
        200,
        { 'content-type': 'text/html' },
        '<p>Hello',
        / is not a Selvedge server: it answered 200 with text\/html/,
      ],
      [
        404,
        { 'content-type': 'text/html' },
        '<p>Lost',
        / is not a Selvedge server: it answered 404/,
      ],
      [200, { 'content-type': 'application/json' }, '{"slug":"another"}', /is not a brand/],
      [302, { location: 'https://elsewhere.example' }, '', /redirects to https:\/\/elsewhere/],
    ] as const) {
      const other = createServer((_, response) => response.writeHead(status, headers).end(body))
      await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
      const { port } = other.address() as AddressInfo
      await rejectedAs({ url: `http://localhost:${port}` }, reason)
      other.closeAllConnections()
      other.close()
    }
  })

  it('targets that hold something else', async () => {
    const folder = newTarget()
    mkdirSync(folder)
    writeFileSync(join(folder, 'thesis.txt'), 'years of work')
    await rejectedAs({}, /is not empty and is not a copy of a brand/, folder)
    const file = newTarget('.txt')
    writeFileSync(file, 'x')
    await rejectedAs({}, /is a file\. Name a folder/, file)
    const text = newTarget('.db')
    writeFileSync(text, 'not a database, but long enough to be looked at as one '.repeat(40))
    await rejectedAs({}, /cannot be used as a SQLite file/, text)
    const foreign = newTarget('.db')
    const database = new DatabaseSync(foreign)
    database.exec('create table mine (x)')
    database.close()
    await rejectedAs({}, /is a database, but not a copy of a brand/, foreign)
  })

  it('a copy of another brand or from another server, and two pulls at once', async () => {
    const to = await newCopy()
    await service.write('other', { brand: [brandRecord('other', 99)] })
    const anyKey = await service.key()
    await rejectedAs({ brand: 'other', key: anyKey }, /is a copy of the brand aldermoor/, to)
    await rejectedAs({ url: service.url }, /is a copy from .*, not from .* --full/, to)
    await pull(to, { url: service.url, full: true })
    await assertCopy(to)
    writeFileSync(join(to, '.selvedge-pull.db.lock'), `${process.ppid}\n`)
    await rejectedAs(
      { url: service.url },
      /Another pull \(process \d+\) is writing to this copy/,
      to,
    )
    writeFileSync(join(to, '.selvedge-pull.db.lock'), '999999999\n')
    await pull(to, { url: service.url })
  })
})

describe('a pull is limited in total', () => {
  const names = [
    'a billion records, all of them sent',
    'requests without end',
    'time without end',
    'one record on each page',
    'a change feed of one change on each page',
  ]
  const servers = hostileServers.filter(({ name }) => names.includes(name))
  assert.equal(servers.length, names.length)
  for (const server of servers) {
    it(`from a server with ${server.name}`, async () => {
      const open = await openHostileServer(server)
      const logged: string[] = []
      const options = {
        url: open.url,
        limits: server.limits ?? {},
        log: (sentence: string) => logged.push(sentence),
      }
      try {
        await pull(newTarget('.db'), options).catch((error: Error) => {
          assert.ok(error instanceof PullError, String(error))
          logged.push(error.message)
        })
        assert.ok(server.says)
        assert.match(logged.join('\n'), server.says)
      } finally {
        await open.close()
      }
    })
  }

  it('from a server that drips its responses', async () => {
    let at = 0
    const limits = { ...runLimits, idleTimeoutMs: 1_000, clock: () => at }
    const response = {
      url: '',
      status: 200,
      headers: new Headers(),
      body: '',
      etag: null,
      tries: 1,
    }
    const transport = limitTransport(
      {
        requests: 1,
        download: () => assert.fail(),
        get: async (url) => {
          at += Number(url)
          return response
        },
      },
      limits,
    )
    for (let request = 0; request < 20; request += 1) await transport.get('900')
    for (let request = 0; request < 3; request += 1) await transport.get('1600')
    await assert.rejects(transport.get('1600'), {
      name: 'PullError',
      message: /^The server sends its responses too slowly: some took 6 s together/,
    })
  })
})
