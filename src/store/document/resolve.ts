import {
  type Catalog,
  type Condition,
  type DocumentCondition,
  fieldAt,
  mapValues,
  resolveView,
  resourceAt,
  type Today,
  type View,
} from '#contract'
import type { WalkedRow } from './walk.ts'

export const viewOf = (catalog: Catalog, group: string, name: string): View => {
  const view = resourceAt(catalog, group).views.find((each) => each.name === name)
  if (!view) throw new RangeError(`${group} has no view ${name}.`)
  return view
}

/** Resolves a condition of a group with the values of the document's record, for its day. */
export const resolveIn = (
  catalog: Catalog,
  group: string,
  where: DocumentCondition,
  values: WalkedRow['values'],
  today: Today,
): Condition => {
  const own = mapValues(where, (value) =>
    typeof value === 'object' && 'record' in value ? (values[value.record] ?? '') : value,
  )
  return resolveView({ where: own, parameters: [] }, today, new Map(), (field, collection) =>
    fieldAt(resourceAt(catalog, collection ?? group).fields, field),
  )
}
