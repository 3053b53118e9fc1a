/** Who did it: entries of the audit log about what several operators do on the page at the same time. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openTestAdmin, type TestAdmin } from '../support/admin-service.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`operators of the page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    before(async () => {
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      const url = await postgres?.url('actors')
      admin = await openTestAdmin(url === undefined ? {} : { DATABASE_URL: url })
    })
    after(async () => {
      await admin.close()
      await postgres?.close()
    })

    it('are the actors of their own changes, also at the same time', async () => {
      const operators = ['anna', 'bob']
      const browsers = await Promise.all(operators.map((operator) => admin.signIn(operator)))
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, round) =>
          browsers.map(({ ask, session }) =>
            ask('/api/keys', {
              method: 'POST',
              body: { name: `${session.operator} ${round}`, global: true },
            }),
          ),
        ).flat(),
      )
      for (const { status, text } of answers) assert.equal(status, 200, text)
      const issued = (await admin.entries()).filter(({ action }) => action === 'key.issued')
      assert.equal(issued.length, 20)
      for (const { actor, actorKind, program, details } of issued) {
        assert.equal(actorKind, 'operator')
        assert.equal(actor, String(details['name']).split(' ')[0])
        assert.match(program, /^selvedge \S+ admin$/)
      }
    })

    it('are not asked about what a browser without their session sends', async () => {
      const before = (await admin.entries()).length
      const { cookie } = await admin.signIn('carla')
      const body = { name: 'stolen', global: true }
      for (const headers of [{ cookie }, { cookie, origin: 'http://evil.example' }, {}]) {
        const { status } = await admin.ask('/api/keys', { method: 'POST', body, headers })
        assert.ok(status === 401 || status === 403, String(status))
      }
      const after = (await admin.entries()).slice(before)
      assert.deepEqual(
        after.map(({ action }) => action),
        ['admin.signed-in'],
      )
    })
  })
}
