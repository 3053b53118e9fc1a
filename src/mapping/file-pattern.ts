import type { CollectionMapping, Mapping } from './mapping.ts'

/** The mappings for a file, by the patterns of its name. */
export const mappingsFor = (
  { collections }: Pick<Mapping, 'collections'>,
  fileName: string,
): readonly CollectionMapping[] =>
  collections.filter(({ from }) =>
    from.files?.patterns.some((pattern) => matchesPattern(pattern, fileName)),
  )

/** Whether a file name matches a pattern: `*` matches any characters, `?` matches one. */
export const matchesPattern = (pattern: string, fileName: string): boolean => {
  const source = pattern
    .normalize('NFC')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'isu').test(fileName.normalize('NFC'))
}
