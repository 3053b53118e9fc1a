import { type Catalog, catalog, nullable, resourceAt, text } from '#contract'
import { joinCatalog } from '../../src/contract/catalog.ts'

/**
 * Additions of the next version: a field, filters on an old and on the new field, and an old field
 * for sorting and searching.
 */
export const added = { field: 'grade', filter: 'memo', sorted: 'memo' } as const

const items = resourceAt(catalog, 'order-items')

/** The catalog of the next version. */
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
