/** How much of an index a download looks at. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Database, Query } from '#database'
import { createDownloads } from '../../src/store/query/download.ts'
import { tablesOf } from '../../src/store/schema/tables.ts'
import { openSampled } from '../conformance/query/lists.ts'
import { drawSamples, parcels, queried } from '../conformance/query/samples.ts'
import { openOnSqlite } from '../conformance/query/sqlite.ts'

const count = 20_000

/** A database whose queries in steps are seen before they are run. */
const watched = (database: Database, onQuery: (query: Query) => void): Database => ({
  ...database,
  readInSteps: (owner, isCancelled, work, options) =>
    database.readInSteps(
      owner,
      isCancelled,
      (steps) =>
        work({
          stepMs: steps.stepMs,
          get tookMs() {
            return steps.tookMs
          },
          all: (query) => {
            onQuery(query)
            return steps.all(query)
          },
        }),
      options,
    ),
})

describe('a download of a list with a wide filter', () => {
  it('looks for the end of a piece no further than it needs to', async () => {
    const opened = await openOnSqlite()
    const { close } = await openSampled(
      async () => opened,
      drawSamples(31, count),
      drawSamples(32, 10),
    )
    let looked = 0
    const database = watched(opened.database, ({ text, values }) => {
      if (/offset \+\?\d+$/.test(text)) looked += Number(values.at(-1))
    })
    const download = createDownloads({ database, tables: tablesOf(queried) })
    let read = 0
    const total = await download(
      {
        resource: parcels,
        brand: 'acme',
        filters: new Map(),
        where: [{ kind: 'compare', field: 'pieces', is: 'gte', value: 1 }],
        ids: null,
        sort: null,
        fields: null,
        timeMs: 60_000,
        isCancelled: () => false,
      },
      async (list) => {
        for await (const bodies of list.bodies()) read += bodies.length
        return list.total
      },
    )
    await close()
    assert.equal(read, total)
    assert.ok(total > count / 2)
    // Once to count, and about twice to find them: pieces are between half and twice what is needed.
    assert.ok(looked > 0)
    assert.ok(looked < count * 6, `${looked} entries for ${count} records`)
  })
})
