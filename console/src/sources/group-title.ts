import { groupAt } from '../contract.ts'
import { groupSingular, groupTitle } from '../texts/contract.ts'

/** What people call a group; its path if this console does not know it. */
export const titleOf = (path: string): string => {
  const group = groupAt(path)
  return group ? groupTitle(group) : path
}

/** What people call a record of a group. */
export const singularOf = (path: string): string => {
  const group = groupAt(path)
  return group ? groupSingular(group) : path
}
