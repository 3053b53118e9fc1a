import type { OperatorRemoval, OperatorRemoved } from '#contract'
import type { Images } from '#images'
import { removeLinksOf } from '#keys'
import type { RemovedRows } from '#store'
import { createUsageLog } from '#usage'
import { requireBrand } from './brand.ts'
import type { OperatorParts, WithUnits } from './parts.ts'

type RemovalParts = Pick<OperatorParts, 'store' | 'keys' | 'keyDatabase'>

/** What belongs to a brand. `images` of null are not counted, and kept. */
export const readRemoval = async (
  { store, keys, keyDatabase }: RemovalParts,
  brand: string,
  images: Images | null,
): Promise<OperatorRemoval> => {
  const log = createUsageLog(keyDatabase)
  const usage = await log.countBrand(brand)
  // A removal that was killed may have left usage, which only this function erases.
  if (usage === 0) await requireBrand(store, brand)
  const collections = await store.brandCounts(brand)
  let files = 0
  if (images) for await (const ids of images.ids(brand)) files += ids.length
  return {
    brand,
    records: collections.reduce((sum, { records }) => sum + records, 0),
    collections,
    quarantined: (await store.quarantine.list({ owner: brand, limit: 1 })).total,
    usage,
    images: images && files,
    keys: (await keys.list())
      .filter(({ brands, revokedAt }) => brands.includes(brand) && revokedAt === null)
      .map(({ id, name, brands }) => ({ id, name, brands })),
  }
}

/** Removes a brand and what belongs to it, as `readRemoval` has listed it. */
export const removeBrand = async (
  { store, keyDatabase }: Pick<RemovalParts, 'store' | 'keyDatabase'>,
  removal: OperatorRemoval,
  {
    images,
    withUnits,
    onRemoved,
  }: {
    readonly images: Images | null
    readonly withUnits: WithUnits
    readonly onRemoved?: (removed: RemovedRows) => void
  },
): Promise<OperatorRemoved> => {
  const { brand } = removal
  // A unit that is applied afterwards would create the brand again.
  const units = await withUnits((all) =>
    all.removeBrand(brand, (beforeCommit) => store.removeBrand(brand, onRemoved, beforeCommit)),
  )
  // After the brand: servers write no usage of a brand that does not exist.
  await createUsageLog(keyDatabase).removeBrand(brand)
  await removeLinksOf(keyDatabase, brand)
  const files = images ? await removeImages(images, brand) : null
  return { ...removal, images: files, units, removed: true }
}

const removeImages = async (images: Images, brand: string): Promise<number> => {
  let removed = 0
  for await (const ids of images.ids(brand)) {
    for (const id of ids) {
      await images.remove({ brand, id })
      removed += 1
    }
  }
  return removed
}
