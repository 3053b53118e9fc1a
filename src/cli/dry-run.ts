import { once } from 'node:events'
import { formatCount, type JsonValue } from '#contract'
import { type CollectionResult, cutValue, type Difference, plainText } from '#ingest'

const operationWords = { added: 'new', changed: 'changed', removed: 'removed' } as const

/** The first changes of a dry run for people, a line for each record and each changed field. */
export const changeLines = (
  { first }: Pick<Difference, 'first'>,
  collections: readonly Pick<CollectionResult, 'added' | 'changed' | 'removed'>[],
): readonly string[] => {
  const total = collections.reduce((sum, each) => sum + each.added + each.changed + each.removed, 0)
  const more = total - first.length
  return [
    ...first.flatMap(({ operation, collection, id, title, fields }) => [
      [operationWords[operation], collection, ...(title === null ? [] : [plainText(title)]), id],
      ...fields.map(({ field, before, after }) => [` `, field, shown(before), '→', shown(after)]),
    ]),
    ...(first.length > 0 && more > 0
      ? [[`… and ${formatCount(more, 'more change')}; --json prints all of them.`]]
      : []),
  ].map((words) => words.join(' '))
}

const shown = (value: JsonValue): string => cutValue(JSON.stringify(value))

/**
 * Prints a JSON object, with all changes of a dry run in its last member. They come from a file in
 * pieces: there can be millions.
 */
export const printJson = async (value: object, difference: Difference | null): Promise<void> => {
  const text = JSON.stringify(value)
  if (!difference) {
    process.stdout.write(`${text}\n`)
    return
  }
  const write = async (piece: string | Buffer) => {
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain')
  }
  await write(`${text.slice(0, -1)},"changes":[`)
  for (const piece of difference.pieces()) await write(piece)
  await write(']}\n')
}
