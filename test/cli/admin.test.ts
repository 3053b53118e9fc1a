/** `selvedge admin`: links to the operator page, and its sessions. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'

describe('selvedge admin', () => {
  let sandbox: Sandbox
  let admin: TestAdmin
  before(async () => {
    sandbox = openSandbox()
    admin = await openTestAdmin({ DATABASE_URL: sandbox.databaseUrl })
  })
  after(async () => {
    await admin.close()
    sandbox.close()
  })
  beforeEach(() => admin.sessions.end(null))

  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
    sandbox.run(['admin', ...args], undefined, { ADMIN_PORT: '8110', ...environment })

  it('prints a link that signs in once, as the one who is named', async () => {
    const { code, stdout, stderr } = await run(['--as', 'anna'])
    assert.equal(code, 0, stderr)
    const [, token = ''] = /^http:\/\/127\.0\.0\.1:8110\/#token=([\w-]{59})\n$/.exec(stdout) ?? []
    assert.match(
      stderr,
      /^Signs in as anna\. Works once, until \S+Z\. To end it: selvedge admin end [0-9a-f]{16}\n$/,
    )
    const answer = await admin.redeem(token)
    assert.equal(answer.body.operator, 'anna')
    assert.equal((await admin.redeem(token)).status, 401)
  })

  it('takes the name from SELVEDGE_OPERATOR, and the address from ADMIN_URL', async () => {
    const { stdout, code } = await run(['--json'], {
      ...{ SELVEDGE_OPERATOR: 'bob', ADMIN_URL: 'https://selvedge.example' },
    })
    assert.equal(code, 0)
    const { id, operator, link, expiresAt } = JSON.parse(stdout)
    assert.match(id, /^[0-9a-f]{16}$/)
    assert.equal(operator, 'bob')
    assert.match(link, /^https:\/\/selvedge\.example\/#token=/)
    assert.ok(Date.parse(expiresAt) > Date.now())
  })

  it('refuses to sign in without a name', async () => {
    const { code, stderr } = await run([])
    assert.equal(code, 2)
    assert.match(stderr, /Say who signs in, for the audit log: selvedge admin --as <name>/)
    assert.deepEqual(await admin.sessions.list(), [])
  })

  it('prints where the demo serves the page without ADMIN_PORT', async () => {
    const { stdout, stderr } = await run(['--as', 'anna'], { ADMIN_PORT: '' })
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:8100\/#token=/)
    assert.match(stderr, /^ADMIN_PORT is not set, so this is where the demo/)
  })

  it('prints no link to a port that it does not know', async () => {
    const { code, stderr } = await run(['--as', 'anna'], { ADMIN_PORT: '0' })
    assert.equal(code, 1)
    assert.match(stderr, /^ADMIN_PORT is 0, so the port of the operator page is not known\./)
    assert.deepEqual(await admin.sessions.list(), [])
  })

  it('lists sessions and links, without their secrets', async () => {
    const none = await run(['sessions'])
    assert.match(
      none.stdout,
      /^No operator is signed in\. To sign in: selvedge admin --as <name>\n$/,
    )
    const { cookie } = await admin.signIn('anna')
    const link = await admin.sessions.issueLink('bob')
    const { stdout } = await run(['sessions', '--json'])
    const listed = JSON.parse(stdout) as { id: string; operator: string; signedInAt: string }[]
    assert.deepEqual(
      listed.map(({ operator, signedInAt }) => [operator, signedInAt !== null]).toSorted(),
      [
        ['anna', true],
        ['bob', false],
      ],
    )
    const table = await run(['sessions'])
    assert.match(table.stdout, new RegExp(`${link.id} +bob +not yet`))
    for (const secret of [cookie.split('=')[1]?.slice(16) ?? '', link.token.slice(16)]) {
      assert.ok(!stdout.includes(secret))
      assert.ok(!table.stdout.includes(secret))
    }
  })

  it('ends one session or all, in the name of the one who runs it', async () => {
    const first = await admin.signIn('anna')
    const second = await admin.signIn('bob')
    const id = (await admin.sessions.list()).find(({ operator }) => operator === 'anna')?.id ?? ''
    const one = await run(['end', id, '--as', 'carla'])
    assert.equal(one.stdout, `Ended: ${id} of anna.\n`)
    assert.equal((await first.ask('/api/session')).status, 401)
    assert.equal((await second.ask('/api/session')).status, 200)
    const all = await run(['end', '--all', '--json'])
    assert.deepEqual(
      JSON.parse(all.stdout).map((each: { operator: string }) => each.operator),
      ['bob'],
    )
    assert.equal((await second.ask('/api/session')).status, 401)
    const entry = (await admin.entries()).findLast(({ subject }) => subject === id)
    assert.deepEqual([entry?.action, entry?.actor], ['admin.ended', 'carla'])
    assert.match(entry?.program ?? '', / admin end$/)
    assert.equal((await run(['end', '--all'])).stdout, 'There was no session.\n')
  })

  it('says what is wrong with the session to end', async () => {
    const unknown = await run(['end', '0123456789abcdef'])
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /There is no session 0123456789abcdef, or it has ended\./)
    for (const args of [['end'], ['end', '0123456789abcdef', '--all']]) {
      const { code, stderr } = await run(args)
      assert.equal(code, 2)
      assert.match(stderr, /Say which session to end: use either <id> or --all\./)
    }
  })
})

describe('the settings of the operator page', () => {
  const check = async (environment: NodeJS.ProcessEnv) => {
    const sandbox = openSandbox()
    try {
      const { stdout } = await sandbox.run(['config', 'check', '--json'], undefined, environment)
      const { findings } = JSON.parse(stdout) as {
        readonly findings: readonly { subject: string; state: string; message: string }[]
      }
      return findings.filter(({ subject }) => subject.startsWith('ADMIN_'))
    } finally {
      sandbox.close()
    }
  }

  it('are warned of if others than this machine reach the page without TLS', async () => {
    const open = { ADMIN_PORT: '8110', ADMIN_HOST: '0.0.0.0' }
    const [finding] = await check(open)
    assert.equal(finding?.state, 'warning')
    assert.match(finding?.message ?? '', /listens on 0\.0\.0\.0 without TLS/)
    assert.equal((await check({ ...open, ADMIN_URL: 'http://selvedge.example' })).length, 1)
    assert.deepEqual(await check({ ...open, ADMIN_URL: 'https://selvedge.example' }), [])
    assert.deepEqual(await check({ ...open, ADMIN_HOST: 'localhost' }), [])
    assert.deepEqual(await check({ ADMIN_HOST: '0.0.0.0' }), [])
  })

  it('must have an address without a path', async () => {
    for (const ADMIN_URL of ['https://selvedge.example/admin', 'selvedge.example', 'ftp://x']) {
      const [finding] = await check({ ADMIN_PORT: '8110', ADMIN_URL })
      assert.equal(finding?.state, 'error', ADMIN_URL)
      assert.match(finding?.message ?? '', /^ADMIN_URL must be /)
    }
  })
})
