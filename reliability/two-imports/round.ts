import { idOf, recordsAt } from '../../test/support/model.ts'
import { type Client, openClient } from '../client-process.ts'
import type { World } from '../crash/import-states.ts'

/** The result of an import. */
interface Imported {
  readonly done: boolean
  readonly busy?: boolean
  readonly why?: string
}

export type Importer = Client<{ readonly round: number; readonly waitMs: number }, Imported>

/** Starts a process that imports rounds of a brand's tags, some of which only it has. */
export const startImporter = async (
  { place }: World,
  brand: string,
  importer: number,
  own = ownTags,
): Promise<Importer> => {
  const program = new URL('importer-process.ts', import.meta.url)
  const words = [place.databaseUrl, brand, importer, own]
  const client: Importer = openClient(program, words, place.environment)
  await client.next()
  return client
}

const shared = 60
/** Tags that only one of the two importers has. */
const ownTags = 40

/** The tags of an importer in a round: shared ones and private ones. */
export const recordsOfRound = (
  round: number,
  importer: number,
  own = ownTags,
): readonly object[] => {
  const [tag] = recordsAt('tags')
  const tagAt = (number: number) => ({
    ...tag,
    id: idOf(number),
    name: `round ${round} of ${importer}, ${number}`,
    code: null,
  })
  const from = 200_000 + importer * own
  return [
    ...Array.from({ length: shared }, (_, index) => tagAt(100_000 + index)),
    ...Array.from({ length: own }, (_, index) => tagAt(from + index)),
  ]
}

/** The expected tags after serial imports: each tag as the last importer set it. */
export const afterSerial = (
  round: number,
  importers: readonly number[],
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> => {
  const state = new Map(before)
  for (const importer of importers) {
    for (const record of recordsOfRound(round, importer)) {
      const { id, name } = record as { id: string; name: string }
      state.set(id, name)
    }
  }
  return state
}
