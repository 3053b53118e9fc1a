/**
 * Simulates the next version: opens the records, which migrates the tables, and returns the results
 * of its new filter.
 */
import { resourceAt } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { added, newerCatalog } from './newer.ts'

const [, , databaseUrl = '', brand = '', value = ''] = process.argv
const database = openDatabase(databaseUrl, { writeWaitMs: 600_000 })
const store = await createStore(newerCatalog, database, {
  log: (sentence) => process.send?.({ sentence }),
})
const page = await store.list({
  resource: resourceAt(newerCatalog, 'order-items'),
  brand,
  filters: new Map([[added.filter, value]]),
  limit: 1,
  after: null,
  include: [],
})
process.send?.({ results: page.total })
await database.close()
process.disconnect?.()
