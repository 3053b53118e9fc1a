import type { CollectionMapping } from '#mapping'
import { type Derivation, derivationText, fits, sameColumns } from './derivation.ts'
import { describe, type Expression, valueFor } from './described.ts'
import type { Gold, GoldEntry } from './gold.ts'
import { keyProblem } from './key-problem.ts'
import { qualifier, relationsOf, tableOf } from './tables.ts'

export type Certainty = 'certain' | 'likely' | 'open'

/** A mapping of a proposal, with how certain the proposal is of each line. */
export interface ProposedMapping {
  readonly mapping: CollectionMapping
  readonly certainty: Certainty
  readonly keyCertainty: Certainty
  readonly fields: ReadonlyMap<string, Certainty>
}

/** What the source says, to tell whether keys fit and values are complete. */
export interface Source {
  /** Columns with the same values, such as a foreign key and what it refers to. */
  readonly relations: readonly (readonly [string, string])[]
  /** The texts of a column. */
  readonly texts: (table: string, column: string) => ReadonlySet<string>
}

export type Outcome = 'right' | 'wrong' | 'open' | 'missing'

/** A line of a proposal beside the gold mapping, or a line that it lacks. */
export interface ScoredLine {
  readonly collection: string
  readonly table: string
  readonly part: 'from' | 'where' | 'id' | 'field'
  /** The field, or the part. */
  readonly name: string
  readonly outcome: Outcome
  /** Whether columns give the field: otherwise it has to be open, a constant or a time. */
  readonly isFromColumns: boolean
  /** Null for a line that is missing. */
  readonly certainty: Certainty | null
  readonly proposed: string
  readonly expected: string
}

/** Compares a proposal with a gold mapping. */
export const scoreProposal = (
  gold: Gold,
  proposed: readonly ProposedMapping[],
  source: Source,
): readonly ScoredLine[] => {
  const isRelated = relationsOf([...source.relations, ...gold.relations])
  // Rows that the mapping gives itself have no table: they are left to those who read it.
  const judged = proposed.filter(
    ({ mapping }) => mapping.from.sql !== null && !gold.unjudged.includes(mapping.collection),
  )
  const pairs = judged.map((each) => ({
    each,
    entry: gold.entries.find(
      ({ collection, from }) =>
        collection === each.mapping.collection && from === tableOf(each.mapping.from),
    ),
  }))
  const context = { proposed, source, isRelated, brand: gold.brand }
  const matched = new Set(pairs.flatMap(({ entry }) => entry ?? []))
  const isMissing = (entry: GoldEntry) =>
    !entry.optional &&
    !matched.has(entry) &&
    !gold.entries.some(
      (other) =>
        entry.oneOf !== null &&
        other.oneOf === entry.oneOf &&
        (matched.has(other) || gold.entries.indexOf(other) < gold.entries.indexOf(entry)),
    )
  return [
    ...pairs.flatMap(({ each, entry }) =>
      entry ? scoreMapping(each, entry, context) : wrongMapping(each),
    ),
    ...gold.entries.filter(isMissing).flatMap(missingMapping),
  ]
}

interface Context {
  readonly proposed: readonly ProposedMapping[]
  readonly source: Source
  readonly isRelated: (one: string, other: string) => boolean
  readonly brand: Gold['brand']
}

/** All lines of a mapping that should not be there. */
const wrongMapping = (each: ProposedMapping): readonly ScoredLine[] => {
  const { mapping, certainty, fields } = each
  const table = tableOf(mapping.from)
  const expected = 'no such mapping'
  const line = (
    part: 'from' | 'field',
    name: string,
    how: Certainty,
    said: string,
  ): ScoredLine => ({
    ...{ collection: mapping.collection, table, part, name, certainty: how },
    ...{ outcome: 'wrong', isFromColumns: false, proposed: said, expected },
  })
  return [
    line('from', 'from', certainty, table),
    ...mapping.fields
      .filter(({ field }) => field !== 'id')
      .map(({ field, value }) => {
        const said = derivationText(describe(value, qualifier(mapping)))
        return line('field', field, fields.get(field) ?? 'certain', said)
      }),
  ]
}

const missingMapping = (entry: GoldEntry): readonly ScoredLine[] => {
  const { collection, from: table } = entry
  const line = (
    part: ScoredLine['part'],
    name: string,
    expected: string,
    isFromColumns = true,
  ): ScoredLine => ({
    ...{ collection, table, part, name, expected, isFromColumns },
    ...{ outcome: 'missing', certainty: null, proposed: 'no such mapping' },
  })
  return [
    line('from', 'from', table),
    ...(entry.where.length > 0 ? [line('where', 'where', entry.where.join(' or '))] : []),
    ...(entry.id.length > 0 ? [line('id', 'id', textOfAll(entry.id))] : []),
    ...[...entry.fields]
      .filter(([, right]) => !right.some(({ kind }) => kind === 'absent'))
      .map(([name, right]) => line('field', name, textOfAll(right), areFromColumns(right))),
  ]
}

const areFromColumns = (derivations: readonly Derivation[]): boolean =>
  derivations.every(
    ({ kind }) => kind === 'columns' || kind === 'reference' || kind === 'absent',
  ) && derivations.some(({ kind }) => kind !== 'absent')

const textOfAll = (derivations: readonly Derivation[]): string =>
  derivations.map(derivationText).join(' or ')

const scoreMapping = (
  each: ProposedMapping,
  entry: GoldEntry,
  context: Context,
): readonly ScoredLine[] => {
  const { mapping } = each
  const shared = { collection: entry.collection, table: entry.from }
  const expressions = new Map(mapping.fields.map(({ field, value }) => [field, value]))
  const names = new Set([...entry.fields.keys(), ...expressions.keys(), ...timesOf(mapping).keys()])
  names.delete('id')
  return [
    {
      ...shared,
      ...{ part: 'from', name: 'from', outcome: 'right', isFromColumns: true },
      certainty: each.certainty,
      ...{ proposed: entry.from, expected: entry.from },
    },
    ...scoreWhere(mapping, entry).map((line) => ({ ...shared, ...line })),
    ...scoreKey(each, entry, context).map((line) => ({ ...shared, ...line })),
    ...[...names].flatMap((name) => {
      const line = scoreField(name, each, entry, context)
      return line ? [{ ...shared, ...line }] : []
    }),
  ]
}

type PartLine = Omit<ScoredLine, 'collection' | 'table'>

/** Whether rows are chosen by a column that tells which ones belong to the collection. */
const scoreWhere = (mapping: CollectionMapping, entry: GoldEntry): readonly PartLine[] => {
  if (entry.where.length === 0) return []
  const columns = mapping.where.map(({ column }) => qualifier(mapping)(column, null))
  const isRight = columns.some((column) => entry.where.includes(column))
  return [
    {
      ...{ part: 'where', name: 'where', outcome: isRight ? 'right' : 'missing' },
      ...{ isFromColumns: true, certainty: null },
      ...{ proposed: columns.join(', ') || 'all rows', expected: entry.where.join(' or ') },
    },
  ]
}

const scoreKey = (
  { mapping, keyCertainty: certainty }: ProposedMapping,
  entry: GoldEntry,
  context: Context,
): readonly PartLine[] => {
  const key = mapping.fields.find(({ field }) => field === 'id')?.value
  if (!key || entry.id.length === 0) return []
  const said = describe(key, qualifier(mapping))
  const expected = textOfAll(entry.id)
  const line = (outcome: Outcome, proposed: string): readonly PartLine[] => [
    { part: 'id', name: 'id', outcome, isFromColumns: true, certainty, proposed, expected },
  ]
  if (said.kind === 'open') return line('open', 'open')
  const isRight = entry.id.some(
    (right) =>
      sameColumns(right.columns, said.columns) &&
      (right.constants.length === 0 || said.constants.length > 0),
  )
  if (!isRight) return line('wrong', derivationText(said))
  const other = collidingWith(mapping, said, context)
  return other === null
    ? line('right', derivationText(said))
    : line('wrong', `${derivationText(said)}, as keys from ${other} have it`)
}

/** Another table of the collection whose keys are the same: then two records have one identifier. */
const collidingWith = (
  mapping: CollectionMapping,
  said: Derivation,
  { proposed, source }: Context,
): string | null => {
  const [column] = said.columns
  if (said.columns.length !== 1 || said.constants.length > 0 || column === undefined) return null
  const own = source.texts(tableOf(mapping.from), column)
  for (const { mapping: other } of proposed) {
    const table = tableOf(other.from)
    if (other.collection !== mapping.collection || table === tableOf(mapping.from)) continue
    const key = other.fields.find(({ field }) => field === 'id')?.value
    const { columns = [], constants = [] } = key ? describe(key, qualifier(other)) : {}
    if (columns.length !== 1 || constants.length > 0) continue
    const texts = source.texts(table, columns[0] ?? '')
    if ([...own].some((text) => texts.has(text))) return table
  }
  return null
}

const scoreField = (
  name: string,
  each: ProposedMapping,
  entry: GoldEntry,
  context: Context,
): PartLine | null => {
  const { mapping } = each
  const right = entry.fields.get(name) ?? [absent]
  const expected = textOfAll(right.filter(({ kind }) => kind !== 'absent')) || 'nothing'
  const value = mapping.fields.find(({ field }) => field === name)?.value
  const time = timesOf(mapping).get(name)
  const isAbsent = right.some(({ kind }) => kind === 'absent')
  const isFromColumns = areFromColumns(right)
  if (!value && time === undefined) {
    if (isAbsent) return null
    return {
      ...{ part: 'field', name, outcome: 'missing', isFromColumns, certainty: null },
      ...{ proposed: 'nothing', expected },
    }
  }
  const certainty = each.fields.get(name) ?? 'certain'
  const line = (outcome: Outcome, proposed: string): PartLine => ({
    ...{ part: 'field', name, outcome, isFromColumns, certainty, proposed, expected },
  })
  const said =
    value && time === undefined ? describe(value, qualifier(mapping)) : timeDerivation(time ?? '')
  // What is called open counts as open, even with a value in its place.
  if (said.kind === 'open' || certainty === 'open') {
    if (right.some(({ kind }) => kind === 'open')) return line('right', 'open')
    return isAbsent ? null : line('open', 'open')
  }
  const problem = value ? keyProblem({ name, value, said, mapping, ...context }) : null
  if (problem !== null) return line('wrong', `${derivationText(said)}, ${problem}`)
  const isRight = right.some((one) => isDerivedAs(one, said, value ?? null, each, entry, context))
  // The time of the import is true, but a column that has the time is not used.
  const other = said.kind === 'time' ? 'missing' : 'wrong'
  return line(isRight ? 'right' : other, derivationText(said))
}

const absent: Derivation = {
  ...{ kind: 'absent', columns: [], constants: [], forms: new Set(), values: null },
}

const timeDerivation = (name: string): Derivation => ({
  ...absent,
  kind: 'time',
  constants: [name],
})

/** The fields with the time of an import, as a derivation names them. */
const timesOf = ({ firstSeen, lastChanged }: CollectionMapping): ReadonlyMap<string, string> =>
  new Map([
    ...firstSeen.map((field) => [field, 'first-seen'] as const),
    ...lastChanged.map((field) => [field, 'last-changed'] as const),
  ])

const isDerivedAs = (
  right: Derivation,
  said: Derivation,
  value: Expression | null,
  each: ProposedMapping,
  entry: GoldEntry,
  context: Context,
): boolean => {
  if (right.kind === 'key') {
    const key = each.mapping.fields.find(({ field }) => field === 'id')?.value
    const own = key ? describe(key, qualifier(each.mapping)) : absent
    const isKey = said.kind === 'reference' || said.kind === 'columns'
    return isKey && sameColumns(own.columns, said.columns)
  }
  if (right.kind === 'brand' && said.kind === 'constant') {
    const { [right.constants[0] ?? '']: own } = context.brand as { readonly [name: string]: string }
    return own !== undefined && said.constants.includes(own)
  }
  if (right.values) {
    const [column = ''] = right.columns
    if (!value || !sameColumns(right.columns, said.columns)) return false
    const texts = context.source.texts(entry.from, column)
    return [...right.values].every(([text, values]) => {
      if (texts.size > 0 && !texts.has(text)) return true
      return values.includes(valueFor(value, text) ?? '')
    })
  }
  if (fits(right, said)) return true
  // The first of several columns is as good as each of them.
  if (value?.source.kind !== 'first') return false
  return value.source.of.every((part) => {
    const one = describe(part, qualifier(each.mapping))
    const derivations = [...entry.fields.values()].find((all) => all.includes(right)) ?? []
    return one.kind === 'constant' || derivations.some((derivation) => fits(derivation, one))
  })
}
