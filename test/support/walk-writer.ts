/**
 * A second process that writes while another one reads: it adds, changes and removes tags of a
 * brand until it receives a message, and reports of each change when it began, when it was done and
 * how many tags there were then.
 */
import { catalog, resourceAt } from '#contract'
import { openRecords } from '#server'
import { idOf, recordsAt, seeded } from './model.ts'

const [, , databaseUrl = '', brand = '', from = '', many = '', seed = '26'] = process.argv
const resource = resourceAt(catalog, 'tags')
const [tag] = recordsAt('tags')
const draw = seeded(Number(seed))
const records = await openRecords({ databaseUrl })
const present = new Set<string>()
const now = () => performance.timeOrigin + performance.now()

let stopped = false
process.on('message', () => {
  stopped = true
})
for (let round = 0; !stopped; round += 1) {
  // Identities between those that stay, so that pages are written to while they are walked.
  const ids = Array.from({ length: 1 + draw(3) }, () => idOf(Number(from) + draw(Number(many)) * 4))
  const [coming, going] = draw(2) === 0 ? [ids, []] : [[], ids]
  const began = now()
  await records.store.write(brand, async (writer) => {
    const changed = { ...tag, name: 'Passing', code: `round ${round}` }
    await writer.stage(
      resource,
      [...new Set(coming)].map((id) => ({ ...changed, id })),
    )
    await writer.stageRemoval(
      resource,
      [...new Set(going)].map((id) => [id]),
    )
    await writer.merge(resource)
  })
  for (const id of coming) present.add(id)
  for (const id of going) present.delete(id)
  process.send?.({ began, done: now(), count: present.size })
  await new Promise((resolve) => setTimeout(resolve, draw(3)))
}
await records.close()
process.disconnect?.()
