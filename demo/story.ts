import { catalog, importOrder, type JsonValue, resourceAt, type Scope } from '#contract'
import { installedFile } from '#installation'

/** A record as in its file. The demo test checks each one against the contract. */
export type DemoRecord = { readonly [name: string]: JsonValue }

/**
 * Records by collection path, in import order: no record refers to a later collection, or to a
 * later record of its collection.
 */
export interface DemoSet {
  /** The brand's slug. */
  readonly brand: string
  /** The brand's collections, including the brand itself. */
  readonly records: { readonly [path: string]: readonly DemoRecord[] }
  /** The shared collections. */
  readonly shared: { readonly [path: string]: readonly DemoRecord[] }
}

/** The story of one jacket, from the first sample to the last payment, read from `records/`. */
export const openStory = async (): Promise<DemoSet> => {
  const paths = importOrder(catalog).flat()
  const collections = await Promise.all(
    paths.map(async (path) => [path, await readRecords(path)] as const),
  )
  const ofScope = (scope: Scope) =>
    Object.fromEntries(collections.filter(([path]) => resourceAt(catalog, path).scope === scope))
  return { brand: 'aldermoor', records: ofScope('brand'), shared: ofScope('shared') }
}

const readRecords = async (path: string): Promise<readonly DemoRecord[]> =>
  JSON.parse(String(await installedFile(`demo/records/${path}.json`)))
