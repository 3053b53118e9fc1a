import { useState } from 'react'
import type { Group } from '../contract.ts'
import { type Column, columnNames, columnsFor, usualColumns } from './column.ts'

const placeOf = (group: Group): string => `selvedge-columns-${group.path}`

const readColumns = (group: Group): readonly Column[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(placeOf(group)) ?? 'null')
    const names = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : []
    const columns = columnsFor(group, names)
    return columns.length > 0 ? columns : usualColumns(group)
  } catch {
    return usualColumns(group)
  }
}

/** The columns of a group in this browser, used if the URL names none. */
export const useStoredColumns = (group: Group) => {
  const [columns, setColumns] = useState(() => readColumns(group))
  const choose = (next: readonly Column[] | null) => {
    if (next === null) localStorage.removeItem(placeOf(group))
    else localStorage.setItem(placeOf(group), JSON.stringify(columnNames(next)))
    setColumns(next ?? usualColumns(group))
  }
  return [columns, choose] as const
}
