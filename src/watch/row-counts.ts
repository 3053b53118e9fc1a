import type { CollectionResult } from '#ingest'

/** A file has too few rows to be taken for the whole table. An operator decides. */
export class HeldFileError extends Error {}

/** The rows that the last file had of each collection, and its name. */
export type RowCounts = ReadonlyMap<string, { readonly rows: number; readonly file: string }>

/** The counts in the cursor of a source. */
export const readCounts = (cursor: string | null | undefined): RowCounts =>
  new Map(cursor ? Object.entries(JSON.parse(cursor)) : [])

/** The cursor of a source after a file. */
export const cursorAfter = (
  before: RowCounts,
  file: string,
  collections: readonly CollectionResult[],
): string =>
  JSON.stringify({
    ...Object.fromEntries(before),
    ...Object.fromEntries(collections.map((each) => [each.collection, { rows: each.read, file }])),
  })

/** Throws `HeldFileError` if a file has less than half of the rows of its predecessor. */
export const requireWholeTable = (
  before: RowCounts,
  collections: readonly CollectionResult[],
): void => {
  for (const { collection, read } of collections) {
    const last = before.get(collection)
    if (!last || read * 2 >= last.rows) continue
    const [rows, lastRows] = [read, last.rows].map((count) => count.toLocaleString('en'))
    throw new HeldFileError(
      `has ${rows} rows of ${collection}, less than half of the ${lastRows} of ${last.file}: check that it is complete. If it is, retry it with --accept`,
    )
  }
}
