/** Units of files among many others. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '#database'
import { openUnits } from '#intake'
import { endedUnitsQuery, figureQueries, listUnits } from '../../src/intake/unit-table.ts'
import { findFileUnit, readPlace } from '../../src/watch/file-unit.ts'

const place = { brand: 'acme', kind: 'file', source: 'inbox', position: 'first' } as const

/** Units, the first of which is in quarantine, and a thousand later ones. */
const openMany = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-units-'))
  const database = openDatabase(`sqlite:${folder}/units.db`)
  const rewrites = { hold: async () => 1, release: async () => undefined }
  const sources = { find: async () => null, update: async () => undefined }
  const quarantine = { lastChange: async () => 0 }
  const store = { rewrites, sources, quarantine }
  const parts = { database, store, now: Date.now, newId: randomUUID }
  const open = () => openUnits({ ...parts, holder: 'a test' })
  const units = await open()
  for (let attempts = 0; attempts < 3; attempts += 1) {
    await units.fail(await units.begin(place), new RangeError('always'), 'unit')
  }
  await database.write((session) =>
    session.run({
      text: `insert into "selvedge_units" ("number", "id", "brand", "kind", "source", "position",
          "state", "attempts", "received_at", "finished_at", "bytes", "length")
        select "number" + n."value" + 1, 'unit ' || n."value", "brand", "kind", "source",
          'file ' || n."value", "state", 3, "received_at", "finished_at", 0, 0
        from "selvedge_units", json_each(?1) as n`,
      values: [JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index))],
    }),
  )
  return { units, open, database, close: () => database.close() }
}

it('finds the unit of a file behind a thousand others', async () => {
  const { units, close } = await openMany()
  assert.equal((await findFileUnit(units, place, 'quarantined'))?.attempts, 3)
  await close()
})

it('finds open units and those in quarantine by an index', async () => {
  const { database, close } = await openMany()
  for (const state of ['waiting', 'working', 'quarantined'] as const) {
    const plan = await database.explain(listUnits({ ...place, state, limit: 1 }))
    assert.match(plan.join(), /USING INDEX selvedge_units__(open|quarantined) /, state)
  }
  await close()
})

it('finds the last units and the figures of a brand by an index', async () => {
  const { database, close } = await openMany()
  const explain = (filter: Parameters<typeof endedUnitsQuery>[1]) =>
    database.explain(endedUnitsQuery(database.dialect, filter))
  const ended = await explain({ brand: 'acme', limit: 20 })
  assert.match(ended.join(), /USING INDEX selvedge_units__brand \(brand=\?/)
  assert.doesNotMatch(ended.join(), /SCAN|TEMP B-TREE/)
  const after = { finishedAt: '2026', number: 7 }
  for (const brand of ['acme', undefined]) {
    const next = (await explain({ brand, after, limit: 20 })).join()
    assert.match(next, /USING INDEX selvedge_units__(brand|finished) /)
    assert.doesNotMatch(next, /SCAN|TEMP B-TREE/)
  }
  for (const query of figureQueries('acme')) {
    const plan = (await database.explain(query)).join()
    assert.match(plan, /INDEX selvedge_units__(open|quarantined) \(brand=\?/)
  }
  await close()
})

it('refuses the oldest of too many units in quarantine, without a server', async () => {
  const { units, open, close } = await openMany()
  const first = await findFileUnit(units, place, 'quarantined')
  await (await open()).begin({ ...place, position: 'another' })
  assert.equal((await units.find(first?.id ?? ''))?.state, 'refused')
  await close()
})

it('ends the unit of an earlier file with the name, also if the process dies meanwhile', async () => {
  const { units, close } = await openMany()
  const dying = { ...units, finish: () => Promise.reject(new RangeError('the process died')) }
  const read = { ...place, position: 'second' }
  await readPlace(dying, read, place).catch(() => undefined)
  assert.equal(await findFileUnit(units, place, 'waiting'), null)
  assert.equal(await readPlace(units, read, place), read)
  await close()
})
