/*
 * What a key that reads records may see of the sources of its brand. Texts of engines, drivers and
 * operating systems stay with operators: they can contain addresses, users, passwords and folders of
 * the machine. So the view has no error of a source or of an attempt, only problems of rows. These
 * name columns that the mapping reads, and a row is never shown as it was received.
 */
import { type GroupScope, wholeScope } from '#contract'
import type { RowProblem } from '#ingest'
import type { QuarantineCount, QuarantinedSummary, SourceName } from '#store'
import type { EndedUnit, IntakeSource } from './source-reader.ts'
import { sourceKinds } from './unit.ts'

/**
 * The sources of a brand, and the rows in quarantine by source and group. What a source has processed
 * is of all groups, so a key with a scope does not see how much it is.
 */
export const sourcesView = (
  sources: readonly IntakeSource[],
  quarantined: readonly QuarantineCount[],
  scope: GroupScope = wholeScope,
) => {
  const counts = quarantined.filter(({ collection }) => scope.has(collection))
  const ofAll = (count: number) => (scope.isWhole ? count : null)
  const nameOf = shortNames([...sources, ...counts.flatMap(({ source }) => source ?? [])])
  const listed = sources.map((each) => {
    const own = counts.filter(({ source }) => source && keyOf(source) === keyOf(each))
    return {
      kind: each.kind,
      name: nameOf(each),
      state: each.state,
      startedAt: each.startedAt,
      succeededAt: each.succeededAt,
      failedAt: each.failedAt,
      behindSince: each.behindSince,
      waiting: ofAll(each.waiting),
      processed: ofAll(each.processed),
      failed: ofAll(each.failed),
      quarantinedUnits: ofAll(each.quarantined),
      quarantinedRows: sumOf(own, 'rows'),
      waitingRows: sumOf(own, 'waiting'),
    }
  })
  return {
    needsAttention:
      counts.length > 0 ||
      listed.some(
        ({ state, quarantinedUnits }) => state === 'failing' || Number(quarantinedUnits) > 0,
      ),
    sources: listed,
    quarantine: {
      rows: sumOf(counts, 'rows'),
      waiting: sumOf(counts, 'waiting'),
      groups: counts.map(({ source, collection, rows, waiting }) => ({
        group: collection,
        source: source && { kind: source.kind, name: nameOf(source) },
        rows,
        waiting,
      })),
    },
  }
}

const sumOf = (counts: readonly QuarantineCount[], what: 'rows' | 'waiting'): number =>
  counts.reduce((sum, each) => sum + each[what], 0)

/** Units that have ended. `sources` has the names that they are told apart by. */
export const unitsView = (units: readonly EndedUnit[], sources: readonly SourceName[]) => {
  const nameOf = shortNames(sources)
  return {
    items: units.map((unit) => {
      const { id, kind, source, state, attempts, receivedAt, finishedAt, isDryRun } = unit
      const sourceKind = sourceKinds[kind]
      const [problem = null] = unit.problems
      return {
        id,
        kind,
        source: sourceKind && {
          kind: sourceKind,
          name: nameOf({ kind: sourceKind, name: source }),
        },
        title: titleOf(unit),
        state,
        attempts,
        receivedAt,
        finishedAt,
        isDryRun,
        groups: unit.collections.map(({ collection, quarantined = 0, ...counts }) => ({
          group: collection,
          read: counts.read,
          added: counts.added,
          changed: counts.changed,
          removed: counts.removed,
          quarantined,
        })),
        problems: unit.problemCount,
        firstProblem: problem && problemView(problem),
      }
    }),
  }
}

/** The name of the file, or the collection of a round that reads one; null for others. */
const titleOf = ({ kind, position }: EndedUnit): string | null => {
  if (kind === 'file')
    return lastPart((position ?? '').replace(/ (sha256:[0-9a-f]{64}|unread)$/, ''))
  const [, collection = null] =
    kind === 'round' ? (/^([a-z-]+) \w+$/.exec(position ?? '') ?? []) : []
  return collection
}

/** A row in quarantine, without its cells. */
export const rowView = (row: QuarantinedSummary, nameOf: (source: SourceName) => string) => {
  const { id, collection, key, title, source, file, line, waitsFor, parent } = row
  return {
    id,
    group: collection,
    key: key?.join(':') ?? null,
    title,
    source: source && { kind: source.kind, name: nameOf(source) },
    file: lastPart(file),
    line: line > 0 ? line : null,
    problems: row.problems.map(problemView),
    waitsFor: waitsFor && {
      field: waitsFor.field,
      group: waitsFor.collection,
      value: waitsFor.value,
    },
    parent: parent && { group: parent.collection, id: parent.id },
    since: row.since,
    triedAt: row.triedAt,
  }
}

const problemView = (problem: Omit<RowProblem, 'mappingFile' | 'mappingLine'>) => ({
  file: lastPart(problem.file),
  line: problem.line > 0 ? problem.line : null,
  key: problem.key ?? null,
  field: problem.field,
  column: problem.column ?? null,
  value: problem.value,
  reason: withoutPlaces(problem.reason),
  severity: problem.severity,
})

/**
 * A text without addresses, folders and passwords. The reasons of problems have none; this also holds
 * if a reason repeats what a program has said.
 */
export const withoutPlaces = (text: string): string =>
  text
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"')]+/gi, '…')
    .replace(/\b(password|passwd|pwd|secret|token)(\s*[=:]\s*)[^\s"',;)]+/gi, '$1$2…')
    .replace(/(^|[\s"'(=:,])(?:[a-z]:)?[\\/]+(?:[^\s"'():,;\\/]+[\\/]+)+/gi, '$1…/')

/**
 * Names of sources without the folders of the machine: the last part of a path, with as many parts
 * before it as tell it apart from other sources of its kind.
 */
export const shortNames = (sources: readonly SourceName[]): ((source: SourceName) => string) => {
  const names = new Map<string, string>()
  for (const [, own] of Map.groupBy(sources, ({ kind }) => kind)) {
    for (const source of own) {
      const parts = partsOf(source.name)
      const others = own.filter(({ name }) => name !== source.name).map(({ name }) => partsOf(name))
      let count = 1
      const tail = (all: readonly string[]) => all.slice(-count).join('/')
      while (count < parts.length && others.some((each) => tail(each) === tail(parts))) count += 1
      names.set(keyOf(source), tail(parts))
    }
  }
  return (source) => names.get(keyOf(source)) ?? lastPart(source.name)
}

const keyOf = ({ kind, name }: SourceName): string => JSON.stringify([kind, name])

/** The parts of a path or an address, without its scheme, its credentials and its parameters. */
const partsOf = (path: string): readonly string[] => {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
  // A folder can have an @ or a question mark. Those of an address may end a password.
  const parts = isAddress
    ? path
        .replace(/^[^:]*:\/\//, '')
        .replace(/\?.*$/s, '')
        .replace(/^.*@/s, '')
    : path
  return parts.split(/[\\/]/).filter((part) => part !== '')
}

const lastPart = (path: string): string => partsOf(path).at(-1) ?? ''
