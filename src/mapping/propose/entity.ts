import type { Resource } from '#contract'
import type { Formats } from './formats.ts'
import type { KeyChoice } from './keys.ts'
import type { Certainty } from './proposal.ts'
import type { Link } from './relations.ts'
import type { Column, TableModel } from './table-model.ts'
import { quoted } from './yaml-text.ts'

/** A collection whose records are made of the rows of a table. */
export interface Entity {
  readonly collection: string
  readonly resource: Resource
  readonly model: TableModel
  readonly key: KeyChoice
  readonly certainty: Certainty
  readonly reason: string
  /** Whether several rows give the same record, as rows of lines do for the order. */
  readonly isShared: boolean
  /** Whether rows of one record are added up, as lots of one item at one place are. */
  readonly isSummed?: boolean
  /** The rows that count, if not all do. */
  readonly where?: RowChoice
}

/** Rows with one of these texts in a column, or with any text. */
export interface RowChoice {
  readonly column: string
  readonly texts: readonly string[] | null
  readonly reason: string
  /** Whether the texts name the collection, such as `purchase_order`. */
  readonly isNamed?: boolean
  /** The link to the table that has the column, if it is not the own one. */
  readonly via?: Link
}

/** All that the proposals of an entity's fields depend on. */
export interface EntityContext {
  readonly entity: Entity
  /** The columns that belong to its records: equal in all rows of one record. */
  readonly columns: readonly Column[]
  readonly links: readonly Link[]
  readonly entities: ReadonlyMap<string, Entity>
  readonly linksOf: (model: TableModel) => readonly Link[]
  readonly formats: Formats
  /** Whether rows of one record have several cells of a column, which are added up. */
  readonly isSummed: (column: Column) => boolean
  /** Joins another table by a link and returns its name in columns. */
  readonly join: (link: Link) => string
  /** Joins the lines that refer to this table. */
  readonly joinLines: (lines: TableModel, link: Link) => string
}

/** The proposed value of a field. */
export interface ProposedValue {
  /** As YAML. */
  readonly expression: string
  readonly certainty: Certainty
  /** In a few words. */
  readonly reason: string
  /** The columns that it uses. */
  readonly columns: readonly string[]
}

export const proposed = (
  expression: string,
  certainty: Certainty,
  reason: string,
  columns: readonly string[] = [],
): ProposedValue => ({ expression, certainty, reason, columns })

/** A value that is not known, with its two best candidates. */
export const openValue = (
  candidates: readonly string[],
  reason: string,
  columns: readonly string[] = [],
): ProposedValue =>
  proposed(`{ open: [${candidates.slice(0, 2).join(', ')}] }`, 'open', reason, columns)

/** Whether the key is a single column of UUIDs, which are identifiers already. */
export const isIdentifier = ({ model, key }: Entity): boolean =>
  key.columns.length === 1 &&
  key.certainty !== 'open' &&
  model.columns.some(({ name, isUuid }) => name === key.columns[0] && isUuid)

export const keyText = (columns: readonly string[]): string =>
  `{ key: [${columns.map(quoted).join(', ')}] }`
