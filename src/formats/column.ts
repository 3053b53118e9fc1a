import {
  type Catalog,
  type JsonValue,
  type Kind,
  leafFields,
  type Resource,
  valueAt,
} from '#contract'

/** Values of a referenced record, by field. */
export interface ReferencedValues {
  readonly [field: string]: JsonValue
}

/** Finds what was read of a referenced record; null if there is nothing. */
export type ValuesOf = (group: string, id: string) => ReferencedValues | null

/** How a cell looks in a workbook. */
export interface CellLook {
  /** Whether thousands are separated. */
  readonly isGrouped?: boolean
  readonly isPercent?: boolean
  /** The fewest decimals of a number. */
  readonly decimals?: number
  /** Whether dates look as they do where the reader is. */
  readonly isLocal?: boolean
}

/** A column of a table of records. */
export interface Column {
  readonly name: string
  /** The field of the record that the column belongs to. */
  readonly field: string
  readonly kind: Kind
  /** The column's value in a record; null if it is empty. */
  readonly read: (record: JsonValue, valuesOf: ValuesOf) => JsonValue
  /** By default, numbers have their own decimals, and dates are written as in ISO 8601. */
  readonly look?: (record: JsonValue, valuesOf: ValuesOf) => CellLook
}

/** The columns of a group's table. A nested field has a column, such as `relationship.status`. */
export const columnsOf = ({ fields }: Resource): readonly Column[] =>
  leafFields(fields).map(({ name, path, field: { kind } }) => ({
    name,
    field: path[0] ?? name,
    kind,
    read: (record) => valueAt(record, path),
  }))

/** A reference, and what a table shows of the records that it points to. */
export interface ShownReference {
  readonly path: readonly string[]
  /** The target group. */
  readonly to: string
  /** Fields of the target. */
  readonly fields: readonly string[]
  /** References of the target that are followed too. */
  readonly further: readonly ShownReference[]
}

/** The references of a group to records with a readable title. */
export const titledReferences = (
  { byPath }: Catalog,
  { fields }: Resource,
): readonly ShownReference[] =>
  leafFields(fields).flatMap(({ path, field: { kind, to } }) => {
    const target = kind === 'ref' && to !== undefined ? byPath.get(to) : undefined
    const title = target?.title
    return target && title !== undefined && target.fields[title]?.kind === 'text'
      ? [{ path, to: target.path, fields: [title], further: [] }]
      : []
  })

/** Adds a title column beside each such reference: `supplierId`, `supplierName`. */
export const withTitles = (
  columns: readonly Column[],
  references: readonly ShownReference[],
): readonly Column[] =>
  columns.flatMap((column) => {
    const reference = references.find(({ path }) => path.join('.') === column.name)
    if (!reference) return [column]
    const {
      path,
      to,
      fields: [title = ''],
    } = reference
    const named: Column = {
      name: `${column.name.replace(/Id$/, '')}Name`,
      field: column.field,
      kind: 'text',
      read: (record, valuesOf) => {
        const id = valueAt(record, path)
        return typeof id === 'string' ? (valuesOf(to, id)?.[title] ?? null) : null
      },
    }
    return [column, named]
  })

/** Kinds whose values are written as JSON in a cell. */
export const jsonKinds: ReadonlySet<Kind> = new Set(['any', 'texts', 'objects'])
