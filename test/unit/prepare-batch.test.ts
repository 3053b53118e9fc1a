import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalog } from '#contract'
import { createMaps } from '../../src/intake/maps.ts'
import { type OpenedBatch, prepareBatch } from '../../src/intake/prepare-batch.ts'
import { createPreparer } from '../../src/intake/preparer.ts'
import type { BatchOptions } from '../../src/intake/queue-table.ts'
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

  it('begins when its thread is free, not while it waits', async () => {
    const preparer = createPreparer({ catalog, mapsFolder: null })
    const steps: string[] = []
    const prepare = async (name: string) => {
      await preparer.prepare(badOrders(2_000), importedAt, async () => {
        steps.push(`${name} begins`)
      })
      steps.push(`${name} ends`)
    }
    await Promise.all([prepare('first'), prepare('second')])
    await preparer.close()
    assert.deepEqual(steps, ['first begins', 'first ends', 'second begins', 'second ends'])
  })
})
