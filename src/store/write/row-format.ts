import type { Catalog, Resource } from '#contract'
import { prefixLength } from '../schema/comparable.ts'
import { columnsOf, tableOf } from '../schema/tables.ts'
import { createRowDigester, type RowDigester } from './row-digest.ts'
import { createPacker, type Pack } from './staging.ts'

/** How records of a collection become rows. Imports use it in a worker thread. */
export interface RowFormat {
  /** The fields that have columns, in packing order. A field can have several columns. */
  readonly fields: readonly string[]
  /** Maximum bytes of a text that is stored in its columns as it is. */
  readonly textBytes: number
  readonly pack: Pack
  readonly createDigester: () => RowDigester
}

export const rowFormatOf = (catalog: Catalog, resource: Resource): RowFormat => {
  const table = tableOf(catalog, resource)
  return {
    fields: columnsOf(table).map(({ path }) => path.join('.')),
    textBytes: prefixLength,
    pack: createPacker(table),
    createDigester: () => createRowDigester(table),
  }
}
