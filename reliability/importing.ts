import { Readable } from 'node:stream'
import { catalog } from '#contract'
import { findSources, type IngestResult, ingest, openReport } from '#ingest'
import type { Store } from '#store'
import { ndjson } from '../test/support/command.ts'

export interface ImportRequest {
  readonly owner: string
  readonly collection: string
  readonly records: readonly object[]
  readonly replace?: boolean
  readonly allowDangling?: boolean
}

/** Imports like the command, within this process. Throws if the records are rejected. */
export const importRecords = async (
  store: Store,
  { owner, collection, records, replace = false, allowDangling = false }: ImportRequest,
): Promise<IngestResult> => {
  const sources = await findSources(['-'], {
    catalog,
    collection,
    format: 'ndjson',
    input: Readable.from([Buffer.from(ndjson(records))]),
  })
  const report = openReport(undefined)
  const result = await ingest({
    store,
    sources,
    owner,
    replace,
    allowRemovals: true,
    dryRun: false,
    allowDangling,
    report,
    now: Date.now,
  })
  if (!result.written) throw new Error(`It was refused: ${JSON.stringify(report.first)}`)
  return result
}
