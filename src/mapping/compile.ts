import { type JsonValue, type LeafField, leafFields, type Resource } from '#contract'
import { type Binding, type BindingOptions, createBinding, type Read } from './binding.ts'
import { type Cell, keyPartOf, textOf } from './cell.ts'
import { CellError, type CellPlace } from './cell-error.ts'
import { compileConditions } from './compile-conditions.ts'
import { compileExpression } from './compile-expression.ts'
import { addColumns } from './expression-parts.ts'
import type { CollectionMapping, Expression, FieldMapping, JoinedRows } from './mapping.ts'
import { FormatError } from './number-format.ts'
import { shownColumn } from './problem-cell.ts'
import { compileRank, type Rank } from './rank.ts'

export interface CompileOptions extends BindingOptions {
  readonly resource: Resource
}

/** A problem of a row, with its field. */
export interface MappedProblem {
  /** A JSON pointer into the record. */
  readonly field: string
  /** The columns of the field; empty for a constant. */
  readonly column: string
  readonly mappingLine: number
  readonly value: unknown
  readonly reason: string
}

/** A row as a record, a removal, or problems; null if the mapping omits the row. */
export type MappedRow = MappedRecord | RemovedRow | null

/** The record of a row. The text is stored; few callers need the value. */
export class MappedRecord {
  /** JSON with the fields in the contract's order and without white space. */
  readonly json: string
  /** For `keep: newest by`. */
  readonly rank: Rank

  constructor(json: string, rank: Rank) {
    this.json = json
    this.rank = rank
  }

  get value(): { readonly [name: string]: JsonValue } {
    return JSON.parse(this.json)
  }
}

/** The identity of the record that a row removes, or the row's problems. */
export type RemovedRow =
  | {
      readonly removal: readonly string[]
      /** With `keep`, of a row that is compared with the others that have its key. */
      readonly rank?: Rank
    }
  | { readonly problems: readonly MappedProblem[]; readonly rank?: Rank }

export interface RowMapper {
  readonly map: (cells: readonly Cell[]) => MappedRow
  /** Reads only the record's identity, for deleted rows. */
  readonly removal: (cells: readonly Cell[]) => RemovedRow
  /** The source of the value at a JSON pointer of a record. */
  readonly originOf: (pointer: string) => { readonly column: string; readonly mappingLine: number }
  /** The natural key behind the identifier at a JSON pointer; null if there is none. */
  readonly keyOf: (pointer: string, cells: readonly Cell[]) => string | null
  /** The value of one field, such as `orderId`; null if it cannot be read. */
  readonly valueOf: (field: string, cells: readonly Cell[]) => JsonValue
}

/** Compiles a mapping for rows with these columns. Throws a `ColumnError`. */
export const compileMapping = (mapping: CollectionMapping, options: CompileOptions): RowMapper => {
  const binding = createBinding(mapping, options)
  const { resource } = options
  const leaves = leafFields(resource.fields).map((leaf) => compileLeaf(leaf, mapping, binding))
  const isWanted = compileConditions(mapping.where, binding)
  const isRemoval = mapping.remove.length > 0 ? compileConditions(mapping.remove, binding) : null
  const readRank = compileKeep(mapping, binding)
  binding.check()
  const writeRecord = compileRecord(resource, leaves)
  const keys = resource.key.flatMap((name) => leaves.filter((leaf) => leaf.name === name))
  const removal = (cells: readonly Cell[]): RemovedRow => {
    binding.work.start()
    const problems: MappedProblem[] = []
    const key = keys.map((leaf) => {
      const before = problems.length
      const value = readLeaf({ ...leaf, isRequired: false }, cells, problems)
      if (value === null && problems.length === before) {
        problems.push(problemOf(leaf, '', 'is empty, so that no record can be removed'))
      }
      return String(value)
    })
    return problems.length > 0 ? { problems } : { removal: key }
  }
  const useOf = (cells: readonly Cell[], problems: MappedProblem[]) => {
    try {
      if (!isWanted(cells)) return 'omit'
      return isRemoval?.(cells) ? 'remove' : 'map'
    } catch (error) {
      if (!(error instanceof CellError)) throw error
      const { value, message, place } = error
      const { column = '', line = mapping.line } = place
      problems.push({ field: '', column, mappingLine: line, value: value ?? '', reason: message })
      return 'refuse'
    }
  }
  return {
    map: (cells) => {
      binding.work.start()
      const problems: MappedProblem[] = []
      const use = useOf(cells, problems)
      if (use === 'omit') return null
      if (use === 'refuse') return { problems }
      if (use === 'remove') {
        const removed = removal(cells)
        if (!mapping.keep) return removed
        const rank = readRank === null ? null : readRank(cells, problems)
        if ('removal' in removed && problems.length === 0) return { ...removed, rank }
        return { problems: 'problems' in removed ? removed.problems : problems, rank }
      }
      const json = writeRecord(cells, problems)
      const rank = readRank === null ? null : readRank(cells, problems)
      if (problems.length === 0) return new MappedRecord(json, rank)
      return { problems, ...(mapping.keep && { rank }) }
    },
    removal,
    originOf: (pointer) => fieldOrigin(mapping, pointer),
    keyOf: (pointer, cells) => naturalKeyAt(mapping, binding, pointer, cells),
    valueOf: (field, cells) => {
      binding.work.start()
      const leaf = leaves.find(({ name }) => name === field)
      return leaf ? readLeaf({ ...leaf, isRequired: false }, cells, []) : null
    },
  }
}

/** The natural key behind the identifier at a JSON pointer; null if there is none, or it is invalid. */
export const naturalKeyAt = (
  mapping: CollectionMapping,
  binding: Binding,
  pointer: string,
  cells: readonly Cell[],
): string | null => {
  const mapped = mappedAt(mapping, pointer)
  if (mapped?.value.source.kind !== 'identity') return null
  binding.work.start()
  try {
    const texts = mapped.value.source.key.map((part) =>
      keyPartOf(compileExpression(part, mapped.line, binding)(cells)),
    )
    return texts.map((text) => text ?? '').join(' / ')
  } catch (error) {
    if (error instanceof FormatError) return null
    throw error
  }
}

const mappedAt = (mapping: CollectionMapping, pointer: string): FieldMapping | undefined =>
  mapping.fields.find(({ field }) => {
    const own = `/${field.replaceAll('.', '/')}`
    return pointer === own || pointer.startsWith(`${own}/`)
  })

/** The source of the value at a JSON pointer of a record. */
export const fieldOrigin = (
  mapping: CollectionMapping,
  pointer: string,
): { readonly column: string; readonly mappingLine: number } => {
  const mapped = mappedAt(mapping, pointer)
  const columns = new Set<string>()
  if (mapped) addColumns(mapped.value, columns)
  return { column: [...columns].join(', '), mappingLine: mapped?.line ?? mapping.line }
}

/** The columns that a mapping uses of its own rows. */
export const columnsOf = (mapping: CollectionMapping): readonly string[] => {
  const { join = [], group = [] } = mapping
  const all = [...allColumns(mapping), ...group]
  for (const { on } of join) all.push(...on.map(({ column }) => column))
  return [...new Set(all)].filter((column) => !joinOf(mapping, column))
}

/** The columns that a mapping uses, those of joined rows with their names: `vendor.CITY`. */
export const allColumns = (mapping: CollectionMapping): ReadonlySet<string> => {
  const columns = new Set<string>()
  for (const { value } of mapping.fields) addColumns(value, columns)
  for (const { column } of [...mapping.where, ...mapping.remove]) columns.add(column)
  if (mapping.keep?.row === 'newest') columns.add(mapping.keep.column)
  return columns
}

/** The join that a column belongs to: `vendor` of `vendor.CITY`. */
export const joinOf = (
  { join = [] }: Pick<CollectionMapping, 'join'>,
  column: string,
): JoinedRows | undefined =>
  join.find(({ name }) => column.startsWith(`${name}.`) && column.length > name.length + 1)

interface Leaf {
  readonly name: string
  readonly pointer: string
  readonly path: readonly string[]
  readonly columns: readonly string[]
  readonly line: number
  readonly read: Read | null
  /** The value to show in messages. */
  readonly shown: Read
  readonly isRequired: boolean
  /** The constant value in every record; null if it varies or is missing. */
  readonly constant: JsonValue
}

const compileLeaf = (
  { name, path, field }: LeafField,
  mapping: CollectionMapping,
  binding: Binding,
): Leaf => {
  const mapped: FieldMapping | undefined = mapping.fields.find((each) => each.field === name)
  const line = mapped?.line ?? mapping.line
  const columns = new Set<string>()
  if (mapped) addColumns(mapped.value, columns)
  const [only] = columns
  return {
    name,
    pointer: `/${path.join('/')}`,
    path,
    columns: [...columns].map(shownColumn),
    line,
    read: mapped ? compileExpression(mapped.value, line, binding) : null,
    shown: columns.size === 1 && only ? binding.cell(only, line, true) : () => null,
    isRequired: !field.nullable && field.kind !== 'any',
    constant: mapped ? constantOf(mapped.value, binding) : null,
  }
}

const constantOf = ({ source }: Expression, { importedAt }: Binding): JsonValue => {
  if (source.kind === 'value') return source.value
  return source.kind === 'importTime' ? importedAt : null
}

/** Reads one field of a row; returns null after a problem. */
const readLeaf = (leaf: Leaf, cells: readonly Cell[], problems: MappedProblem[]): JsonValue => {
  if (leaf.read === null) return null
  try {
    const value = leaf.read(cells) as JsonValue
    if (value === null && leaf.isRequired) {
      problems.push(problemOf(leaf, textOf(leaf.shown(cells)) ?? '', emptyReason(leaf)))
    }
    return value
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { value, place } =
      error instanceof CellError ? error : { value: textOf(leaf.shown(cells)), place: {} }
    problems.push(problemOf(leaf, value ?? '', error.message, place))
    return null
  }
}

const emptyReason = ({ name, columns }: Leaf): string =>
  columns.length === 0
    ? `must not be null`
    : `is empty, and ${name} must have a value: add default: … to the mapping, or leave such rows out with where`

const problemOf = (
  leaf: Leaf,
  value: unknown,
  reason: string,
  { column = leaf.columns.join(', '), line = leaf.line }: CellPlace = {},
): MappedProblem => ({
  field: leaf.pointer,
  column,
  mappingLine: line,
  value,
  reason,
})

/** The rank of rows among those with the same key; null if the mapping does not compare them. */
const compileKeep = (
  { keep }: CollectionMapping,
  binding: Binding,
): ((cells: readonly Cell[], problems: MappedProblem[]) => Rank) | null => {
  if (keep?.row !== 'newest') return null
  const { column, line } = keep
  const read = binding.value(column, line, false)
  const rankOf = compileRank(keep.formats)
  return (cells, problems) => {
    let cell: Cell = null
    try {
      cell = read(cells)
      return rankOf(cell)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      const value = textOf(cell) ?? ''
      problems.push({ field: '', column, mappingLine: line, value, reason: error.message })
      return null
    }
  }
}

type WriteRecord = (cells: readonly Cell[], problems: MappedProblem[]) => string

/** Serialises records with their fields in the contract's order. */
const compileRecord = ({ fields }: Resource, leaves: readonly Leaf[]): WriteRecord => {
  /** The mapped fields, each with the constant text before it. */
  const mapped: { readonly before: string; readonly leaf: Leaf }[] = []
  let text = ''
  const addFields = (inner: Resource['fields'], prefix: string) => {
    text += '{'
    for (const [index, [name, field]] of Object.entries(inner).entries()) {
      text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
      const leaf = leaves.find((each) => each.name === prefix + name)
      if (field.kind === 'object') addFields(field.fields ?? {}, `${prefix}${name}.`)
      else if (leaf && leaf.constant !== null) text += jsonOf(leaf.constant)
      else if (leaf?.read) {
        mapped.push({ before: text, leaf })
        text = ''
      } else text += 'null'
    }
    text += '}'
  }
  addFields(fields, '')
  return (cells, problems) => {
    let json = ''
    for (const { before, leaf } of mapped) {
      json += before + jsonOf(readLeaf(leaf, cells, problems))
    }
    return json + text
  }
}

const jsonOf = (value: JsonValue): string =>
  typeof value === 'string' && !escaped.test(value) ? `"${value}"` : JSON.stringify(value)

/** Characters that JSON escapes. Surrogates are escaped only if they are unpaired. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/
