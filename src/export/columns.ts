import type { Field, Fields, Resource } from '#contract'

/** A column of a table-like file: a field, or one inside an object. */
export interface ExportColumn {
  readonly name: string
  readonly path: readonly string[]
  readonly field: Field
}

/** The columns of a collection, in the contract's order: `relationship.status` for nested ones. */
export const columnsOf = (resource: Resource): readonly ExportColumn[] =>
  leaves(resource.fields, [])

const leaves = (fields: Fields, before: readonly string[]): readonly ExportColumn[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const path = [...before, name]
    return field.kind === 'object'
      ? leaves(field.fields ?? {}, path)
      : [{ name: path.join('.'), path, field }]
  })

export const valueAt = (record: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as { [name: string]: unknown } | null)?.[name], record)
