import { catalog, groupingsOf } from '../../../src/contract/index.ts'
import type { Filters } from '../api.ts'
import { type Field, type Group, groupAt } from '../contract.ts'
import { isStatus } from '../values.ts'
import { filterFieldsOf } from './filter-field.ts'
import { withParameters } from './list-state.ts'

/** The most groups that are shown: one request has the names of so many records. */
export const shownGroupsMax = 100

/** The references and statuses that a list can be grouped by, statuses first. */
export const groupingFields = (group: Group): readonly Field[] => {
  const resource = catalog.byPath.get(group.path)
  const names = new Set(resource ? groupingsOf(resource).map(({ name }) => name) : [])
  const fields = group.fields.filter((field) => names.has(field.name))
  return [
    ...fields.filter(isStatus),
    ...fields.filter(({ to }) => to !== null && groupAt(to)?.hasList),
  ]
}

/** The parameters of a summary by a field: the conditions of the list, and what to add up. */
export const groupingParameters = (
  parameters: Filters,
  by: string,
  sums: readonly Field[],
): Filters => {
  // The greatest amounts in the base currency first, else the most records.
  const order = sums.find(({ kind }) => kind === 'amount')?.name ?? 'items'
  return {
    ...withParameters(parameters, { sort: null, include: null, ids: null }),
    by,
    ...(sums.length > 0 && { sum: sums.map(({ name }) => name).join(',') }),
    sort: `-${order}`,
    top: String(shownGroupsMax),
  }
}

/** The parameters of the list of a group; null if the list has no such filter. */
export const groupFilter = (
  group: Group,
  parameters: Filters,
  field: Field,
  value: string | null,
): Filters | null => {
  const filter = filterFieldsOf(group).find(({ name }) => name === field.name)
  if (value === null) {
    return filter?.can.has('null')
      ? withParameters(parameters, { [`${field.name}.isNull`]: 'true' })
      : null
  }
  return filter?.can.has('equal')
    ? withParameters(parameters, { [`${field.name}.in`]: null, [field.name]: value })
    : null
}
