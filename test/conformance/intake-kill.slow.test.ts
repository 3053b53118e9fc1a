/** A batch that ends every process that works on it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase, openQueueDatabase } from '#database'
import { openUnits } from '#intake'
import { sharedOwner } from '#store'
import { type Item, openTestQueue, storyBrand, storyItems } from '../support/queue.ts'

const script = new URL('../support/dying-intake.ts', import.meta.url).pathname

it('a batch that kills its process three times is quarantined, and the next one is stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-kill-'))
  const url = `sqlite:${join(folder, 'records.db')}`
  const records = openDatabase(url)
  const database = openQueueDatabase(url, records)
  const [brand, tag] = ['brand', 'tags'].map((path) =>
    storyItems.find(({ collection }) => collection === path),
  ) as [Item, Item]
  const first = await openTestQueue(records, database)
  await first.commit([brand])
  const [poisoned, next] = await first.store.write(sharedOwner, async () => {
    const sent = [await first.send([tag]), await first.send([tag])] as const
    await first.queue.close()
    return sent.map(({ batch }) => batch)
  })
  const parts = { database, store: first.store, holder: 'test', now: Date.now, newId: () => '' }
  const units = await openUnits(parts)
  const unitOf = async (id = '') => await units.find(id)
  const number = String((await unitOf(poisoned?.id))?.number)
  for (let killed = 1; killed <= 3; killed += 1) {
    const child = spawn(process.execPath, [script, url, number], { stdio: 'inherit' })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    const { state, attempts } = (await unitOf(poisoned?.id)) ?? {}
    assert.deepEqual([state, attempts], ['working', killed])
  }
  const last = await openTestQueue(records, database)
  assert.equal((await last.queue.finished(storyBrand, next?.id ?? '', 300_000))?.state, 'committed')
  const unit = await unitOf(poisoned?.id)
  assert.deepEqual([unit?.state, unit?.attempts], ['quarantined', 3])
  assert.match(unit?.lastError ?? '', /^The process ended while it worked on the unit/)
  // The cause is gone with the script.
  assert.equal(await units.retry(unit?.id ?? ''), true)
  const retried = await last.queue.finished(storyBrand, unit?.id ?? '', 300_000)
  assert.equal(retried?.state, 'committed')
  await last.queue.close()
  await database.close()
  await records.close()
  rmSync(folder, { recursive: true })
})
