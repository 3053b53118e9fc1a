/** Keys that are limited to random groups get nothing of the others, on both engines. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openPostgres } from '../support/postgres.ts'
import { drawScope, probeScope } from '../support/scope-probes.ts'
import { patient } from '../support/service.ts'

const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_118)

it('get the answers of a database without the other groups, on SQLite', async () => {
  const { wrong, compared } = await probeScope(drawScope(seed), { each: 8, seed })
  assert.deepEqual(wrong, [])
  assert.ok(compared > 80, `${compared} compared`)
})

it('get the answers of a database without the other groups, on PostgreSQL', async () => {
  const postgres = await openPostgres()
  try {
    const [one, other] = [await postgres.url('all'), await postgres.url('some')]
    const { wrong, compared } = await probeScope(drawScope(seed + 1), {
      ...{ each: 2, seed },
      environment: { DATABASE_URL: patient(one) },
      otherEnvironment: { DATABASE_URL: patient(other) },
    })
    assert.deepEqual(wrong, [])
    assert.ok(compared > 20, `${compared} compared`)
  } finally {
    await postgres.close()
  }
})
