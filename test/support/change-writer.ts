/**
 * A second process that imports while another one serves: it gives all tags of two brands a new
 * state again and again, and tells when each was committed. In state n every tag is named after
 * its brand and n, and there are between 30 and 39 of them.
 */
import { catalog, resourceAt } from '#contract'
import { openRecords } from '#server'
import { idOf, recordsAt } from './model.ts'

const [, , databaseUrl = '', backoffMs = '', ...brands] = process.argv
const resource = resourceAt(catalog, 'tags')
const [tag] = recordsAt('tags')
const records = await openRecords({ databaseUrl })
/** A clock that is the same in all processes of the machine. */
const now = () => Number(process.hrtime.bigint()) / 1e6

let stopped = false
process.on('message', () => {
  stopped = true
})
for (let state = 1; !stopped; state += 1) {
  for (const brand of brands) {
    const began = now()
    const change = await records.store.write(brand, async (writer) => {
      const many = Array.from({ length: 30 + (state % 10) }, (_, n) => ({
        ...tag,
        id: idOf(n),
        name: `${brand} ${state}`,
        code: `${brand} ${n % 3}`,
      }))
      await writer.stage(resource, many)
      await writer.merge(resource, { replace: true })
      return writer.change
    })
    process.send?.({ brand, state, began, done: now(), change: change() })
  }
  await new Promise((resolve) => setTimeout(resolve, Number(backoffMs)))
}
await records.close()
process.disconnect?.()
