import { catalog, conditionCollections, type Resource, type View } from '#contract'
import { anchorOf, code, page, table } from './markdown.ts'

/** Every view with its meaning, by group. */
export const viewsPage = (): string => {
  const groups = catalog.resources.filter(({ views }) => views.length > 0)
  return page(
    '# Views',
    [
      'A view is a condition that has a name: `/api/query/v1/brands/{brand}/orders?view=late`. *Today* is the date in',
      'the time zone of the brand, or the date that `asOf` names. A week is from Monday to Sunday. A record that was',
      'deleted, cancelled, voided or retracted is in no view. *Order* is the value of `sort` that suits people, and the',
      'date it sorts by: the first of these fields that is not null. The web console uses it; without `sort`, records',
      'are in the order of their identity.',
    ].join('\n'),
    ...groups.flatMap((resource) => [
      `## [${resource.group}](resources/${resource.domain}.md#${anchorOf(resource.group)})`,
      table(
        ['View', 'Title', 'Records', 'Parameters', 'Order', 'Also depends on'],
        resource.views.map((view) => rowOf(resource, view)),
      ),
    ]),
  )
}

const rowOf = (resource: Resource, view: View): readonly string[] => [
  code(`${resource.path}?view=${view.name}`),
  view.title,
  view.summary,
  view.parameters
    .map(
      ({ name, summary, minimum, maximum, default: standard }) =>
        `${code(name)}: ${summary} ${minimum} to ${maximum}, default ${standard}`,
    )
    .join('; '),
  view.sort ? `${code(view.sort)}: ${view.dates.map(code).join(', ')}` : '',
  [...new Set(conditionCollections(view.where))].map(code).join(', '),
]
