import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import type { BatchOptions } from '../../src/intake/batch-table.ts'
import { createMaps } from '../../src/intake/maps.ts'
import { type OpenedBatch, prepareBatch } from '../../src/intake/prepare-batch.ts'
import { idOf } from '../support/model.ts'

const options: BatchOptions = {
  form: 'items',
  map: null,
  collections: null,
  dryRun: true,
  park: false,
}
const importedAt = '2026-11-17T00:00:00.000Z'

/** Orders without their required fields. */
const badOrders = (count: number): OpenedBatch => {
  const lines = Array.from({ length: count }, (_, n) => {
    const id = idOf(n)
    return JSON.stringify({ collection: 'orders', id, operation: 'put', record: { id } })
  })
  return { id: idOf(count), brand: 'acme', options, body: Buffer.from(lines.join('\n')) }
}

describe('a batch that is prepared', () => {
  it('keeps its first problems and counts the others', async () => {
    const parts = { catalog, maps: createMaps(null) }
    const problemsOf = async (count: number) => {
      const { problems, sources, problemsLeftOut } = await prepareBatch(
        parts,
        badOrders(count),
        importedAt,
      )
      const ofRows = sources.flatMap(({ validated }) => validated.flatMap((each) => each.problems))
      return { problems: [...problems, ...ofRows], problemsLeftOut }
    }
    const one = (await problemsOf(1)).problems.length
    assert.ok(one > 1)
    const { problems, problemsLeftOut } = await problemsOf(1_000)
    assert.equal(problems.length, 100)
    assert.deepEqual(problems[0]?.line, 1)
    assert.equal(problemsLeftOut, one * 1_000 - 100)
  })
})
