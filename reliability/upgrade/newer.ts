import { type Catalog, catalog, nullable, resourceAt, text } from '#contract'
import { joinCatalog } from '../../src/contract/catalog.ts'

/**
 * What the next version adds: a field, a filter on an old field and one on the new, and an old field to
 * sort by and to search for.
 */
export const added = { field: 'grade', filter: 'memo', sorted: 'memo' } as const

const items = resourceAt(catalog, 'order-items')

/** The catalog of the version that comes after this one. */
export const newerCatalog: Catalog = joinCatalog(
  catalog.resources.map((resource) =>
    resource === items
      ? {
          ...items,
          fields: { ...items.fields, [added.field]: nullable(text()) },
          filters: [
            ...items.filters,
            ...[added.filter, added.field].map((name) => ({
              name,
              kind: 'string' as const,
              field: name,
            })),
          ],
          sortable: [...items.sortable, added.sorted],
          searchable: [...items.searchable, added.sorted],
        }
      : resource,
  ),
)
