import { catalog, importOrder, type JsonValue, resourceAt, type Scope } from '#contract'
import { installedFile } from '#installation'

/** A record as it is in its file; the demo test checks each of them against the contract. */
export type DemoRecord = { readonly [name: string]: JsonValue }

/**
 * Records by collection path, in import order: no record refers to one of a later collection, or to
 * a later one of its own.
 */
export interface DemoSet {
  /** The brand's slug. */
  readonly brand: string
  /** The brand's own collections, the brand itself among them. */
  readonly records: { readonly [path: string]: readonly DemoRecord[] }
  /** The collections that every brand shares. */
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
