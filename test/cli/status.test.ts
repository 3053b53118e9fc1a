/** `selvedge status`: what the operator page shows of an installation, at a terminal. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createBackupTable, storeLastBackup } from '#backup'
import type { OperatorFeedReader, OperatorHealth, OperatorStorage } from '#contract'
import { until } from '../support/cluster.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { feedOf } from '../support/feed.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

interface Status {
  readonly health: OperatorHealth
  readonly storage: OperatorStorage
  readonly feedReaders: readonly OperatorFeedReader[]
}

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`selvedge status on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let service: TestService
    let place: Sandbox
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      service = await openTestService({ CHANGE_FEED: 'on', ...(url && { DATABASE_URL: url }) })
      place = openSandbox(url ?? `sqlite:${join(service.folder, 'selvedge.db')}`)
    })
    after(async () => {
      place.close()
      await service.close()
      await postgres?.close()
    })

    const status = async (environment: NodeJS.ProcessEnv = {}) => {
      const images = { IMAGES_URL: `file:${join(place.folder, 'images')}` }
      const all = { ...images, ...environment }
      const { code, stdout, stderr } = await place.run(['status', '--json'], undefined, all)
      return { code, stderr, ...(JSON.parse(stdout) as Status) }
    }
    const text = async () => (await place.run(['status'])).stdout

    it('prints the parts and the storage, before there is anything else', async () => {
      const { code, health, storage, feedReaders, stderr } = await status()
      assert.equal(code, 0, stderr)
      assert.equal(health.parts.find(({ part }) => part === 'database')?.state, 'ok')
      assert.equal(storage.engine, engine === 'SQLite' ? 'sqlite' : 'postgres')
      assert.deepEqual(feedReaders, [])
      const printed = await text()
      assert.match(printed, /^database +ok +/m)
      assert.match(printed, engine === 'SQLite' ? /^records +\//m : /^selvedge_changes +[\d,]+ +/m)
      assert.match(printed, /^No backup was made yet: selvedge backup$/m)
      assert.match(printed, /^No key has read the change feed\.$/m)
    })

    it('prints who reads the change feed, and the last backup', async () => {
      const key = await service.key('aldermoor')
      const ask = () =>
        fetch(`${service.url}${feedOf('aldermoor')}?limit=2`, {
          headers: { authorization: `Bearer ${key}` },
        })
      await until(async () => (await ask()).status === 200)
      await until(async () => (await status()).feedReaders.length > 0)
      const [reader] = (await status()).feedReaders
      assert.deepEqual(
        [reader?.brand, reader?.keyName, reader?.lagSeconds],
        ['aldermoor', 'test', null],
      )
      assert.ok(Number(reader?.lagChanges) > 0)
      const { keyDatabase } = service.records
      await createBackupTable(keyDatabase)
      const at = '2026-11-18T09:00:00.000Z'
      const backup = {
        ...{ takenAt: at, finishedAt: at, place: '/backups', bytes: 1_234, durationMs: 1 },
        everySeconds: null,
      }
      await keyDatabase.write((session) => storeLastBackup(session, backup))
      const printed = await text()
      assert.match(printed, /^aldermoor +key_\S+ +test +all +\S+Z +[\d,]+ +never caught up$/m)
      assert.match(printed, /^Last backup: 2026-11-18T09:00:00\.000Z, 1,234 bytes, \/backups\.$/m)
    })

    it('prints a reader whose position a restore has lost', async () => {
      const { database, keyDatabase } = service.records
      const [lost, newest] = [900_000_000_000, 900_000_000_001]
      await database.write((session) =>
        session.run({
          text: 'insert into "selvedge_change_numbers" ("change") values (?1)',
          values: [newest],
        }),
      )
      const position = JSON.stringify({ change: lost, collection: '~', key: [] })
      await keyDatabase.write((session) =>
        session.run({
          text: 'update "selvedge_feed_readers" set "position" = ?1, "read_at" = ?2',
          values: [position, '2999-01-01T00:00:00.000Z'],
        }),
      )
      assert.match(await text(), /^aldermoor .* \S+Z +all +has to read everything again$/m)
    })

    it('ends with 1 if a part does not answer', async () => {
      const { code, health } = await status({ REDIS_URL: 'redis://127.0.0.1:1' })
      assert.equal(code, 1)
      const redis = health.parts.find(({ part }) => part === 'redis')
      assert.equal(redis?.state, 'error')
      assert.match(redis?.message ?? '', /^Redis cannot be reached: /)
    })
  })
}
