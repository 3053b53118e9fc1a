/** The age of the last backup, as probes and metrics tell it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBackupTable, storeLastBackup } from '#backup'
import { readHealth, readStorage } from '#operator'
import { openTestService, type TestService } from '../support/service.ts'

const takenAt = '2026-11-18T12:00:00.000Z'
const place = 's3://backups/a.backup'
const bytes = 7_000_000
const minute = 60_000
let clock = Date.parse(takenAt)

describe('the age of the last backup', () => {
  let service: TestService
  before(async () => {
    service = await openTestService({ METRICS_PORT: '0' }, { story: false, now: () => clock })
  })
  after(() => service.close())

  const store = async (everySeconds: number | null) => {
    const { keyDatabase } = service.records
    await createBackupTable(keyDatabase)
    const figures = { takenAt, finishedAt: takenAt, bytes, durationMs: 1_500 }
    await keyDatabase.write((session) =>
      storeLastBackup(session, { ...figures, place, everySeconds }),
    )
  }
  const ready = async () => (await service.get('/readyz', { key: null })).body
  const metrics = async () => {
    const text = await (await fetch(service.metricsUrl ?? '')).text()
    return [...text.matchAll(/^(selvedge_backup_\w+) (\S+)$/gm)].map(([, ...parts]) => parts)
  }

  it('is not there without a backup', async () => {
    assert.deepEqual(await ready(), { status: 'ready' })
    assert.deepEqual(await metrics(), [])
  })

  it('is shown without its place', async () => {
    await store(3_600)
    clock += 60 * minute
    assert.deepEqual(await ready(), {
      status: 'ready',
      backup: { ageSeconds: 3_600, everySeconds: 3_600 },
    })
    assert.deepEqual(await metrics(), [
      ['selvedge_backup_age_seconds', '3600'],
      ['selvedge_backup_interval_seconds', '3600'],
      ['selvedge_backup_size_bytes', '7000000'],
      ['selvedge_backup_duration_seconds', '1.5'],
    ])
  })

  it('comes with a warning once it is more than two intervals, and the server stays ready', async () => {
    clock += 61 * minute
    assert.deepEqual(await ready(), {
      status: 'ready',
      warnings: ['The last backup is older than twice its interval.'],
      backup: { ageSeconds: 7_260, everySeconds: 3_600 },
    })
  })

  it('is on the page for operators, with its place', async () => {
    const databaseUrl = `sqlite:${service.folder}/selvedge.db`
    const parts = { ...service.records, databaseUrl, now: () => clock }
    const { lastBackup } = await readStorage(parts)
    const late = { ageSeconds: 7_260, isLate: true }
    const named = { at: takenAt, target: place, bytes, verifiedAt: takenAt }
    assert.deepEqual(lastBackup, { ...named, ...late })
    const openImages = () => ({ ...service.images, close: async () => undefined })
    const { parts: answers } = await readHealth({
      ...{ ...parts, redisUrl: null, imagesUrl: service.folder, openImages },
    })
    assert.deepEqual(
      answers.find(({ part }) => part === 'backup'),
      {
        part: 'backup',
        state: 'warning',
        message: `The last backup is from ${takenAt}: the next one of its schedule is missing.`,
      },
    )
  })

  it('causes no warning if the backup was made by hand', async () => {
    await store(null)
    clock += minute
    const { warnings, backup } = await ready()
    assert.deepEqual([warnings, backup.everySeconds], [undefined, null])
    assert.ok(!(await metrics()).some(([name]) => name === 'selvedge_backup_interval_seconds'))
  })
})
