import { hkdfSync } from 'node:crypto'
import { catalog, resourceAt } from '#contract'
import { type DemoSet, demoImage, openStory } from '#demo'
import { drawKey, openKeys } from '#keys'
import type { Service } from '#service'
import { sharedOwner } from '#store'

/** The demo brand, ready to be read. */
export interface Demo {
  readonly brand: string
  readonly key: string
  readonly records: number
}

/** Loads the demo brand unless it is there, and makes sure that its key is good. */
export const loadDemo = async (service: Service): Promise<Demo> => {
  const { store } = service.records
  const story = await openStory()
  if (!(await store.has(story.brand))) await loadStory(service, story)
  const { brand } = story
  return { brand, key: await demoKey(service, brand), records: await countRecords(service) }
}

/**
 * The demo key is the same at every start, although only its hash is stored: it is made from the
 * database's secret instead of chance. A revoked one is followed by the next.
 */
const demoKey = async ({ records }: Service, brand: string): Promise<string> => {
  const { database, keys, secret } = records
  const listed = new Map((await keys.list()).map((key) => [key.id, key]))
  for (let generation = 1; ; generation += 1) {
    let drawn = 0
    const madeFrom = (size: number): Uint8Array => {
      drawn += 1
      return new Uint8Array(hkdfSync('sha256', secret, '', `demo key ${generation} ${drawn}`, size))
    }
    const { key, id } = drawKey(madeFrom)
    const known = listed.get(id)
    if (known && !known.revokedAt && !known.expiresAt) return key
    if (known) continue
    drawn = 0
    const own = await openKeys({ database, now: Date.now, randomBytes: madeFrom })
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    return (await own.issue({ name: 'Demo', brands: [brand], ...rights })).key
  }
}

const loadStory = async (
  { records: { store }, images }: Service,
  story: DemoSet,
): Promise<void> => {
  for (const [owner, collections] of [
    [sharedOwner, story.shared],
    [story.brand, story.records],
  ] as const) {
    await store.write(owner, async (writer) => {
      for (const [path, records] of Object.entries(collections)) {
        const resource = resourceAt(catalog, path)
        await writer.stage(resource, records)
        await writer.merge(resource)
      }
    })
  }
  for (const image of story.records['images'] ?? []) {
    const { id, mimeType, fileName } = image as Record<string, string>
    await images.put(
      { brand: story.brand, id: `${id}`, mimeType: `${mimeType}`, fileName: `${fileName}` },
      demoImage(image),
    )
  }
}

const countRecords = async ({ records: { store } }: Service): Promise<number> =>
  (await store.brands()).reduce((sum, { records }) => sum + records, await store.sharedRecords())
