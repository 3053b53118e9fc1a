import { mergeRecord, type Resource, writeIdentity } from '#contract'
import type { Key, Writer } from '#store'
import type { SourceRow } from './row.ts'
import type { RecordMerge, Source } from './source.ts'
import { validIdentity } from './validate.ts'

/** Stored records that are looked up at once. */
const chunkRecords = 500

/**
 * A source whose rows are the records as they were last sent, with the sent fields changed, so that the whole records
 * are checked. Read it in the transaction that writes them: no other writer can change them then.
 */
export const mergedSource = (
  source: Source,
  merges: readonly RecordMerge[],
  writer: Pick<Writer, 'lastTexts'>,
): Source => ({
  ...source,
  validated: undefined,
  input: {
    kind: 'rows',
    rows: async function* () {
      for (let from = 0; from < merges.length; from += chunkRecords) {
        const chunk = merges.slice(from, from + chunkRecords)
        yield { rows: await mergedRows(source.resource, chunk, writer), canonical: null }
      }
    },
  },
})

const mergedRows = async (
  resource: Resource,
  merges: readonly RecordMerge[],
  writer: Pick<Writer, 'lastTexts'>,
): Promise<readonly SourceRow[]> => {
  const keys = merges.map(({ key }) => validIdentity(resource, key))
  const valid = keys.filter((key): key is Key => key !== null)
  const texts = await writer.lastTexts(resource, valid)
  return merges.map(({ key: sent, changes }, index): SourceRow => {
    const [line, key] = [changes.at(-1)?.line ?? 0, keys[index]]
    const text = key && texts.get(writeIdentity(key))
    if (text === undefined || text === null) {
      const problem = 'is not stored, so that its fields cannot be changed: put the whole record'
      return { line, problem, text: writeIdentity(sent) }
    }
    const value = changes.reduce<unknown>(
      (record, { json }) => mergeRecord(resource.fields, record, JSON.parse(json)),
      JSON.parse(text),
    )
    return { line, value, losses: [] }
  })
}
