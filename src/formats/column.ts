import {
  type Catalog,
  type JsonValue,
  type Kind,
  leafFields,
  type Resource,
  valueAt,
} from '#contract'

/** The title of a reference's target; null if it has none. */
export type TitleOf = (group: string, id: string) => string | null

/** A column of a table of records. */
export interface Column {
  readonly name: string
  /** The field of the record that the column belongs to. */
  readonly field: string
  readonly kind: Kind
  /** The column's value in a record; null if it is empty. */
  readonly read: (record: JsonValue, titleOf: TitleOf) => JsonValue
}

/** The columns of a group's table. A nested field has a column, such as `relationship.status`. */
export const columnsOf = ({ fields }: Resource): readonly Column[] =>
  leafFields(fields).map(({ name, path, field: { kind } }) => ({
    name,
    field: path[0] ?? name,
    kind,
    read: (record) => valueAt(record, path),
  }))

/** A reference to records with a title. */
export interface TitledReference {
  readonly path: readonly string[]
  /** The target group. */
  readonly to: string
}

/** The references of a group to records with a readable title. */
export const titledReferences = (
  { byPath }: Catalog,
  { fields }: Resource,
): readonly TitledReference[] =>
  leafFields(fields).flatMap(({ path, field: { kind, to } }) => {
    const target = kind === 'ref' && to !== undefined ? byPath.get(to) : undefined
    const isText = target?.title !== undefined && target.fields[target.title]?.kind === 'text'
    return target && isText ? [{ path, to: target.path }] : []
  })

/** Adds a title column beside each such reference: `supplierId`, `supplierName`. */
export const withTitles = (
  columns: readonly Column[],
  references: readonly TitledReference[],
): readonly Column[] =>
  columns.flatMap((column) => {
    const reference = references.find(({ path }) => path.join('.') === column.name)
    if (!reference) return [column]
    const { path, to } = reference
    const title: Column = {
      name: `${column.name.replace(/Id$/, '')}Name`,
      field: column.field,
      kind: 'text',
      read: (record, titleOf) => {
        const id = valueAt(record, path)
        return typeof id === 'string' ? titleOf(to, id) : null
      },
    }
    return [column, title]
  })

/** Kinds whose values are written as JSON in a cell. */
export const jsonKinds: ReadonlySet<Kind> = new Set(['any', 'texts', 'objects'])
