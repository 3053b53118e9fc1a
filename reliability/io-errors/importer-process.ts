/**
 * Imports batches of tags in turn and reports whether each succeeded. It runs in an environment in
 * which some of its system calls fail.
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
    name: `${number} ${index}`,
    code: `import ${number}`,
  }))
  // A process that ends here reports neither success nor failure.
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
