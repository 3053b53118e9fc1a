import { formatCount, type OperatorRemoval } from '#contract'
import { readRemoval, removeBrand } from '#operator'
import { openServiceImages, type Records, readServiceConfig } from '#server'
import type { RemovedRows } from '#store'
import { asTable, createOutput } from './output.ts'
import { createProgress } from './progress.ts'
import { withUnits } from './units.ts'

export interface RemoveOptions {
  readonly yes?: boolean
  readonly images?: boolean
  readonly json?: boolean
}

/** Shows what belongs to a brand, and removes all of it after confirmation. */
export const showRemoval = async (
  records: Records,
  brand: string,
  options: RemoveOptions,
): Promise<void> => {
  const images = options.images
    ? openServiceImages(readServiceConfig(), records.secret, () => '')
    : null
  try {
    const removal = await readRemoval(records, brand, images)
    const output = createOutput(Boolean(options.json))
    if (!options.yes) {
      output.result({ ...removal, removed: false }, () =>
        [
          tableOf(removal),
          '',
          `Nothing was removed. To remove ${brand} and all of this: selvedge brands remove ${brand}${options.images ? ' --images' : ''} --yes`,
          ...keySentences(removal),
        ].join('\n'),
      )
      process.exitCode = 1
      return
    }
    if (!options.json) process.stderr.write(`${tableOf(removal)}\n\n`)
    const progress = createProgress()
    let rows = 0
    const onRemoved = (removed: RemovedRows) => {
      rows += removed.rows
      if (!options.json) progress.show(removed.table, rows, 'rows', null)
    }
    const removed = await removeBrand(records, removal, {
      images,
      withUnits: (work) => withUnits(records, work),
      onRemoved,
    })
    if (!options.json) progress.end(brand, rows, 'rows')
    const { units } = removed
    output.result(removed, () =>
      [
        `Removed ${brand}: ${removal.records.toLocaleString('en')} records${units > 0 ? `, ${formatCount(units, 'unit')} of intake` : ''}${images ? ` and ${removed.images?.toLocaleString('en')} image files` : ''}.`,
        ...(images ? [] : ['Its image files were not removed; --images removes them too.']),
        ...keySentences(removal),
      ].join('\n'),
    )
  } finally {
    await images?.close()
  }
}

const tableOf = ({ collections, quarantined, usage, images }: OperatorRemoval): string =>
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
const keySentences = ({ keys, brand }: OperatorRemoval): readonly string[] =>
  keys.length === 0
    ? []
    : [
        `Keys that name ${brand}, which stay as they are (selvedge keys revoke <id>):`,
        ...keys.map(
          ({ id, name, brands }) =>
            `  ${id}${name === '' ? '' : ` ${name}`}${brands.length > 1 ? `, also for ${brands.filter((each) => each !== brand).join(', ')}` : ''}`,
        ),
      ]
