import { checkRules, type RuleResult, rules } from '#check'
import { catalog, recordName, resourceAt, writeIdentity } from '#contract'
import {
  type IngestResult,
  ingest,
  type PreviewedSource,
  type Report,
  type Source,
  type SourcePreview,
} from '#ingest'
import { sharedOwner, type Writer } from '#store'
import type { OperatorParts } from './parts.ts'

/** A source that is imported for trial, and what watches it. */
export interface TriedSource {
  readonly source: Source
  readonly previewed: PreviewedSource
}

export interface TrialRequest {
  readonly sources: readonly TriedSource[]
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  readonly report: Report
  /** Collections whose records are not all in the sources: a reference to one may be right. */
  readonly incomplete: ReadonlySet<string>
  /** Whether to check the business rules. They judge records together, and need all of them. */
  readonly checksRules: boolean
}

/** What an import would do. */
export interface Trial {
  readonly result: IngestResult
  readonly previews: readonly SourcePreview[]
  /** What the business rules say of the result; null if they were not checked, as for shared records. */
  readonly rules: TriedRules | null
}

export interface TriedRules {
  readonly checked: number
  /** The number of rules that were not checked in time. */
  readonly left: number
  readonly broken: readonly BrokenRule[]
}

export interface BrokenRule {
  readonly id: string
  readonly severity: 'error' | 'warning'
  readonly sentence: string
  readonly count: number
  readonly records: readonly BrokenRecord[]
}

interface BrokenRecord {
  readonly collection: string
  readonly key: readonly string[]
  /** What people call it; null if that is not known. */
  readonly name: string | null
  readonly detail: string
}

/** Time limit for starting further rules: the transaction keeps other writers waiting. */
const secondsMax = 30
const recordsMax = 3

/**
 * Imports the sources as every import does, checks the business rules on the result, and rolls all of
 * it back.
 */
export const tryImport = async (
  { store, database, now }: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  { sources, owner, report, incomplete, checksRules }: TrialRequest,
): Promise<Trial> => {
  const observed = sources.map(({ source, previewed }) => ({
    ...source,
    observer: previewed.observer,
  }))
  const previewedOf = ({ observer }: Source) =>
    sources.find(({ previewed }) => previewed.observer === observer)?.previewed
  let tried: TriedRules | null = null
  const result = await ingest({
    ...{ store, sources: observed, owner, report, now },
    ...{ replace: false, allowRemovals: true, dryRun: true, allowDangling: incomplete },
    onProgress: ({ source, bytes, rows, done }) => {
      if (done) previewedOf(source)?.imported(rows)
      else if (bytes === 0 && rows === 0) previewedOf(source)?.restart()
    },
    onUnstored: (source, why, rows) => previewedOf(source)?.unstored(why, rows),
    beforeRollback: async (writer) => {
      if (!checksRules || owner === sharedOwner) return
      const end = now() + secondsMax * 1_000
      tried = await tryRules({ database, now }, owner, writer, () => now() > end)
    },
  })
  return { result, previews: sources.map(({ previewed }) => previewed.preview()), rules: tried }
}

const tryRules = async (
  { database, now }: Pick<OperatorParts, 'database' | 'now'>,
  brand: string,
  writer: Writer,
  isOver: () => boolean,
): Promise<TriedRules> => {
  const results = await checkRules({
    database: {
      dialect: database.dialect,
      indexes: () => database.indexes(),
      snapshot: (work) => work(writer.read),
    },
    ...{ catalog, brand, now: now(), listMax: recordsMax, isOver },
    today: new Date(now()).toISOString().slice(0, 10),
  })
  const broken: BrokenRule[] = []
  for (const result of results) {
    if (result.count > 0) broken.push(await brokenRule(result, writer))
  }
  return { checked: results.length, left: rules.length - results.length, broken }
}

const brokenRule = async (
  { rule: { id, severity, sentence }, count, violations }: RuleResult,
  writer: Writer,
): Promise<BrokenRule> => {
  const records: BrokenRecord[] = []
  for (const { collection, key, detail } of violations) {
    const resource = resourceAt(catalog, collection)
    const body = (await writer.lastTexts(resource, [key])).get(writeIdentity(key))
    const name = body === undefined ? null : recordName(resource, JSON.parse(body))
    records.push({ collection, key, name, detail })
  }
  return { id, severity, sentence, count, records }
}
