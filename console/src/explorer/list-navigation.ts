import { useLocation, useSearch } from 'wouter'
import type { Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { listLink } from '../links.ts'
import {
  changed,
  type ListState,
  readListState,
  withParameters,
  writeListState,
} from './list-state.ts'

export type ListNavigation = ReturnType<typeof useListNavigation>

/** The state of a list, which its URL holds, and functions that change it. */
export const useListNavigation = (brand: string, group: Group) => {
  const state = readListState(useSearch())
  const [, navigate] = useLocation()
  const linkTo = (next: ListState) => listLink(brand, group.path, writeListState(next))
  const go = (next: ListState) => navigate(linkTo(next))
  const change = (parameters: Filters) => go(changed(state, { parameters }))
  return {
    state,
    linkTo,
    go,
    change,
    sort: (next: string | null) => change(withParameters(state.parameters, { sort: next })),
  }
}
