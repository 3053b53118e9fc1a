import { hash } from 'node:crypto'
import type { CollectionMapping } from './mapping.ts'

/**
 * A short hash of what a mapping makes of a row. Its place in the file does not count; the version of
 * its context does.
 */
export const mappingDigest = (mapping: CollectionMapping, contextVersion = ''): string => {
  const { file: _, line: __, from: ___, formats: ____, ...meaning } = mapping
  const text = JSON.stringify(meaning, (name, value) => (name === 'line' ? undefined : value))
  return hash('sha256', text + contextVersion, 'hex').slice(0, 16)
}
