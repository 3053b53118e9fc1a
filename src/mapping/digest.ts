import { hash } from 'node:crypto'
import type { CollectionMapping } from './mapping.ts'

/** A short hash of what a mapping makes of a row. Its place in the file does not count. */
export const mappingDigest = (mapping: CollectionMapping): string => {
  const { file: _, line: __, from: ___, ...meaning } = mapping
  const text = JSON.stringify(meaning, (name, value) => (name === 'line' ? undefined : value))
  return hash('sha256', text, 'hex').slice(0, 16)
}
