import {
  catalog,
  type OperatorImport,
  type OperatorImportChange,
  type OperatorImportDetails,
  type OperatorPage,
  resourceAt,
  valueAt,
  writeIdentity,
} from '#contract'
import type { EndedUnit } from '#intake'
import { type Change, decodeBody, type Store } from '#store'
import { readCursor, writeCursor } from './cursor.ts'
import { OperatorError } from './error.ts'
import type { OperatorParts } from './parts.ts'
import { describeProblem } from './rows.ts'
import { withSourceReader } from './sources.ts'

type ImportParts = Pick<OperatorParts, 'store' | 'database' | 'databaseUrl'>

/** Units of a page. */
const pageImports = 100

/** Changed records that are listed. */
const changesMax = 50

/** Units that have ended, the latest first, with how much they changed. */
export const listImports = async (
  parts: ImportParts,
  { brand, cursor }: { readonly brand?: string | undefined; readonly cursor?: string | undefined },
): Promise<OperatorPage<OperatorImport>> => {
  const [finishedAt, number] = cursor === undefined ? [] : readCursor(cursor, 2)
  const after =
    cursor === undefined ? undefined : { finishedAt: String(finishedAt), number: Number(number) }
  const units = await withSourceReader(parts, (reader) =>
    reader.listEnded({ brand, after, limit: pageImports }),
  )
  const last = units.at(-1)
  return {
    items: units.map(describeImport),
    nextCursor:
      last && units.length === pageImports
        ? writeCursor([last.finishedAt ?? '', last.number])
        : null,
  }
}

const describeImport = (unit: EndedUnit): OperatorImport => {
  const { id, brand, kind, source, position, receivedAt, isDryRun, collections } = unit
  const sum = (read: (counts: EndedUnit['collections'][number]) => number) =>
    collections.reduce((before, each) => before + read(each), 0)
  return {
    ...{ id, brand, kind, source, position, receivedAt, isDryRun },
    state: unit.state as OperatorImport['state'],
    finishedAt: unit.finishedAt ?? '',
    added: sum(({ added }) => added),
    changed: sum(({ changed }) => changed),
    removed: sum(({ removed }) => removed),
    quarantined: sum(({ quarantined = 0 }) => quarantined),
    problems: unit.problemCount,
  }
}

/** A unit that has ended, with what is kept of its differences. */
export const readImport = async (
  parts: ImportParts,
  id: string,
): Promise<OperatorImportDetails> => {
  const unit = await withSourceReader(parts, (reader) => reader.findEnded(id))
  if (!unit) {
    throw new OperatorError(
      'missing',
      `There is no import ${id}, or it has not ended. See: selvedge intake`,
    )
  }
  const changes = unit.changes
    ? unit.changes.map(({ operation, collection, id, title, fields }) => ({
        ...{ operation, collection, id, title, fields },
      }))
    : await readWritten(parts.store, unit)
  const total = unit.collections.reduce(
    (sum, { added, changed, removed }) => sum + added + changed + removed,
    0,
  )
  return {
    ...describeImport(unit),
    lastError: unit.lastError,
    collections: unit.collections.map(({ quarantined = 0, ...counts }) => ({
      ...{ collection: counts.collection, read: counts.read, added: counts.added },
      ...{ changed: counts.changed, unchanged: counts.unchanged, removed: counts.removed },
      quarantined,
    })),
    firstProblems: unit.problems.map(describeProblem),
    changes,
    hasMoreChanges: changes !== null && changes.length < total,
  }
}

/**
 * The records that a write has stored, as far as no later write has changed them. The change log
 * keeps the last change of each record, and not what the record was before.
 */
const readWritten = async (
  { feed, has }: Pick<Store, 'feed' | 'has'>,
  { brand, change }: EndedUnit,
): Promise<readonly OperatorImportChange[] | null> => {
  const isKept = typeof change === 'number' && (await feed.isRecording()) && (await has(brand))
  if (!isKept) return null
  return (await feed.writtenBy(brand, change, changesMax)).map(describeWritten)
}

const describeWritten = ({ collection, key, body }: Change): OperatorImportChange => ({
  operation: body === null ? 'removed' : 'stored',
  collection,
  id: writeIdentity(key),
  // A long record is not read with others.
  title: body === null || body.length === 0 ? null : titleOf(collection, decodeBody(body)),
  fields: [],
})

const titleOf = (collection: string, body: string): string | null => {
  const { title } = resourceAt(catalog, collection)
  const value = title === undefined ? null : valueAt(JSON.parse(body), title)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
