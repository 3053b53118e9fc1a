import { type JsonValue, limits } from '#contract'
import { sharedOwner } from '#store'
import type { Binding, Read } from './binding.ts'
import { type Cell, keyPartOf, textOf } from './cell.ts'
import { CellError } from './cell-error.ts'
import { type CodeKind, codeOf } from './codes/code-of.ts'
import { compileConditions } from './compile-conditions.ts'
import { compileLookup } from './compile-lookup.ts'
import { changesNumbers, compileArithmetic, compileNumberChange } from './compile-number.ts'
import { lookupOf } from './context.ts'
import { compileConvert, memoized } from './convert.ts'
import { partsOf } from './expression-parts.ts'
import { functionNamed } from './functions.ts'
import type { Expression, FunctionCall, ValueSource } from './mapping.ts'
import { naturalId } from './natural-id.ts'
import { FormatError, limitLength } from './number-format.ts'
import type { RowWork } from './row-work.ts'

export const compileExpression = (expression: Expression, line: number, binding: Binding): Read => {
  const { source, apply, values, code } = expression
  const fallback = expression.default
  const read = compileSource(source, line, binding, expression)
  if (source.kind === 'value' || source.kind === 'importTime') return read
  const isRaw = source.kind === 'first' && apply.length > 0
  const isScalar = ['column', 'join', 'brand'].includes(source.kind) || isRaw
  const compile = (part: Expression) => compilePart(part, line, binding)
  const changeNumber = changesNumbers(expression)
    ? compileNumberChange(expression, binding, compile)
    : null
  const convert =
    isScalar && !values && !code
      ? compileConvert(changeNumber ? plainAmount(expression) : expression)
      : null
  const table = values || code ? compileTable(expression) : null
  const change = apply.length > 0 ? compileFunctions(apply, binding.work) : null
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
    if (changeNumber !== null && value !== null) return changeNumber(value, cells)
    return value === null && fallback !== null ? fallback.value : value
  }
}

/** Reads a number as it is written, to change it afterwards. */
const plainAmount = (expression: Expression): Expression => ({
  ...expression,
  as: 'amount',
  formats: { ...expression.formats, multiply: null },
})

/** A longer text fits into no record. */
const cellMax = limits.record.maxBytes

/** What a call of a function counts beside its text. */
const callCost = 20

const limitCell = (text: string): void => limitLength(text, cellMax, 'a cell')

const compileFunctions = (
  calls: readonly FunctionCall[],
  work: RowWork,
): ((cell: Cell) => string | null) => {
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
      work.spend(text.length + callCost)
    }
    return text === '' ? null : text
  }
}

/** The characters that a value adds to a list or an object. */
const lengthOf = (value: JsonValue): number =>
  typeof value === 'string'
    ? value.length
    : typeof value === 'object'
      ? JSON.stringify(value).length
      : 1

/** What a text means: by the table, else by the codes. */
const compileTable = ({ values, code, otherwise }: Expression): ((cell: Cell) => JsonValue) => {
  const findCode = code ? memoized((text) => codeOf(code, text)) : null
  const exact = new Map(values ?? [])
  const folded = new Map((values ?? []).map(([text, value]) => [text.toLowerCase(), value]))
  return (cell) => {
    const text = textOf(cell)
    if (text === null) return null
    const value = exact.get(text) ?? (exact.has(text) ? null : folded.get(text.toLowerCase()))
    if (value !== undefined) return value
    const match = findCode?.(text) ?? null
    if (match !== null) return match
    if (otherwise !== null) return otherwise.value
    throw new CellError(unknownText(text, code), text)
  }
}

const unknownText = (text: string, code: CodeKind | undefined): string =>
  code
    ? `is not the name or the code of a ${code}: say what it means with values: { '${text.slice(0, 40)}': … }`
    : 'is not listed in values: add it, or add otherwise: …'

const compileSource = (
  source: ValueSource,
  line: number,
  binding: Binding,
  expression: Expression,
): Read => {
  if (source.kind === 'column') {
    const read = binding.value(source.column, line, source.optional)
    return (cells) => {
      const cell = read(cells)
      if (typeof cell === 'string') limitCell(cell)
      return cell
    }
  }
  if (source.kind === 'value') return () => source.value
  if (source.kind === 'importTime') return () => binding.importedAt
  if (source.kind === 'brand') {
    const value = binding.brandValue(source.property, line)
    return () => value
  }
  if (source.kind === 'identity') return compileIdentity(source, line, binding)
  if (source.kind === 'object') return compileObject(source, line, binding)
  if (source.kind === 'arithmetic') {
    return compileArithmetic(source, binding.work, (part) => compilePart(part, line, binding))
  }
  if (source.kind === 'when') return compileWhen(source, line, binding)
  if (source.kind === 'rows') throw new Error('Values of several rows are made before.')
  if (source.kind === 'open') {
    const [best] = source.candidates
    return best ? compileExpression(best, line, binding) : () => null
  }
  const parts = partsOf(source).map((each) => compileExpression(each, line, binding))
  if (source.kind === 'lookup') {
    const table = binding.lookup(lookupOf(source))
    return compileLookup(source, parts, { table, hasDefault: expression.default !== null })
  }
  if (source.kind === 'join') {
    const { separator } = source
    return (cells) => {
      const texts = parts.map((read) => textOf(read(cells))).filter((text) => text !== null)
      let length = 0
      for (const text of texts) length += text.length + separator.length
      if (length > cellMax) throw new FormatError('joins to more than a record can have')
      binding.work.spend(length)
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
    const items: JsonValue[] = []
    for (const read of parts) {
      const item = read(cells) as JsonValue
      if (item === null) continue
      binding.work.spend(lengthOf(item))
      items.push(item)
    }
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
  // A constant alone does not make a reference, unless the key has nothing else.
  const isConstant = key.map((each) => ['value', 'brand'].includes(each.source.kind))
  const counts = isConstant.map((constant) => !constant || !isConstant.includes(false))
  return (cells) => {
    const texts = parts.map((read) => keyPartOf(read(cells)))
    const isPresent = texts.some((text, index) => text !== null && counts[index])
    if (!isPresent) return null
    for (const text of texts) binding.work.spend(text?.length ?? 0)
    if (!texts.includes(null)) return identify(...(texts as string[]))
    throw new CellError('has only a part of the key', texts.map((text) => text ?? '').join(' / '))
  }
}

/** One of several expressions of a field: its problems name the cell. */
const compilePart = (expression: Expression, line: number, binding: Binding): Read => {
  const read = compileExpression(expression, line, binding)
  const { source } = expression
  if (source.kind !== 'column') return read
  const { column } = source
  const cellOf = binding.cell(column, line, true)
  return (cells) => {
    try {
      return read(cells)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      throw new CellError(error.message, textOf(cellOf(cells)), { column })
    }
  }
}

/** The cases of `when`, in order. A problem has the line of its case. */
const compileWhen = (
  { cases, otherwise }: Extract<ValueSource, { readonly kind: 'when' }>,
  line: number,
  binding: Binding,
): Read => {
  const compiled = cases.map((each) => ({
    line: each.line,
    isMet: compileConditions(each.conditions, binding),
    read: compilePart(each.value, each.line, binding),
  }))
  const readOther = otherwise ? compilePart(otherwise, line, binding) : () => null
  return (cells) => {
    for (const { line: at, isMet, read } of compiled) {
      if (!isMet(cells)) continue
      try {
        return read(cells)
      } catch (error) {
        throw error instanceof FormatError ? withLine(error, at) : error
      }
    }
    return readOther(cells)
  }
}

const withLine = (error: FormatError, line: number): FormatError => {
  if (!(error instanceof CellError)) return new CellError(error.message, null, { line })
  return new CellError(error.message, error.value, { line, ...error.place })
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
      if (value === null) continue
      isEmpty = false
      binding.work.spend(name.length + lengthOf(value))
    }
    return isEmpty ? null : object
  }
}
