import { formatCount, type RecordAt } from '#contract'
import { sha256Of } from '#files'
import {
  type IngestOptions,
  type IngestResult,
  ingest,
  type KeptChange,
  keepChanges,
  type Report,
  type Source,
} from '#ingest'
import { unitResult } from '#intake'
import type { Mapping } from '#mapping'
import { isDatabaseError, sharedOwner } from '#store'
import { brandRecord, hasBrandRecord, requireBrand, requireSlug } from './brand.ts'
import type { OperatorParts, WithUnits } from './parts.ts'

/** An import of files, as an operator asks for it. */
export interface FileImport
  extends Pick<
    IngestOptions,
    | 'replace'
    | 'allowRemovals'
    | 'allowDangling'
    | 'dryRun'
    | 'onError'
    | 'badRowsPercentMax'
    | 'report'
    | 'changes'
    | 'onProgress'
  > {
  readonly sources: readonly Source[]
  /** What the files are called among the units. */
  readonly names: readonly string[]
  /** The brand that owns the records; undefined for shared records. */
  readonly brand: string | undefined
  /** Whether the brand takes the export of another brand. */
  readonly isAdopted: boolean
  readonly mapping: MappingFile | null
  /** Called right before the commit. May throw: nothing is stored then. */
  readonly beforeCommit?: () => void
}

/** A mapping, and the file that it was read from. */
export interface MappingFile {
  readonly mapping: Mapping
  /** Its name in the audit log. */
  readonly name: string
  readonly path: string
}

export interface ImportParts extends Pick<OperatorParts, 'store' | 'audit' | 'now'> {
  readonly withUnits: WithUnits
}

/**
 * Imports files in one transaction, all or nothing, and records the import among the units. A dry
 * run writes nothing.
 */
export const importFiles = async (
  { store, audit, now, withUnits }: ImportParts,
  { sources, names, brand, isAdopted, mapping, beforeCommit, ...options }: FileImport,
): Promise<IngestResult> => {
  const owner = brand ?? sharedOwner
  if (brand && hasBrandRecord(sources)) requireSlug(brand)
  else if (brand) await requireBrand(store, brand)
  if (mapping && !options.dryRun) {
    const { name, path } = mapping
    await audit.noteMapping({ brand: owner, name, sha256: await sha256Of(path) })
  }
  const asBrand = brand && isAdopted ? await adopting(store, brand) : undefined
  const keeper = keepChanges()
  const result = await ingest({
    ...options,
    changes: options.changes ?? keeper,
    ...{ store, owner, now, mappings: mapping?.mapping.collections },
    sources: asBrand ? sources.map((source) => ({ ...source, asBrand })) : sources,
    beforeCommit: async (writer) => {
      await writer.describe({ ...importPlace(names), id: null, isRepeated: false })
      beforeCommit?.()
    },
  })
  if (!options.dryRun)
    await recordUnit(withUnits, owner, names, result, options.report, keeper.first)
  return result
}

const adopting = async (
  store: OperatorParts['store'],
  slug: string,
): Promise<{ readonly slug: string; readonly record: RecordAt<'brand'> | null }> => ({
  slug,
  record: await brandRecord(store, slug),
})

/** Where an import is among the units: its files. */
const importPlace = (names: readonly string[]) => ({
  kind: 'import' as const,
  source: 'import',
  position: names.join(' '),
})

/** Records what became of the import, for `selvedge intake` and the operator page. */
const recordUnit = async (
  withUnits: WithUnits,
  brand: string,
  names: readonly string[],
  { collections, refused }: IngestResult,
  report: Report,
  changes: readonly KeptChange[],
): Promise<void> => {
  const counts = collections.map(({ collection, added, changed, removed }) => {
    const [plus, changes, minus] = [added, changed, removed].map((count) =>
      count.toLocaleString('en'),
    )
    return `${collection} ${plus} new, ${changes} changed, ${minus} removed`
  })
  const position = `${names.join(' ')}: ${counts.join('; ')}`.slice(0, positionCharactersMax)
  try {
    await withUnits(async (units) => {
      const unit = await units.begin({ brand, kind: 'import', source: 'import', position })
      const reason = refused ? formatCount(report.errors, 'problem') : undefined
      const result = unitResult(collections, report, !refused, changes)
      await units.finish(unit, refused ? 'refused' : 'done', reason, result)
    })
  } catch (error) {
    // The records are stored, whether or not this can be.
    if (!isDatabaseError(error)) throw error
  }
}

const positionCharactersMax = 500
