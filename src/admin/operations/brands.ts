import type { Images } from '#images'
import {
  addBrand,
  listBrands,
  OperatorError,
  readRemoval,
  removeBrand,
  updateChecks,
} from '#operator'
import { choice, flag, optional, readFields, text } from '../fields.ts'
import { type Operation, type OperationParts, operation } from '../operation.ts'

/** Texts that name a brand, a source or a place in a list. */
const name = text(500)
const cursor = optional(text(2_000))

export const brandOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/brands',
    read: ({ query }) => readFields(query, { cursor }),
    run: (parts, input) => listBrands(parts, input.cursor),
  }),
  operation({
    method: 'POST',
    path: '/brands',
    read: ({ body }) =>
      readFields(body, {
        ...{ slug: text(63), name, country: optional(name), currency: optional(name) },
        timezone: optional(name),
      }),
    run: (parts, { slug, name, country, currency, timezone }) =>
      addBrand(parts, {
        ...{ slug, name },
        ...(country !== undefined && { country }),
        ...(currency !== undefined && { currency }),
        ...(timezone !== undefined && { timezone }),
      }),
  }),
  operation({
    method: 'PATCH',
    path: '/brands/{slug}',
    read: ({ params, body }) => ({
      owner: String(params['slug']),
      ...readFields(body, { checks: text(10_000) }),
    }),
    run: (parts, input) => updateChecks(parts, input),
  }),
  operation({
    method: 'GET',
    path: '/brands/{slug}/removal',
    read: ({ params, query }) => ({
      slug: String(params['slug']),
      ...readFields(query, { images: optional(choice('true', 'false')) }),
    }),
    run: (parts, { slug, images }) =>
      withImages(parts, images === 'true', (opened) => readRemoval(parts, slug, opened)),
  }),
  operation({
    method: 'DELETE',
    path: '/brands/{slug}',
    read: ({ params, body }) => ({
      slug: String(params['slug']),
      ...readFields(body, { confirm: name, images: optional(flag) }),
    }),
    run: async (parts, { slug, confirm, images = false }) => {
      if (confirm !== slug) {
        throw new OperatorError('invalid', `To remove ${slug}, confirm must be ${slug}.`)
      }
      return withImages(parts, images, async (opened) =>
        removeBrand(parts, await readRemoval(parts, slug, opened), {
          images: opened,
          withUnits: (work) => work(parts.units),
        }),
      )
    },
  }),
]

/** Runs work with the images, which are opened only if they are removed or counted. */
const withImages = async <T>(
  { openImages }: OperationParts,
  isWanted: boolean,
  work: (images: Images | null) => Promise<T>,
): Promise<T> => {
  const images = isWanted ? openImages() : null
  try {
    return await work(images)
  } finally {
    await images?.close()
  }
}
