import {
  type Catalog,
  canonicalRecord,
  checkRecord,
  limits,
  openReadyTexts,
  type Resource,
} from '#contract'
import {
  createRowDigester,
  packedFieldsOf,
  packerOf,
  type RowBatch,
  type StoredRecord,
} from '#store'
import { cutField, cutValue, pointerOf, type RowProblem } from './report.ts'
import type { SourceRow } from './row.ts'
import { openPacking } from './row-batch.ts'
import { readSource, type Source } from './source.ts'

/** What is to be read, and for whom. */
export interface Reading {
  readonly catalog: Catalog
  readonly source: Source
  readonly owner: string
  /** How many good rows of the same collection came before. */
  readonly goodBefore: number
}

/** Some rows of a source: the good ones packed, and what is wrong with the others. */
export interface CheckedBatch extends RowBatch {
  readonly rows: number
  /** How much of the source was read for them. */
  readonly bytes: number
  readonly problems: readonly RowProblem[]
}

/** Reads a source, checks its rows against the contract and packs those that are good. */
export async function* readChecked(reading: Reading): AsyncIterable<CheckedBatch> {
  const { catalog, source, owner } = reading
  const pack = packerOf(catalog, source.resource)
  // A brand's own record has to have the right slug besides, and to be the only one.
  const texts = source.resource.lookup
    ? undefined
    : openReadyTexts(source.resource, packedFieldsOf(catalog, source.resource))
  const digester = createRowDigester(catalog, source.resource)
  let good = reading.goodBefore
  let bytes = 0
  const count = (more: number) => {
    bytes += more
  }
  for await (const { rows, ready } of readSource(source, count, texts)) {
    const packing = openPacking(digester, ready)
    const readyRows = ready?.lines.length ?? 0
    const problems: RowProblem[] = []
    for (const row of rows) {
      const { record, found } = checkRow(source.resource, row, owner, good)
      const cells: Parameters<typeof pack>[1] = []
      if (record) pack(record, cells)
      const wrong = record ? tooLong(String(cells.at(-1))) : found
      for (const { field, value, reason } of wrong) {
        const { name: file } = source
        const place = { file, line: row.line, field: cutField(field) }
        problems.push({ ...place, value: cutValue(value), reason, severity: 'error' })
      }
      if (wrong.length > 0) continue
      packing.add(row.line, cells)
      good += 1
    }
    yield { rows: rows.length + readyRows, bytes, ...packing.pack(), problems }
    bytes = 0
  }
}

interface Found {
  readonly field: string
  readonly value: unknown
  readonly reason: string
}

/** A row's record in its canonical form, or everything that keeps the row from being one. */
type CheckedRow =
  | { readonly record: StoredRecord; readonly found?: undefined }
  | { readonly record?: undefined; readonly found: readonly Found[] }

const checkRow = (
  resource: Resource,
  row: SourceRow,
  owner: string,
  goodBefore: number,
): CheckedRow => {
  if ('problem' in row) {
    const field = row.field ? pointerOf(row.field) : ''
    return { found: [{ field, value: row.text, reason: row.problem }] }
  }
  let { value } = row
  let problems = checkRecord(resource, value)
  if (problems.length > 0) {
    // Most records are in their canonical form; only the others are worth another look.
    value = canonicalRecord(resource, value)
    problems = checkRecord(resource, value)
  }
  const named = new Set(problems.map(({ pointer }) => pointer))
  const lost = row.losses.filter(({ pointer }) => !named.has(pointer))
  if (problems.length + lost.length > 0) {
    return {
      found: [...lost, ...problems].map(({ pointer, ...rest }) => ({ field: pointer, ...rest })),
    }
  }
  const record = value as StoredRecord
  const found = ofBrand(resource, record, owner, goodBefore)
  return found.length > 0 ? { found } : { record }
}

/** What is wrong with a brand's own record besides. */
const ofBrand = (
  resource: Resource,
  record: StoredRecord,
  owner: string,
  goodBefore: number,
): readonly Found[] => {
  if (!resource.lookup) return []
  const name = record[resource.lookup]
  if (name !== owner) {
    const reason = `must be ${owner}, the brand of this import`
    return [{ field: `/${resource.lookup}`, value: name, reason }]
  }
  if (goodBefore === 0) return []
  const reason = 'is a second record of the brand, which has one only'
  return [{ field: '', value: record['id'], reason }]
}

/** No character takes more than three bytes for each of its units. */
const bytesPerUnit = 3

const tooLong = (body: string): readonly Found[] => {
  const { maxBytes } = limits.record
  if (body.length * bytesPerUnit <= maxBytes) return []
  const bytes = Buffer.byteLength(body)
  if (bytes <= maxBytes) return []
  const [size, limit] = [bytes, maxBytes].map((each) => each.toLocaleString('en'))
  const reason = `is a record of ${size} bytes: at most ${limit} bytes (256 KiB of JSON) are taken`
  return [{ field: '', value: '', reason }]
}
