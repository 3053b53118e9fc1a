import {
  composeText,
  type JsonValue,
  type LeafField,
  leafFields,
  limits,
  type Resource,
} from '#contract'
import { nearest } from '#request'
import { sharedOwner } from '#store'
import { type Cell, keyPartOf, textOf } from './cell.ts'
import { compileConvert, memoized } from './convert.ts'
import { functionNamed } from './functions.ts'
import type {
  CellCondition,
  CollectionMapping,
  Expression,
  FieldMapping,
  FunctionCall,
  ValueSource,
} from './mapping.ts'
import { naturalId } from './natural-id.ts'
import { FormatError, limitLength } from './number-format.ts'
import { compileRank, type Rank } from './rank.ts'

export interface CompileOptions {
  readonly resource: Resource
  /** The brand, or `sharedOwner`. It is part of every identity. */
  readonly owner: string
  /** The columns of the rows, in cell order. */
  readonly columns: readonly string[]
  /** The time of the import, for fields without an earlier time. */
  readonly importedAt: string
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

/** The rows lack columns that the mapping uses. */
export class ColumnError extends Error {}

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
  return {
    map: (cells) => {
      if (!isWanted(cells)) return null
      const problems: MappedProblem[] = []
      if (isRemoval?.(cells)) {
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

/** The columns that a mapping of rows uses. */
export const columnsOf = (mapping: CollectionMapping): readonly string[] => {
  const columns = new Set<string>()
  for (const { value } of mapping.fields) addColumns(value, columns)
  for (const { column } of [...mapping.where, ...mapping.remove]) columns.add(column)
  if (mapping.keep?.row === 'newest') columns.add(mapping.keep.column)
  return [...columns]
}

/** Adds the columns that an expression uses. */
export const addColumns = ({ source }: Expression, columns: Set<string>): void => {
  if (source.kind === 'column') columns.add(source.column)
  for (const each of partsOf(source)) addColumns(each, columns)
}

const partsOf = (source: ValueSource): readonly Expression[] => {
  if (source.kind === 'join') return source.parts
  if (source.kind === 'first') return source.of
  if (source.kind === 'identity') return source.key
  if (source.kind === 'object') return source.fields.map(({ value }) => value)
  return source.kind === 'list' ? source.items : []
}

export type Read = (cells: readonly Cell[]) => Cell

/** A longer text fits into no record. */
const cellMax = limits.record.maxBytes

const limitCell = (text: string): void => limitLength(text, cellMax, 'a cell')

/** Resolves columns to cells, and collects missing columns. */
export interface Binding {
  readonly owner: string
  readonly importedAt: string
  cell(column: string, line: number, optional: boolean): Read
  /** Throws if a column is missing or ambiguous. */
  check(): void
}

export const createBinding = (
  { file }: CollectionMapping,
  { columns, owner, importedAt }: Omit<CompileOptions, 'resource'>,
): Binding => {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [index, column] of columns.entries()) {
    const name = columnName(column)
    if (places.has(name)) repeated.add(name)
    else places.set(name, index)
  }
  const issues = new Map<string, string>()
  return {
    owner,
    importedAt,
    cell: (column, line, optional) => {
      const name = columnName(column)
      const at = places.get(name)
      if (at === undefined) {
        if (!optional && !issues.has(name)) issues.set(name, missing(column, columns, file, line))
        return () => null
      }
      if (repeated.has(name)) {
        issues.set(
          name,
          `column ${JSON.stringify(column)} (${file}:${line}) is there twice; rename one of them`,
        )
      }
      return (cells) => cells[at] ?? null
    },
    check: () => {
      if (issues.size === 0) return
      const shown = columns
        .slice(0, columnsShownMax)
        .map((each) => each.trim())
        .filter(Boolean)
      const more = columns.length > columnsShownMax ? ', …' : ''
      throw new ColumnError(
        [
          'does not have the columns that the mapping uses:',
          ...[...issues.values()].map((each) => `  ${each}`),
          `  its columns are ${shown.join(', ')}${more}`,
        ].join('\n'),
      )
    },
  }
}

const columnsShownMax = 60

/** Header names are compared without surrounding spaces and in composed form. */
export const columnName = (column: string): string => composeText(column.trim())

const missing = (
  column: string,
  columns: readonly string[],
  file: string,
  line: number,
): string => {
  const meant = nearest(column, columns)
  const advice = meant ? `; did you mean ${JSON.stringify(meant)}?` : ''
  return `no column ${JSON.stringify(column)} (${file}:${line})${advice}`
}

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
    columns: [...columns],
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
    const value = error instanceof CellError ? error.value : textOf(leaf.shown(cells))
    problems.push(problemOf(leaf, value ?? '', error.message))
    return null
  }
}

const emptyReason = ({ name, columns }: Leaf): string =>
  columns.length === 0
    ? `must not be null`
    : `is empty, and ${name} must have a value: add default: … to the mapping, or leave such rows out with where`

const problemOf = (leaf: Leaf, value: unknown, reason: string): MappedProblem => ({
  field: leaf.pointer,
  column: leaf.columns.join(', '),
  mappingLine: leaf.line,
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
  const read = binding.cell(column, line, false)
  const rankOf = compileRank(keep.formats)
  return (cells, problems) => {
    const cell = read(cells)
    try {
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

/** A problem with a value that is not the whole cell of the field's only column. */
class CellError extends FormatError {
  readonly value: string | null

  constructor(message: string, value: string | null) {
    super(message)
    this.value = value
  }
}

const compileExpression = (expression: Expression, line: number, binding: Binding): Read => {
  const { source, apply, values, otherwise } = expression
  const fallback = expression.default
  const read = compileSource(source, line, binding, expression)
  if (source.kind === 'value' || source.kind === 'importTime') return read
  const isRaw = source.kind === 'first' && apply.length > 0
  const isScalar = source.kind === 'column' || source.kind === 'join' || isRaw
  const convert = isScalar && !values ? compileConvert(expression) : null
  const table = values && compileTable(values, otherwise)
  const change = apply.length > 0 ? compileFunctions(apply) : null
  return (cells) => {
    let cell = read(cells)
    if (change !== null && cell !== null) cell = change(cell)
    const value =
      cell === null || cell === ''
        ? null
        : table !== null
          ? table(cell)
          : convert !== null
            ? (convert(cell) as Cell)
            : cell
    return value === null && fallback !== null ? fallback.value : value
  }
}

const compileFunctions = (calls: readonly FunctionCall[]): ((cell: Cell) => string | null) => {
  const functions = calls.flatMap(({ name, arguments: args }) => {
    const called = functionNamed(name)
    return called ? [(text: string) => called.run(text, ...args)] : []
  })
  return (cell) => {
    let text = textOf(cell)
    if (text === null) return null
    for (const each of functions) {
      text = each(text)
      limitCell(text)
    }
    return text === '' ? null : text
  }
}

const compileTable = (
  values: NonNullable<Expression['values']>,
  otherwise: Expression['otherwise'],
): ((cell: Cell) => JsonValue) => {
  const exact = new Map(values)
  const folded = new Map(values.map(([text, value]) => [text.toLowerCase(), value]))
  return (cell) => {
    const text = textOf(cell)
    if (text === null) return null
    const value = exact.get(text) ?? (exact.has(text) ? null : folded.get(text.toLowerCase()))
    if (value !== undefined) return value
    if (otherwise !== null) return otherwise.value
    throw new CellError('is not listed in values: add it, or add otherwise: …', text)
  }
}

const compileSource = (
  source: ValueSource,
  line: number,
  binding: Binding,
  expression: Expression,
): Read => {
  if (source.kind === 'column') {
    const read = binding.cell(source.column, line, source.optional)
    return (cells) => {
      const cell = read(cells)
      if (typeof cell === 'string') limitCell(cell)
      return cell
    }
  }
  if (source.kind === 'value') return () => source.value
  if (source.kind === 'importTime') return () => binding.importedAt
  if (source.kind === 'identity') return compileIdentity(source, line, binding)
  if (source.kind === 'object') return compileObject(source, line, binding)
  const parts = partsOf(source).map((each) => compileExpression(each, line, binding))
  if (source.kind === 'join') {
    const { separator } = source
    return (cells) => {
      const texts = parts.map((read) => textOf(read(cells))).filter((text) => text !== null)
      let length = 0
      for (const text of texts) length += text.length + separator.length
      if (length > cellMax) throw new FormatError('joins to more than a record can have')
      return texts.length === 0 ? null : texts.join(separator)
    }
  }
  if (source.kind === 'first') {
    return (cells) => {
      for (const read of parts) {
        const value = read(cells)
        if (value !== null) return value
      }
      return null
    }
  }
  const isList = expression.as === 'texts' || expression.as === 'objects'
  return (cells) => {
    const items = parts.map((read) => read(cells) as JsonValue).filter((item) => item !== null)
    return items.length === 0 && !isList ? null : items
  }
}

const compileIdentity = (
  source: Extract<ValueSource, { readonly kind: 'identity' }>,
  line: number,
  binding: Binding,
): Read => {
  const { collection, key, optional } = source
  const owner = source.shared ? sharedOwner : binding.owner
  const identify = (...texts: readonly string[]) => naturalId(owner, collection, texts)
  const parts = key.map((each) => compileExpression(each, line, binding))
  // Memoizes references, which many rows share. Identities differ in every row.
  const [first] = parts
  const only = parts.length === 1 ? first : undefined
  if (only) {
    const find = optional ? memoized((text) => identify(text)) : (text: string) => identify(text)
    return (cells) => {
      const part = keyPartOf(only(cells))
      return part === null ? null : find(part)
    }
  }
  const isConstant = key.map((each) => each.source.kind === 'value')
  return (cells) => {
    const texts = parts.map((read) => keyPartOf(read(cells)))
    const isPresent = texts.some((text, index) => text !== null && !isConstant[index])
    if (!isPresent) return null
    if (!texts.includes(null)) return identify(...(texts as string[]))
    throw new CellError('has only a part of the key', texts.map((text) => text ?? '').join(' / '))
  }
}

const compileObject = (
  { fields }: Extract<ValueSource, { readonly kind: 'object' }>,
  line: number,
  binding: Binding,
): Read => {
  const entries = fields.map(
    ({ name, value }) => [name, compileExpression(value, line, binding)] as const,
  )
  return (cells) => {
    // Without a prototype, __proto__ is a name like any other.
    const object: { [name: string]: JsonValue } = Object.create(null)
    let isEmpty = true
    for (const [name, read] of entries) {
      const value = read(cells) as JsonValue
      object[name] = value
      if (value !== null) isEmpty = false
    }
    return isEmpty ? null : object
  }
}

const compileConditions = (
  conditions: readonly CellCondition[],
  binding: Binding,
): ((cells: readonly Cell[]) => boolean) => {
  const tests = conditions.map(({ column, line, test }) => {
    const read = binding.cell(column, line, false)
    if (test.kind === 'empty') {
      return (cells: readonly Cell[]) => (textOf(read(cells)) === null) === test.expected
    }
    if (test.kind === 'startsWith') {
      return (cells: readonly Cell[]) => {
        const text = textOf(read(cells)) ?? ''
        return test.prefixes.some((prefix) => text.startsWith(prefix))
      }
    }
    const values = new Set(test.values)
    const expected = test.kind === 'in'
    return (cells: readonly Cell[]) => values.has(textOf(read(cells)) ?? '') === expected
  })
  return (cells) => tests.every((isMet) => isMet(cells))
}
