import { type Catalog, type GroupScope, requireGroups, sourcePageSize } from '#contract'
import { closeGroups } from './close-groups.ts'
import { parseNamed, wholeAt } from './named-parameters.ts'
import { cut, rejectProblems } from './query-string.ts'

/** A place in the order of quarantined rows. */
interface RowPlace {
  readonly since: string
  readonly id: string
}

/** The cursor of the page after a row. The row may be gone by then. */
export const sourceRowsCursor = ({ since, id }: RowPlace): string =>
  Buffer.from(`${since} ${id}`).toString('base64url')

/** The parsed parameters of a page of quarantined rows. */
export interface SourceRowsParameters {
  readonly limit: number
  /** Only rows of this group. */
  readonly group: string | undefined
  /** The place of the last row of the page before. */
  readonly after: RowPlace | undefined
}

/** Parses the parameters of the last units. */
export const sourceUnitsParameters = (queryText: string): { readonly limit: number } => {
  const { limit, problems } = parsePage(queryText, ['limit'])
  rejectProblems(problems)
  return { limit }
}

/** Parses the parameters of a page of quarantined rows. */
export const sourceRowsParameters =
  (served: Catalog) =>
  (queryText: string, scope: GroupScope): SourceRowsParameters => {
    const { values, limit, problems } = parsePage(queryText, ['limit', 'cursor', 'group'])
    const group = values.get('group')
    if (group !== undefined && !served.byPath.has(group)) {
      const meant = closeGroups(served, group)
      const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : ''
      const issue = `names ${JSON.stringify(cut(group))}, which is not a group${advice}`
      problems.push({ parameter: 'group', issue })
    }
    const cursor = values.get('cursor')
    const after = cursor === undefined ? undefined : parseRowsCursor(cursor)
    if (cursor !== undefined && !after) {
      problems.push({ parameter: 'cursor', issue: 'must be nextCursor of the page before' })
    }
    rejectProblems(problems)
    if (group !== undefined) requireGroups(scope, [group])
    return { limit, group, after }
  }

const parseRowsCursor = (cursor: string): RowPlace | undefined => {
  const text = Buffer.from(cursor.slice(0, cursorMax), 'base64url').toString('latin1')
  const [, since, id] = /^(\d{4}-\d\d-\d\dT[\d:.]{8,15}Z) ([0-9a-f]{12})$/.exec(text) ?? []
  return since && id ? { since, id } : undefined
}

const cursorMax = 100

const parsePage = (queryText: string, names: readonly string[]) => {
  const named = parseNamed(queryText, names)
  const limit = wholeAt(named, 'limit', sourcePageSize) ?? sourcePageSize.default
  return { ...named, limit }
}
