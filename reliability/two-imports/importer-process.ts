/**
 * One of two concurrent importers. Each message sets a brand's tags to its word and returns whether
 * that succeeded.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { catalog } from '#contract'
import { DatabaseBusyError, openDatabase } from '#database'
import { createStore } from '#store'
import { importRecords } from '../importing.ts'
import { recordsOfRound } from './round.ts'

const [, , databaseUrl = '', brand = '', own = '', count = ''] = process.argv
const database = openDatabase(databaseUrl)
const store = await createStore(catalog, database)

process.on('message', async ({ round, waitMs }: { round: number; waitMs: number }) => {
  const records = recordsOfRound(round, Number(own), Number(count))
  await wait(waitMs)
  try {
    await importRecords(store, { owner: brand, collection: 'tags', records })
    process.send?.({ done: true })
  } catch (error) {
    process.send?.({ done: false, busy: error instanceof DatabaseBusyError, why: String(error) })
  }
})
process.once('disconnect', () => void database.close())
process.send?.({ ready: true })
