import { formatCount } from '#contract'
import type { Images } from '#images'
import type { KeyRecord } from '#keys'
import { openServiceImages, type Records, readServiceConfig } from '#server'
import type { CollectionCount, RemovedRows } from '#store'
import { createUsageLog } from '#usage'
import { requireBrand } from './brand.ts'
import { asTable, createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { withUnits } from './units.ts'

export interface RemoveOptions {
  readonly yes?: boolean
  readonly images?: boolean
  readonly json?: boolean
}

/** Everything that belongs to a brand. */
interface Belongings {
  readonly brand: string
  readonly records: number
  readonly collections: readonly CollectionCount[]
  /** Rows of sources that are not stored. */
  readonly quarantined: number
  /** Rows of usage. */
  readonly usage: number
  /** Image files; null if they are to be kept. */
  readonly images: number | null
  /** Keys for the brand that are not revoked. */
  readonly keys: readonly Pick<KeyRecord, 'id' | 'name' | 'brands'>[]
}

/** Shows what belongs to a brand, and removes all of it after confirmation. */
export const removeBrand = async (
  records: Records,
  brand: string,
  options: RemoveOptions,
): Promise<void> => {
  const { store, secret } = records
  const usage = createUsageLog(records.keyDatabase)
  // A removal that was killed may have left usage, which only this command erases.
  if ((await usage.countBrand(brand)) === 0) await requireBrand(store, brand)
  const images = options.images ? openServiceImages(readServiceConfig(), secret, () => '') : null
  try {
    const belongings = await readBelongings(records, images, brand)
    const output = createOutput(Boolean(options.json))
    if (!options.yes) {
      output.result({ ...belongings, removed: false }, () =>
        [
          tableOf(belongings),
          '',
          `Nothing was removed. To remove ${brand} and all of this: selvedge brands remove ${brand}${options.images ? ' --images' : ''} --yes`,
          ...keySentences(belongings),
        ].join('\n'),
      )
      process.exitCode = 1
      return
    }
    if (!options.json) process.stderr.write(`${tableOf(belongings)}\n\n`)
    const progress = createProgress()
    let rows = 0
    const onRemoved = (removed: RemovedRows) => {
      rows += removed.rows
      if (!options.json) progress.show(removed.table, rows, 'rows', null)
    }
    // A unit that is applied afterwards would create the brand again.
    const units = await withUnits(records, (all) =>
      all.removeBrand(brand, (beforeCommit) => store.removeBrand(brand, onRemoved, beforeCommit)),
    )
    // After the brand: servers write no usage of a brand that does not exist.
    await usage.removeBrand(brand)
    if (!options.json) progress.end(brand, rows, 'rows')
    const files = images ? await removeImages(images, brand) : 0
    output.result({ ...belongings, units, removed: true }, () =>
      [
        `Removed ${brand}: ${belongings.records.toLocaleString('en')} records${units > 0 ? `, ${formatCount(units, 'unit')} of intake` : ''}${images ? ` and ${files.toLocaleString('en')} image files` : ''}.`,
        ...(images ? [] : ['Its image files were not removed; --images removes them too.']),
        ...keySentences(belongings),
      ].join('\n'),
    )
  } finally {
    await images?.close()
  }
}

const readBelongings = async (
  { store, keys, keyDatabase }: Records,
  images: Images | null,
  brand: string,
): Promise<Belongings> => {
  const collections = await store.brandCounts(brand)
  let files = 0
  if (images) for await (const ids of images.ids(brand)) files += ids.length
  return {
    brand,
    records: collections.reduce((sum, { records }) => sum + records, 0),
    collections,
    quarantined: (await store.quarantine.list({ owner: brand, limit: 1 })).total,
    usage: await createUsageLog(keyDatabase).countBrand(brand),
    images: images && files,
    keys: (await keys.list())
      .filter(({ brands, revokedAt }) => brands.includes(brand) && revokedAt === null)
      .map(({ id, name, brands }) => ({ id, name, brands })),
  }
}

const tableOf = ({ collections, quarantined, usage, images }: Belongings): string =>
  asTable(
    ['what', 'count'],
    [
      ...collections.map(({ collection, records }) => [collection, records] as const),
      ...(quarantined > 0 ? [['quarantined rows', quarantined] as const] : []),
      ...(usage > 0 ? [['usage of keys', usage] as const] : []),
      ...(images ? [['image files', images] as const] : []),
    ].map(([name, count]) => [name, count.toLocaleString('en')]),
  )

/** Keys stay: a key may be for other brands too, and revoking it is a separate decision. */
const keySentences = ({ keys, brand }: Belongings): readonly string[] =>
  keys.length === 0
    ? []
    : [
        `Keys that name ${brand}, which stay as they are (selvedge keys revoke <id>):`,
        ...keys.map(
          ({ id, name, brands }) =>
            `  ${id}${name === '' ? '' : ` ${name}`}${brands.length > 1 ? `, also for ${brands.filter((each) => each !== brand).join(', ')}` : ''}`,
        ),
      ]

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
