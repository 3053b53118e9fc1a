/**
 * Imports one batch of tags after the other, and tells of each whether it was done. It is started
 * in an environment in which its calls to the system fail now and then.
 */
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { idOf, recordsAt } from '../../test/support/model.ts'
import { importRecords } from '../importing.ts'

const [, , databaseUrl = '', brand = '', from = '', to = '', rows = ''] = process.argv
const [tag] = recordsAt('tags')
const report = (message: object) =>
  new Promise<void>((sent) => process.send?.(message, undefined, {}, () => sent()))

const database = openDatabase(databaseUrl)
const store = await createStore(catalog, database)
for (let number = Number(from); number < Number(to); number += 1) {
  const records = Array.from({ length: Number(rows) }, (_, index) => ({
    ...tag,
    id: idOf(1_000_000 + number * Number(rows) + index),
    name: `import ${number}`,
  }))
  // A process that ends here has neither said that it was done nor that it was not.
  await report({ number, began: true })
  try {
    await importRecords(store, { owner: brand, collection: 'tags', records })
    await report({ number, done: true })
  } catch (error) {
    await report({ number, done: false, why: (error as Error).message })
  }
}
await database.close()
process.disconnect?.()
