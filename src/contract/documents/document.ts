import type { Condition } from '../condition.ts'
import type { ViewValue } from '../view.ts'

/** A field of the document's own record, as a value of a condition. */
export interface RecordValue {
  readonly record: string
}

export type DocumentCondition = Condition<ViewValue | RecordValue>

/**
 * A step from records to others: to those of a group that refer to them by the field `by`, or to the one
 * that their field `of` refers to.
 */
export type DocumentStep = {
  readonly to: string
  /** Only records that fulfil it. */
  readonly where?: DocumentCondition
} & ({ readonly by: string } | { readonly of: string })

/** From the record of the document, or from a row, to other records. */
export type DocumentPath = readonly DocumentStep[]

/** A sum of a field over the records at the end of a path; without a step, the field of the row itself. */
export interface FigureSum {
  readonly path: DocumentPath
  readonly field: string
  /** What is counted twice. */
  readonly less?: Omit<FigureSum, 'less'>
}

/** Sums of pieces for each row of a section, by name. */
export interface RowFigures {
  readonly [name: string]: FigureSum
}

/** What the rows of a section are goods of: the field that names their SKU, option or style. */
export type GoodsSource =
  | { readonly sku: string }
  | { readonly option: string }
  | { readonly style: string }

/** Records that belong to a document. */
export interface SectionDefinition {
  readonly title: string
  readonly group: string
  readonly path: DocumentPath
  /** Only the records of a view of the group. */
  readonly view?: string
  /** A field of the rows; descending with - before it. Default: the order of the identity. */
  readonly sort?: string
  /** References that are read with each row, named without `Id`. */
  readonly include?: readonly string[]
  readonly goods?: GoodsSource
  readonly figures?: RowFigures
}

/** A date of the record, or the last one of other records. */
export type DateSource =
  /** The first field that is not null. */
  { readonly fields: readonly string[] } | { readonly path: DocumentPath; readonly field: string }

/** Amounts of the record, or of other records, in the currency of each or in that of the record. */
export interface AmountSource {
  readonly path: DocumentPath
  readonly field: string
  readonly currency: string | RecordValue
}

/** A stage that goods and money pass. */
export interface StageDefinition {
  readonly title: string
  /** The figure of the document's lines that counts its pieces. */
  readonly pieces?: string
  readonly amounts?: AmountSource
  readonly planned?: DateSource
  readonly actual?: DateSource
  /** With one of these statuses of the record, nothing more is expected of the stage. */
  readonly doneWhen: readonly string[]
  /** Whether it is left out where it has no amount. */
  readonly isOptional?: true
}

/** A date that was planned, and when it happened. */
export interface DeadlineDefinition {
  readonly title: string
  readonly planned: readonly string[]
  readonly actual: DateSource
  /** With one of these statuses of the record it has not happened yet. */
  readonly openWhen: readonly string[]
  /** With one of these statuses it is not of interest. */
  readonly voidWhen: readonly string[]
  /** The view that late records are in. */
  readonly view?: string
}

/** A record with everything that people read on its page, as data. */
export interface DocumentDefinition {
  readonly group: string
  readonly summary: string
  /** The lines whose pieces are added up, from the record. */
  readonly lines?: { readonly path: DocumentPath; readonly figures: RowFigures }
  /** The stages, in order. */
  readonly progress: { readonly [name: string]: StageDefinition }
  readonly deadlines: { readonly [name: string]: DeadlineDefinition }
  readonly sections: { readonly [name: string]: SectionDefinition }
  /** The pictures of the record itself: the field that names its SKU, option or style. */
  readonly goods?: GoodsSource
  /** Whether it has a scorecard: see `scorecardFigures`. */
  readonly hasScorecard: boolean
}

type Untitled<D> = Omit<D, 'title'> & { readonly title?: string }

/** A section as it is written: its path leads to its group. */
export type SectionSource = Omit<Untitled<SectionDefinition>, 'group'>

/** A document as it is written: a title is by default the words of the name. */
export interface DocumentSource
  extends Omit<DocumentDefinition, 'progress' | 'deadlines' | 'sections'> {
  readonly progress: { readonly [name: string]: Untitled<StageDefinition> }
  readonly deadlines: { readonly [name: string]: Untitled<DeadlineDefinition> }
  readonly sections: { readonly [name: string]: SectionSource }
}

/** The definition of a document. */
export const documentFrom = (source: DocumentSource): DocumentDefinition => ({
  ...source,
  progress: titled(source.progress),
  deadlines: titled(source.deadlines),
  sections: mapValues(titled(source.sections), (section) => ({
    ...section,
    group: section.path.at(-1)?.to ?? source.group,
  })),
})

const titled = <D extends object>(definitions: { readonly [name: string]: D }) =>
  mapValues(definitions, (definition, name) => ({ title: titleOf(name), ...definition }))

/** `Open orders` of `openOrders`. */
const titleOf = (name: string): string =>
  name.charAt(0).toUpperCase() +
  name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const mapValues = <V, W>(
  values: { readonly [name: string]: V },
  map: (value: V, name: string) => W,
): { readonly [name: string]: W } =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
