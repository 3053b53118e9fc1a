import { isUtf8 } from 'node:buffer'
import {
  type Catalog,
  canonicalRecord,
  checkRecord,
  compileCanonicalScanner,
  limits,
  type Resource,
} from '#contract'
import { type RowBatch, rowFormatOf, type StoredRecord } from '#store'
import { cutField, cutValue, pointerOf, type RowProblem } from './report.ts'
import type { SourceRow } from './row.ts'
import { createRowBatchBuilder } from './row-batch.ts'
import { readSource, type Source } from './source.ts'

export interface ValidateOptions {
  readonly catalog: Catalog
  readonly source: Source
  readonly owner: string
  /** How many valid rows of the same collection came before. */
  readonly validBefore: number
}

/** Some rows of a source: the valid ones as a batch to store, and the problems of the others. */
export interface ValidatedBatch extends RowBatch {
  readonly rows: number
  /** How much of the source was read for them. */
  readonly bytes: number
  readonly problems: readonly RowProblem[]
}

/** Reads a source, validates its rows against the contract and batches the valid ones. */
export async function* validateSource(options: ValidateOptions): AsyncIterable<ValidatedBatch> {
  const { catalog, source, owner } = options
  const { resource } = source
  const { fields, pack, createDigester } = rowFormatOf(catalog, resource)
  // A brand's own record must also have the right slug and be the only one.
  const scanner = resource.lookup
    ? undefined
    : compileCanonicalScanner(resource, { wanted: fields, isUtf8 })
  const digester = createDigester()
  let validRows = options.validBefore
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
  }
  for await (const { rows, canonical } of readSource(source, { onBytes, scanner })) {
    const batch = createRowBatchBuilder(digester, canonical)
    const problems: RowProblem[] = []
    for (const row of rows) {
      const validated = validateRow(resource, row, owner, validRows)
      const cells: Parameters<typeof pack>[1] = []
      if (validated.record) pack(validated.record, cells)
      const rowProblems = validated.record ? sizeProblems(String(cells.at(-1))) : validated.problems
      for (const { field, value, reason } of rowProblems) {
        problems.push({
          file: source.name,
          line: row.line,
          field: cutField(field),
          value: cutValue(value),
          reason,
          severity: 'error',
        })
      }
      if (rowProblems.length > 0) continue
      batch.add(row.line, cells)
      validRows += 1
    }
    const canonicalRows = canonical?.lines.length ?? 0
    yield { rows: rows.length + canonicalRows, bytes, ...batch.build(), problems }
    bytes = 0
  }
}

interface FieldProblem {
  /** A JSON pointer into the record. */
  readonly field: string
  readonly value: unknown
  readonly reason: string
}

/** A row's record in its canonical form, or everything that is wrong with the row. */
type ValidatedRow =
  | { readonly record: StoredRecord; readonly problems?: undefined }
  | { readonly record?: undefined; readonly problems: readonly FieldProblem[] }

const validateRow = (
  resource: Resource,
  row: SourceRow,
  owner: string,
  validBefore: number,
): ValidatedRow => {
  if ('problem' in row) {
    const field = row.field ? pointerOf(row.field) : ''
    return { problems: [{ field, value: row.text, reason: row.problem }] }
  }
  let { value } = row
  let problems = checkRecord(resource, value)
  if (problems.length > 0) {
    // Most records are in their canonical form: only the others are worth a second check.
    value = canonicalRecord(resource, value)
    problems = checkRecord(resource, value)
  }
  const pointers = new Set(problems.map(({ pointer }) => pointer))
  const losses = row.losses.filter(({ pointer }) => !pointers.has(pointer))
  if (problems.length + losses.length > 0) {
    return {
      problems: [...losses, ...problems].map(({ pointer, ...rest }) => ({
        field: pointer,
        ...rest,
      })),
    }
  }
  const record = value as StoredRecord
  const ofBrand = brandProblems(resource, record, owner, validBefore)
  return ofBrand.length > 0 ? { problems: ofBrand } : { record }
}

/** What else is wrong with a brand's own record. */
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

/** UTF-8 takes at most three bytes for each UTF-16 unit of a string. */
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
