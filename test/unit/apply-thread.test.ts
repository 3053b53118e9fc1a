import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { faultOf } from '../../src/intake/unit.ts'
import { createApplyThread } from '../../src/server/apply-thread.ts'

it('blames no batch if the store cannot be opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-apply-thread-'))
  const file = join(folder, 'records.db')
  // A table of another program.
  new DatabaseSync(file).exec('create table "tags" ("colour" text)')
  const thread = createApplyThread({
    ...{ config: { databaseUrl: `sqlite:${file}` }, keepMs: undefined, isKept: false },
  })
  const failure = await thread
    .apply('acme', [], {
      onLocked: async () => undefined,
      onBegun: () => undefined,
      onFinished: () => undefined,
      onReleasedProblem: () => undefined,
    })
    .then(
      () => null,
      (error: unknown) => error,
    )
  await thread.close()
  rmSync(folder, { recursive: true, force: true })
  assert.match(String(failure), /tags/)
  assert.equal(faultOf(failure), 'unavailable')
})
