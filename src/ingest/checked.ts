import { type Catalog, checkRecord, openReadyTexts, type Resource } from '#contract'
import { openNoting, type PackedRows, packedFieldsOf, packerOf, type StoredRecord } from '#store'
import { openPacking } from './packed.ts'
import { cutValue, pointerOf, type RowProblem } from './report.ts'
import type { SourceRow } from './row.ts'
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
export interface CheckedBatch extends PackedRows {
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
  const noting = openNoting(catalog, source.resource)
  let good = reading.goodBefore
  let bytes = 0
  const count = (more: number) => {
    bytes += more
  }
  for await (const { rows, ready } of readSource(source, count, texts)) {
    const packing = openPacking(noting, ready)
    const readyRows = ready?.lines.length ?? 0
    const problems: RowProblem[] = []
    for (const row of rows) {
      const found = problemsOf(source.resource, row, owner, good)
      for (const { field, value, reason } of found) {
        const { name: file } = source
        const cut = cutValue(value)
        problems.push({ file, line: row.line, field, value: cut, reason, severity: 'error' })
      }
      if (found.length > 0 || !('value' in row)) continue
      packing.add(row.line, (cells) => pack(row.value as StoredRecord, cells))
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

/** Everything that keeps a row from being a record of the collection and of the owner. */
const problemsOf = (
  resource: Resource,
  row: SourceRow,
  owner: string,
  goodBefore: number,
): readonly Found[] => {
  if ('problem' in row) {
    const field = row.field ? pointerOf(row.field) : ''
    return [{ field, value: row.text, reason: row.problem }]
  }
  const problems = checkRecord(resource, row.value)
  if (problems.length > 0)
    return problems.map(({ pointer, ...rest }) => ({ field: pointer, ...rest }))
  if (!resource.lookup) return []
  const record = row.value as StoredRecord
  const name = record[resource.lookup]
  if (name !== owner) {
    const reason = `must be ${owner}, the brand of this import`
    return [{ field: `/${resource.lookup}`, value: name, reason }]
  }
  if (goodBefore === 0) return []
  const reason = 'is a second record of the brand, which has one only'
  return [{ field: '', value: record['id'], reason }]
}
