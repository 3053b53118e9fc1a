/** Keys that are limited to groups get nothing of the others, wherever records come out. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { probeScope, tellingScope } from '../support/scope-probes.ts'

/** A few requests of each kind; group-scopes.slow.test.ts sends more, with random groups. */
const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_118)

it('get the answers of a database without the other groups, or a refusal', async () => {
  const result = await probeScope(tellingScope, { each: 2, seed })
  assert.deepEqual(result.wrong, [])
  assert.ok(result.refused > 20, `${result.refused} refused`)
  assert.ok(result.compared > 50, `${result.compared} compared`)
})
