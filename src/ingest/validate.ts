import { isUtf8 } from 'node:buffer'
import {
  boundsCheck,
  type Catalog,
  type Code,
  canonicalRecord,
  checkRecord,
  compileCanonicalScanner,
  compileCodeCheck,
  type Field,
  limits,
  type Problem,
  type Resource,
  recordName,
} from '#contract'
import { type Key, type PlacedRow, type RowBatch, rowFormatOf, type StoredRecord } from '#store'
import { type Adopted, createAdopter } from './adopt-brand.ts'
import { rankOf, skipsRepeats } from './canonical-rows.ts'
import type { CpuMeter } from './cpu-limit.ts'
import { createFutureTimes, type FutureTimes } from './future-times.ts'
import { namedError } from './input.ts'
import { readSource } from './read-source.ts'
import { type BadRow, problemsOfRowMax, receiveRow } from './received-row.ts'
import { cutField, cutValue, pointerOf, type RowProblem } from './report.ts'
import type { Correction, Received, SourceRow, SourceRows } from './row.ts'
import { createRowBatchBuilder } from './row-batch.ts'
import { otherRow, placeOf, type Source } from './source.ts'

export interface ValidateOptions {
  readonly catalog: Catalog
  readonly source: Source
  readonly owner: string
  /** The number of valid rows of the collection before this source. */
  readonly validBefore: number
  /** The time of the import, in milliseconds since 1970. */
  readonly now: number
  /** Whether to return bad rows, to put them in quarantine. */
  readonly keepsBadRows?: boolean | undefined
  /** Whether to keep what valid rows are called, for a source that cannot be read again. */
  readonly keepsNames?: boolean
  /** For work outside of a thread that is ended after its time. */
  readonly meter?: CpuMeter
}

/** Rows of a source: the valid ones as a batch to store, and the problems of the others. */
export interface ValidatedBatch extends RowBatch {
  readonly rows: number
  /** The identities of records to remove. */
  readonly removals: readonly Key[]
  /** The line of each removal. */
  readonly removalLines: readonly number[]
  /** With `keep`: removals and bad rows, to compare them with the others that have their keys. */
  readonly places?: readonly PlacedRow[] | undefined
  /** The number of source bytes read for this batch. */
  readonly bytes: number
  readonly problems: readonly RowProblem[]
  /** The rows with errors among the problems, on request. */
  readonly badRows: readonly BadRow[]
  /** Valid rows with an invalid code, as they were received, on request; by their index in `lines`. */
  readonly suspectRows: readonly (Received & { readonly index: number })[]
  /**
   * Invalid codes of valid rows and values beyond a bound, in line order. Whether they refuse their
   * rows is decided later.
   */
  readonly codeProblems: readonly CodeProblem[]
  /** The texts that name the valid rows (`RowNamer.textsOf`), if they are kept. */
  readonly named?: readonly (readonly (string | null)[] | undefined)[] | undefined
  /** See `SourceRows`. */
  readonly corrections?: readonly Correction[] | undefined
  /** Valid rows that were changed in the future. */
  readonly futureTimes: FutureTimes
}

/** An invalid code, or a value beyond a bound, in a row that is otherwise valid. */
export interface CodeProblem {
  /** The index of the row in `lines` of its batch. */
  readonly row: number
  /** The code that the value should be: `currency`. Only codes whose severity is `error`. */
  readonly check: Code | typeof boundsCheck
  /** A JSON pointer into the record: `/relationship/defaultCurrencyCode`. */
  readonly pointer: string
  readonly value: string
  /** Says what is wrong and what to do: `is not an ISO 4217 code such as EUR`. */
  readonly reason: string
  /** See `RowProblem`. */
  readonly key: string | null
}

/** Reads a source, validates its rows against the contract and batches the valid ones. */
export async function* validateSource(options: ValidateOptions): AsyncIterable<ValidatedBatch> {
  const { catalog, source, owner, meter, keepsBadRows } = options
  const { resource } = source
  const { fields, textBytes, pack, createDigester } = rowFormatOf(catalog, resource)
  const adopt = source.asBrand ? createAdopter(catalog, resource, source.asBrand) : null
  // The fast path cannot check the slug and uniqueness of a brand record, or change a row.
  const scanner =
    resource.lookup || source.removes || adopt
      ? undefined
      : compileCanonicalScanner(resource, { wanted: fields, wantedBytes: textBytes, isUtf8 })
  const digester = createDigester()
  const findInvalidCodes = compileCodeCheck(resource.fields, 'error')
  const future = createFutureTimes(fields, options.now)
  let validRows = options.validBefore
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
    meter?.read(more)
  }
  const repeats = createRepeatFilter(source)
  for await (const read of readSource(source, {
    ...{ onBytes, scanner, owner, meter, keepsBadRows },
  })) {
    const { rows, canonical, originOf, names, corrections } = read
    const keyOf = (row: SourceRow): string | null => {
      if (source.mapping) return names?.keyOf(row.line) ?? null
      return 'value' in row ? recordName(resource, row.value) : null
    }
    const endWork = meter?.begin()
    const batch = createRowBatchBuilder(digester, canonical)
    const problems: RowProblem[] = []
    const codeProblems: CodeProblem[] = []
    const badRows: BadRow[] = []
    const suspectRows: (Received & { index: number })[] = []
    const removals: Key[] = []
    const removalLines: number[] = []
    const places: PlacedRow[] = []
    const place = (row: SourceRow, key: Key | null | undefined, isRemoval: boolean) => {
      const isCompared = source.mapping?.keep && ('json' in row || 'rank' in row)
      if (!key || !isCompared) return
      const { line, rank = null } = row
      places.push({ key, isRemoval, line, rank, after: batch.rowsBefore(line) })
    }
    for (const row of rows) {
      if ('repeats' in row) {
        repeats?.add(row, row.repeats, keyOf, problems)
        continue
      }
      const validated = validateRow(resource, row, { owner, validBefore: validRows, adopt })
      const cells: Parameters<typeof pack>[1] = []
      if (validated.record) pack(validated.record, cells)
      const { beyond = [] } = validated
      const oversize = validated.record ? sizeProblems(String(cells.at(-1))) : []
      const rowProblems =
        oversize.length > 0 ? [...beyond, ...oversize] : (validated.problems ?? [])
      const key = rowProblems.length > 0 ? keyOf(row) : null
      const reported = rowProblems.map(
        ({ field, value, reason, ...origin }): RowProblem => ({
          ...placeOf(source, row.line, key),
          field: cutField(field),
          value: cutValue(value),
          reason,
          severity: 'error',
          ...(source.mapping && {
            ...(originOf?.(field) ?? {}),
            ...origin,
            mappingFile: source.mapping.file,
          }),
        }),
      )
      for (const problem of reported) problems.push(problem)
      if (keepsBadRows && reported.length > 0) {
        const first = reported.slice(0, problemsOfRowMax)
        const bad = { line: row.line, problems: first, ...received(resource, row, read) }
        badRows.push(bad)
        place(row, bad.key, false)
      }
      if (validated.removal) {
        removals.push(validated.removal)
        removalLines.push(row.line)
      }
      place(row, validated.removal, true)
      if (validated.removal || rowProblems.length > 0) continue
      if (repeats?.isRepeat(row, String(cells.at(-1)), keyOf, problems)) continue
      const index = batch.add(row.line, cells, rankOf(row))
      for (const { field, value, reason } of beyond) {
        const own = { row: index, check: boundsCheck, pointer: field, key: keyOf(row) } as const
        codeProblems.push({ ...own, value: cutValue(value), reason })
      }
      for (const { code, ...invalid } of findInvalidCodes(validated.record)) {
        codeProblems.push({ row: index, check: code, ...invalid, key: keyOf(row) })
      }
      if (keepsBadRows && codeProblems.at(-1)?.row === index) {
        suspectRows.push({ index, ...received(resource, row, read) })
      }
      future.add(row.line, validated.record ?? {})
      validRows += 1
    }
    if (canonical) future.addCanonical(canonical)
    const canonicalRows = canonical?.lines.length ?? 0
    const count = rows.length + canonicalRows - (repeats?.take() ?? 0)
    const futureTimes = future.take()
    endWork?.()
    checkTime(source, meter)
    const bad = { problems, badRows, suspectRows, codeProblems }
    const built = batch.build()
    const named = options.keepsNames
      ? built.lines.map((line) => names?.textsOf(line) ?? undefined)
      : undefined
    const placed = places.length > 0 ? places : undefined
    yield {
      ...{ rows: count, bytes, ...built, named, corrections, removals, removalLines },
      ...{ ...bad, places: placed, futureTimes },
    }
    bytes = 0
  }
}

/** A row as it was received. */
const received = (
  resource: Resource,
  row: Exclude<SourceRow, { readonly repeats: number }>,
  { receive }: SourceRows,
): Received => {
  if ('received' in row && row.received) return row.received
  if ('cells' in row && row.cells && receive) return receive(row.cells)
  return receiveRow(resource, row)
}

const checkTime = ({ name }: Source, meter: CpuMeter | undefined): void => {
  try {
    meter?.check()
  } catch (error) {
    throw namedError(name, error)
  }
}

/**
 * Skips rows of a mapped file that repeat the record of the previous row, as all lines of an order
 * repeat the order. They need not be staged. Other repetitions are found among the staged rows.
 */
const createRepeatFilter = (source: Source) => {
  const { mapping } = source
  if (!mapping || !skipsRepeats(mapping)) return null
  type KeyOf = (row: SourceRow) => string | null
  let last = { line: 0, body: '' }
  let repeated = 0
  const add = (row: SourceRow, repeats: number, keyOf: KeyOf, problems: RowProblem[]) => {
    repeated += 1
    if (mapping.distinct || mapping.keep) return
    const place = placeOf(source, row.line, keyOf(row))
    const reason = repeatReason(source, repeats)
    problems.push({ ...place, field: '', value: '', reason, severity: 'warning' })
  }
  return {
    isRepeat: (row: SourceRow, body: string, keyOf: KeyOf, problems: RowProblem[]): boolean => {
      if (body !== last.body) {
        last = { line: row.line, body }
        return false
      }
      add(row, last.line, keyOf, problems)
      return true
    },
    add,
    /** The number of repetitions since the last call. */
    take: (): number => {
      const count = repeated
      repeated = 0
      return count
    },
  }
}

/** The report's reason for a row that repeats another row's record. */
export const repeatReason = (
  source: Pick<Source, 'name' | 'isUnordered'> | undefined,
  line: number,
): string =>
  `gives the same record as ${otherRow(source, line)}, which counts once; if this is expected, add distinct: true to the mapping`

interface FieldProblem {
  /** A JSON pointer into the record. */
  readonly field: string
  readonly value: unknown
  readonly reason: string
  readonly column?: string
  readonly mappingLine?: number
}

/** A row's record or identity in canonical form, or all its problems. */
interface ValidatedRow {
  readonly record?: StoredRecord
  /** The values of the record that are beyond a bound. */
  readonly beyond?: readonly FieldProblem[]
  readonly removal?: Key
  readonly problems?: readonly FieldProblem[]
}

interface RowContext {
  readonly owner: string
  readonly validBefore: number
  readonly adopt: ((value: unknown) => Adopted) | null
}

const validateRow = (
  resource: Resource,
  row: Exclude<SourceRow, { readonly repeats: number }>,
  { owner, validBefore, adopt }: RowContext,
): ValidatedRow => {
  if ('problem' in row) {
    const field = row.field ? pointerOf(row.field) : ''
    return { problems: [{ field, value: row.text, reason: row.problem }] }
  }
  if ('problems' in row) return row
  if ('removal' in row) return validateRemoval(resource, row.removal)
  const parsed = 'json' in row ? { value: JSON.parse(row.json) as unknown, losses: [] } : row
  const adopted = adopt ? adopt(parsed.value) : { value: parsed.value }
  if ('reason' in adopted) return { problems: [{ field: '', value: '', reason: adopted.reason }] }
  const [value, problems] = checkValue(resource, adopted.value)
  const pointers = new Set(problems.map(({ pointer }) => pointer))
  const losses = parsed.losses.filter(({ pointer }) => !pointers.has(pointer))
  const all = [...losses, ...problems].map(fieldProblem)
  const isRecord = parsed.losses.length === 0 && problems.every(({ isBeyond }) => isBeyond)
  if (!isRecord) return { problems: all }
  const record = value as StoredRecord
  const ofBrand = brandProblems(resource, record, owner, validBefore)
  return ofBrand.length > 0 ? { problems: [...all, ...ofBrand] } : { record, beyond: all }
}

/** A value in canonical form, and its problems. */
const checkValue = (
  resource: Pick<Resource, 'fields'>,
  value: unknown,
): readonly [unknown, readonly Problem[]] => {
  const problems = checkRecord(resource, value)
  if (problems.length === 0) return [value, problems]
  // Most records are already canonical; only the others need a second check.
  const canonical = canonicalRecord(resource, value)
  return [canonical, checkRecord(resource, canonical)]
}

const fieldProblem = ({ pointer, value, reason }: Problem): FieldProblem => ({
  field: pointer,
  value,
  reason,
})

const validateRemoval = (resource: Resource, removal: readonly string[]): ValidatedRow => {
  const { key, lookup } = resource
  const whole = { field: '', value: removal.join() }
  if (lookup) {
    const reason = "is the brand's own record, which cannot be removed without the brand"
    return { problems: [{ ...whole, reason }] }
  }
  if (removal.length !== key.length) {
    const reason = `is not an identity of ${resource.path}, which has ${key.length} parts: ${key.join(', ')}`
    return { problems: [{ ...whole, reason }] }
  }
  const [identity, problems] = checkIdentity(resource, removal)
  return problems.length > 0 ? { problems: problems.map(fieldProblem) } : { removal: identity }
}

/** An identity in canonical form, and its problems. */
const checkIdentity = (
  { key, fields: all }: Resource,
  parts: readonly string[],
): readonly [Key, readonly Problem[]] => {
  const fields = Object.fromEntries(key.map((name) => [name, all[name] as Field]))
  const identity = Object.fromEntries(key.map((name, index) => [name, parts[index]]))
  const [value, problems] = checkValue({ fields }, identity)
  return [key.map((name) => String((value as StoredRecord)[name])), problems]
}

/** An identity in canonical form; null if no record can have it. */
export const validIdentity = (resource: Resource, parts: readonly string[]): Key | null => {
  const [identity, problems] = checkIdentity(resource, parts)
  return problems.length > 0 ? null : identity
}

/** Further problems of a brand record. */
const brandProblems = (
  resource: Resource,
  record: StoredRecord,
  owner: string,
  validBefore: number,
): readonly FieldProblem[] => {
  if (!resource.lookup) return []
  const slug = record[resource.lookup]
  if (slug !== owner) {
    const reason = `must be ${owner}, the brand of this import`
    return [{ field: `/${resource.lookup}`, value: slug, reason }]
  }
  if (validBefore === 0) return []
  const reason = 'is a second record of the brand; a brand has exactly one'
  return [{ field: '', value: record['id'], reason }]
}

/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const bytesPerUnit = 3

const sizeProblems = (body: string): readonly FieldProblem[] => {
  const { maxBytes } = limits.record
  if (body.length * bytesPerUnit <= maxBytes) return []
  const bytes = Buffer.byteLength(body)
  if (bytes <= maxBytes) return []
  const [size, limit] = [bytes, maxBytes].map((each) => each.toLocaleString('en'))
  const reason = `is a record of ${size} bytes; the limit is ${limit} bytes (256 KiB of JSON)`
  return [{ field: '', value: '', reason }]
}
