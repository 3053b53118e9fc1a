import { catalog, leafFields, resourceAt } from '#contract'
import type { CollectionMapping } from '#mapping'
import type { Derivation } from './derivation.ts'
import { describe, type Expression } from './described.ts'
import type { ProposedMapping } from './score.ts'
import { qualifier, tableOf } from './tables.ts'

/** A proposed field, and what its key can be compared with. */
export interface KeyedField {
  readonly name: string
  readonly value: Expression
  readonly said: Derivation
  readonly mapping: CollectionMapping
  readonly proposed: readonly ProposedMapping[]
  readonly isRelated: (one: string, other: string) => boolean
}

/** What is wrong with the columns that a field is joined by, or that it refers to a record by. */
export const keyProblem = (field: KeyedField): string | null =>
  joinProblem(field) ?? referenceProblem(field)

const withTable = (column: string, table: string): string =>
  column.includes('.') ? column : `${table}.${column}`

const joinProblem = ({ said, mapping, isRelated }: KeyedField): string | null => {
  for (const { from, on } of mapping.join ?? []) {
    const joined = tableOf(from)
    if (!said.columns.some((column) => column.startsWith(`${joined}.`))) continue
    for (const { column, other } of on) {
      const own = withTable(qualifier(mapping)(column, null), tableOf(mapping.from))
      if (!isRelated(own, `${joined}.${other}`)) return `joined by ${column} = ${other}`
    }
  }
  return null
}

/** A reference has to be made as the identifiers of the collection are: of the same key, or as it is. */
const referenceProblem = (field: KeyedField): string | null => {
  const { name, value, said, mapping, proposed, isRelated } = field
  const leaves = leafFields(resourceAt(catalog, mapping.collection).fields)
  const collection = leaves.find((leaf) => leaf.name === name)?.field.to
  const isKey = value.source.kind === 'identity' || value.source.kind === 'column'
  if (collection === undefined || !isKey || said.columns.length !== 1) return null
  const targets = proposed.filter((each) => each.mapping.collection === collection)
  const own = withTable(said.columns[0] ?? '', tableOf(mapping.from))
  const isFitting = targets.some(({ mapping: target }) => {
    const key = target.fields.find(({ field: each }) => each === 'id')?.value
    if (!key) return true
    const { columns } = describe(key, qualifier(target))
    if (columns.length !== 1) return true
    const other = withTable(columns[0] ?? '', tableOf(target.from))
    return key.source.kind === value.source.kind && isRelated(own, other)
  })
  return targets.length === 0 || isFitting ? null : `which is not the key of ${collection}`
}
