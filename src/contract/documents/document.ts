import type { Condition } from '../condition.ts'
import type { ViewValue } from '../view.ts'

/** A condition value taken from a field of the document's record. */
export interface RecordValue {
  readonly record: string
}

export type DocumentCondition = Condition<ViewValue | RecordValue>

/**
 * A step to related records: to those of the group `to` whose field `by` refers to the current
 * ones, or to the record that their field `of` refers to.
 */
export type DocumentStep = {
  readonly to: string
  /** Only records that fulfil this condition. */
  readonly where?: DocumentCondition
} & ({ readonly by: string } | { readonly of: string })

/** The steps from the document's record, or from a row, to other records. */
export type DocumentPath = readonly DocumentStep[]

/** The sum of a field over the records at the end of a path; without steps, the row's field. */
export interface FigureSum {
  readonly path: DocumentPath
  readonly field: string
  /** Subtracted, because it is counted twice. */
  readonly less?: Omit<FigureSum, 'less'>
}

/** Sums of pieces for each row of a section, by name. */
export interface RowFigures {
  readonly [name: string]: FigureSum
}

/** The goods of a section's rows: the field with their SKU, option or style. */
export type GoodsSource =
  | { readonly sku: string }
  | { readonly option: string }
  | { readonly style: string }

/** Records that belong to a document. */
export interface SectionDefinition {
  readonly title: string
  readonly group: string
  readonly path: DocumentPath
  /** Only records of this view of the group. */
  readonly view?: string
  /** The sort field of the rows, with - in front for descending. Default: by identity. */
  readonly sort?: string
  /** References to include in each row, named without `Id`. */
  readonly include?: readonly string[]
  readonly goods?: GoodsSource
  readonly figures?: RowFigures
}

/** A date of the record, or the latest date of other records. */
export type DateSource =
  /** The first of the fields that is not null. */
  { readonly fields: readonly string[] } | { readonly path: DocumentPath; readonly field: string }

/** Amounts of the record or of other records, in their currencies or in the record's currency. */
export interface AmountSource {
  readonly path: DocumentPath
  readonly field: string
  readonly currency: string | RecordValue
}

/** A stage of goods and money. */
export interface StageDefinition {
  readonly title: string
  /** The figure that counts the stage's pieces over the document's lines. */
  readonly pieces?: string
  readonly amounts?: AmountSource
  readonly planned?: DateSource
  readonly actual?: DateSource
  /** The record's statuses in which the stage is complete. */
  readonly doneWhen: readonly string[]
  /** Whether the stage is omitted if it has no amount. */
  readonly isOptional?: true
}

/** A planned date and the date on which it happened. */
export interface DeadlineDefinition {
  readonly title: string
  readonly planned: readonly string[]
  readonly actual: DateSource
  /** The record's statuses in which it has not happened yet. */
  readonly openWhen: readonly string[]
  /** The record's statuses in which the deadline does not apply. */
  readonly voidWhen: readonly string[]
  /** The view with the late records. */
  readonly view?: string
}

/** A record with everything on its page, as data. */
export interface DocumentDefinition {
  readonly group: string
  readonly summary: string
  /** The lines whose pieces are added up, starting from the record. */
  readonly lines?: { readonly path: DocumentPath; readonly figures: RowFigures }
  /** The stages, in order. */
  readonly progress: { readonly [name: string]: StageDefinition }
  readonly deadlines: { readonly [name: string]: DeadlineDefinition }
  readonly sections: { readonly [name: string]: SectionDefinition }
  /** The images of the record itself: the field with its SKU, option or style. */
  readonly goods?: GoodsSource
  /** Whether the document has a scorecard: see `scorecardFigures`. */
  readonly hasScorecard: boolean
}

type Untitled<D> = Omit<D, 'title'> & { readonly title?: string }

/** A section as definitions write it. Its group follows from its path. */
export type SectionSource = Omit<Untitled<SectionDefinition>, 'group'>

/** A document as definitions write it. A title defaults to the words of the name. */
export interface DocumentSource
  extends Omit<DocumentDefinition, 'progress' | 'deadlines' | 'sections'> {
  readonly progress: { readonly [name: string]: Untitled<StageDefinition> }
  readonly deadlines: { readonly [name: string]: Untitled<DeadlineDefinition> }
  readonly sections: { readonly [name: string]: SectionSource }
}

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

/** `openOrders` becomes `Open orders`. */
const titleOf = (name: string): string =>
  name.charAt(0).toUpperCase() +
  name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const mapValues = <V, W>(
  values: { readonly [name: string]: V },
  map: (value: V, name: string) => W,
): { readonly [name: string]: W } =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
