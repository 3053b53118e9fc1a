/**
 * One of two that import at the same time: on each message it gives a brand's tags its own
 * word, and tells whether that was done.
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
