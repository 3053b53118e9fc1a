import type { JsonValue, Resource } from '#contract'
import { differenceOf } from './difference.ts'
import type { RowProblem } from './report.ts'
import { otherRow, type Source } from './source.ts'
import { repeatReason } from './validate.ts'

type MappedSource = Pick<Source, 'name' | 'isUnordered' | 'mapping' | 'resource'>

/** Finds rows of a preview that have the identity of an earlier row, as an import does. */
export interface SeenIdentities {
  /**
   * What is wrong with the record of a row; null if its identity is new, and `choice` if `keep`
   * says which of the rows counts.
   */
  add(
    source: MappedSource,
    line: number,
    record: JsonValue,
  ): Pick<RowProblem, 'reason' | 'severity'> | 'choice' | null
}

/** Rows whose identities are compared, and the characters of their records. */
const rowsMax = 100_000
const charactersMax = 32 * 1_024 * 1_024

interface SeenRow {
  readonly source: MappedSource
  readonly line: number
  readonly body: string
}

export const createSeenIdentities = (): SeenIdentities => {
  const seen = new Map<string, SeenRow>()
  let characters = 0
  return {
    add: (source, line, record) => {
      const { resource } = source
      const identity = `${resource.path} ${identityOf(resource, record)}`
      const body = JSON.stringify(record)
      const before = seen.get(identity)
      if (!before) {
        if (seen.size < rowsMax && characters < charactersMax) {
          seen.set(identity, { source, line, body })
          characters += body.length
        }
        return null
      }
      const choice = source.mapping?.keep?.row
      if (choice && choice === before.source.mapping?.keep?.row) return 'choice'
      if (body === before.body) {
        if (source.mapping?.distinct) return null
        return { reason: repeatReason(before.source, before.line), severity: 'warning' }
      }
      const first = { source: 0, line: before.line, isSame: false, body: before.body }
      const difference = differenceOf(resource, source, { body, first })
      const other = otherRow(before.source, before.line)
      return { reason: `has the same identity as ${other}${difference}`, severity: 'error' }
    },
  }
}

const identityOf = ({ key }: Resource, record: JsonValue): string =>
  key.map((field) => (record as { readonly [name: string]: JsonValue })[field]).join(' ')
