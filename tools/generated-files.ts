import { catalog } from '#contract'
import { openStory } from '#demo'
import { buildDocument, type Examples } from '#openapi'

export interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
}

/** Every file that is made from the contract, as it should be. */
export const generatedFiles = async (): Promise<readonly GeneratedFile[]> => [
  { path: 'openapi.json', text: asJson(buildDocument(catalog, await examples())) },
]

/** The first record of each collection in the demo story. */
const examples = async (): Promise<Examples> => {
  const { records, shared } = await openStory()
  return Object.fromEntries(
    Object.entries({ ...records, ...shared }).flatMap(([path, [first]]) =>
      first === undefined ? [] : [[path, first]],
    ),
  ) as Examples
}

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`
