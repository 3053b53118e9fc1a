import type { CollectionMapping, Mapping } from './mapping.ts'

/** The mappings that the rows of a file go through, by the patterns of its name. */
export const mappingsFor = (
  { collections }: Pick<Mapping, 'collections'>,
  fileName: string,
): readonly CollectionMapping[] =>
  collections.filter(({ from }) =>
    from.files?.patterns.some((pattern) => matchesPattern(pattern, fileName)),
  )

/** Whether a file's name is of a pattern: `*` stands for any letters, `?` for one. */
const matchesPattern = (pattern: string, fileName: string): boolean => {
  const source = pattern
    .normalize('NFC')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'isu').test(fileName.normalize('NFC'))
}
