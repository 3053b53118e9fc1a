import type { Condition } from '#contract'
import type { Selection } from './request.ts'

/** All conditions of a selection as one conjunction. */
export const conjunctsOf = ({ resource, filters, where }: Selection): readonly Condition[] => [
  ...resource.filters.flatMap((filter): readonly Condition[] => {
    const value = filters.get(filter.name)
    if (value === undefined) return []
    const { field, through } = filter
    if (field !== undefined) return [{ kind: 'compare', field, is: 'eq', value }]
    if (!through) return []
    const { collection, match, local } = through
    const isValue: Condition = { kind: 'compare', field: through.where, is: 'eq', value }
    return [{ kind: 'some', collection, match, local, where: isValue }]
  }),
  ...where.flatMap(flatten),
]

const flatten = (condition: Condition): readonly Condition[] =>
  condition.kind === 'all' ? condition.of.flatMap(flatten) : [condition]

/** Whether a condition reads more than columns: JSON text or other records. */
export const isCostly = (condition: Condition, hasColumn: (field: string) => boolean): boolean => {
  switch (condition.kind) {
    case 'some':
      return true
    case 'all':
    case 'any':
      return condition.of.some((each) => isCostly(each, hasColumn))
    case 'not':
      return isCostly(condition.of, hasColumn)
    case 'fields':
      return !hasColumn(condition.field) || !hasColumn(condition.other)
    default:
      return !hasColumn(condition.field)
  }
}
