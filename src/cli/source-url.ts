import { expandVariable } from '#config'
import type { Mapping } from '#mapping'
import { CommandError } from './output.ts'

/** The URL of the database that a mapping's queries read. */
export const sourceUrlOf = (
  mapping: Mapping,
  { sourceUrl }: { readonly sourceUrl?: string },
): string => {
  if (sourceUrl !== undefined) return sourceUrl
  if (mapping.database === null) {
    throw new CommandError(
      `Name the database: add database: \${SOURCE_URL} to ${mapping.file} and set that variable, or use --source-url.`,
    )
  }
  return expandVariable(mapping.database, `database of ${mapping.file}`)
}
