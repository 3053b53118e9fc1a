import { addView, listViews, removeView } from '#operator'
import { optional, readFields, text } from '../fields.ts'
import { type Operation, operation } from '../operation.ts'

/** Texts that `addView` checks. */
const typed = optional(text(60_000))

export const viewOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/brands/{slug}/views',
    read: ({ params, query }) => {
      readFields(query, { cursor: optional(text(2_000)) })
      return String(params['slug'])
    },
    run: (parts, brand) => listViews(parts, brand),
  }),
  operation({
    method: 'POST',
    path: '/brands/{slug}/views',
    read: ({ params, body }) => ({
      brand: String(params['slug']),
      view: readFields(body, { name: typed, link: typed, group: typed, query: typed }),
    }),
    run: (parts, { brand, view }) => addView(parts, brand, view),
  }),
  operation({
    method: 'DELETE',
    path: '/brands/{slug}/views',
    read: ({ params, body }) => ({
      brand: String(params['slug']),
      ...readFields(body, { name: text(500) }),
    }),
    run: async (parts, { brand, name }) => {
      await removeView(parts, brand, name)
      return undefined
    },
  }),
]
