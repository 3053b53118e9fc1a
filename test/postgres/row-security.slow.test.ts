/** Row-level security is there after every start, or the server says so. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Catalog, catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { small } from '../conformance/store/samples.ts'
import { openSandbox } from '../support/command.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'

/** Beside the records: collections, totals, changes, imports, checks, findings, search, settings, writes, day snapshots, missing parts, published views. */
const otherPolicies = 12
const policies = catalog.resources.length + otherPolicies

describe('row-level security', () => {
  let postgres: Postgres
  let superuser: string

  before(async () => {
    postgres = await openPostgres()
    superuser = await postgres.url('postgres')
  })
  after(() => postgres.close())

  const run = async (url: string, ...texts: readonly string[]) => {
    const database = openDatabase(url)
    try {
      return await database.write(async (session) => {
        let rows: readonly (readonly unknown[])[] = []
        for (const text of texts) rows = await session.all({ text, values: [] })
        return rows
      })
    } finally {
      await database.close()
    }
  }
  const counted = async (url: string) => {
    const [row] = await run(
      url,
      "select (select count(*) from pg_policies where 'selvedge_reader' = any(roles)), (select count(*) from information_schema.role_table_grants where grantee = 'selvedge_reader')",
    )
    return { policies: Number(row?.[0]), grants: Number(row?.[1]) }
  }
  /** A new database that a user without rights of its own owns. */
  const databaseOf = async (user: string): Promise<string> => {
    const url = await postgres.url(`of_${user}`)
    await run(url, `create role ${user} login`, `alter schema public owner to ${user}`)
    return url.replace('postgres@', `${user}@`)
  }
  /** Opens a store. What is about some tables needs few of them. */
  const open = async (url: string, tables: Catalog = catalog) => {
    const said: string[] = []
    const database = openDatabase(url)
    const store = await createStore(tables, database, { log: (sentence) => said.push(sentence) })
    const { missingSecurity } = store
    await database.close()
    return { missingSecurity, said }
  }
  /** The cluster has one role for all databases; it goes with what it was given. */
  const dropRole = async (...urls: readonly string[]) => {
    for (const url of [superuser, ...urls]) {
      const admin = url.replace(/\/\/[^@]+@/, '//postgres@')
      await run(
        admin,
        "do $$ begin if exists (select from pg_roles where rolname = 'selvedge_reader') then drop owned by selvedge_reader; end if; end $$",
      )
    }
    await run(superuser, 'drop role if exists selvedge_reader')
  }

  it('is reported as missing by a user who may not create the role, and added once there is one', async () => {
    await dropRole()
    const url = await databaseOf('plain')
    const first = await open(url)
    assert.match(
      first.missingSecurity ?? '',
      /^The role selvedge_reader does not exist, and plain may not create it\. .*create role selvedge_reader; grant selvedge_reader to "plain";$/,
    )
    assert.deepEqual(await counted(url), { policies: 0, grants: 0 })

    await run(superuser, 'create role selvedge_reader')
    const second = await open(url)
    assert.match(second.missingSecurity ?? '', /^plain may not act as the role selvedge_reader\./)

    await run(superuser, 'grant selvedge_reader to plain')
    const third = await open(url)
    assert.equal(third.missingSecurity, null)
    assert.deepEqual(await counted(url), { policies, grants: policies + 1 })
    assert.deepEqual((await open(url)).said, [])
  })

  it('is repaired at the next start after a restore without the role', async () => {
    const url = await postgres.url('restored')
    assert.equal((await open(url)).missingSecurity, null)
    const all = await counted(url)
    assert.equal(all.policies, policies)
    await dropRole(url, await postgres.url('of_plain'))
    assert.deepEqual(await counted(url), { policies: 0, grants: 0 })
    const { missingSecurity, said } = await open(url)
    assert.equal(missingSecurity, null)
    assert.match(said.join(), /Row-level security was set up on \d+ tables\./)
    assert.deepEqual(await counted(url), all)
  })

  it('hides the secret from the role that serves requests, also in a database from before', async () => {
    const url = await postgres.url('secret')
    await open(url, small)
    const database = openDatabase(url)
    try {
      const store = await createStore(small, database)
      await store.setting('secret', () => 'not to be read')
      const settings = { text: 'select "name" from "selvedge_settings"', values: [] }
      const shapes = { text: 'select "collection" from "selvedge_shapes"', values: [] }
      await run(
        url,
        'alter table "selvedge_settings" disable row level security',
        'drop policy selvedge_rows on "selvedge_settings"',
        'grant select on "selvedge_shapes" to selvedge_reader',
      )
      const [before = []] = await database.read([settings], 1)
      assert.ok(before.some(([name]) => name === 'secret'))

      await open(url, small)
      const [after = []] = await database.read([settings], 1)
      assert.deepEqual(
        after.filter(([name]) => name !== 'change'),
        [],
      )
      await assert.rejects(database.read([shapes], 1), /permission denied/)
      assert.equal(await store.findSetting('secret'), 'not to be read')
    } finally {
      await database.close()
    }
  })

  it('replaces a policy that lets more rows through than it should', async () => {
    const url = await postgres.url('lax')
    await open(url, small)
    assert.deepEqual((await open(url, small)).said, [])
    await run(
      url,
      'alter policy selvedge_owner on "selvedge_collections" using (true)',
      'alter policy selvedge_rows on "selvedge_settings" using (true)',
    )
    const { missingSecurity, said } = await open(url, small)
    assert.equal(missingSecurity, null)
    assert.deepEqual(said, ['Row-level security was set up on 2 tables.'])
    assert.deepEqual(await run(url, "select count(*) from pg_policies where qual = 'true'"), [[0]])
  })

  it('lets a member without the right to take the role read without it', async () => {
    const url = await postgres.url('member')
    await open(url, small)
    await run(url, 'create role member login', 'grant selvedge_reader to member with set false')
    const database = openDatabase(url.replace('postgres@', 'member@'))
    try {
      const user = { text: 'select current_user::text', values: [] }
      assert.deepEqual(await database.read([user], 1), [[['member']]])
    } finally {
      await database.close()
    }
  })

  it('is not tried by a user who cannot repair it, nor by commands for keys', async () => {
    const url = await postgres.url('busy')
    await open(url)
    await run(
      url,
      'create role helper login createrole',
      'grant selvedge_reader to helper',
      'grant select, insert, update, delete on all tables in schema public to helper',
    )
    const place = openSandbox(url)
    const importing = openDatabase(url)
    try {
      // The first command of a database stores its secret, under the records' write lock.
      assert.equal((await place.run(['keys', 'list'])).code, 0)
      await run(url, 'drop policy selvedge_owner on "selvedge_collections"')
      await importing.write(async () => {
        const began = performance.now()
        const { missingSecurity } = await open(url.replace('postgres@', 'helper@'))
        assert.match(missingSecurity ?? '', /missing or different on 1 tables, .* repairs them\.$/)
        const listed = await place.run(['keys', 'list'])
        assert.equal(listed.code, 0, listed.stderr)
        const issued = await place.run(['keys', 'issue', '--global', '--json'])
        assert.equal(issued.code, 0, issued.stderr)
        const revoked = await place.run(['keys', 'revoke', JSON.parse(issued.stdout).id])
        assert.equal(revoked.code, 0, revoked.stderr)
        // Each of them would have waited for a minute.
        assert.ok(performance.now() - began < 60_000)
      })
    } finally {
      place.close()
      await importing.close()
    }
    assert.equal((await open(url)).missingSecurity, null)
  })

  it('is required in production, with a message that says how to add it', async () => {
    await dropRole(
      ...(await Promise.all(
        ['of_plain', 'restored', 'secret', 'lax', 'member', 'busy'].map((name) =>
          postgres.url(name),
        ),
      )),
    )
    const url = await databaseOf('second')
    const place = openSandbox(url)
    const environment = { PORT: '0', WORKERS: '1', METRICS_PORT: '0' }
    try {
      const refused = await place.start(['serve'], { ...environment, NODE_ENV: 'production' }).ended
      assert.equal(refused.code, 1)
      assert.match(
        refused.stderr,
        /^Row-level security is missing, so that .* set ROW_SECURITY=optional\.$/m,
      )

      for (const optional of [{ NODE_ENV: 'production', ROW_SECURITY: 'optional' }, {}]) {
        const served = place.start(['serve'], { ...environment, ...optional })
        let said = ''
        for (const stream of [served.child.stdout, served.child.stderr]) {
          stream?.on('data', (text) => {
            said += text
          })
        }
        await served.said('Ctrl+C stops.')
        assert.match(
          said,
          /Row-level security is missing\. The role selvedge_reader does not exist/,
        )
        const at = (label: string) => new RegExp(`${label} +(http://[^/\\s]+)`).exec(said)?.[1]
        const ready = await fetch(`${at('Console')}/readyz`)
        assert.equal(ready.status, 200)
        assert.deepEqual(await ready.json(), {
          status: 'ready',
          warnings: ['Row-level security is missing; see the log.'],
        })
        const metrics = await (await fetch(`${at('Metrics')}/metrics`)).text()
        assert.match(metrics, /^selvedge_row_security_missing 1$/m)
        served.child.kill('SIGTERM')
        await Promise.race([served.ended, wait(20_000)])
      }
    } finally {
      place.close()
    }
  })
})
