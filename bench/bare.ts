/**
 * Requests to the bare server (`bare-server.ts`), which runs only the best statement for each. They
 * read the same records as the requests to the product.
 */
import type { Place } from './walk.ts'

const noIdentity = '00000000-0000-0000-0000-000000000000'

/** The path of a page after a record, with or without a filter. */
export const barePage = ({ filter, after }: Place, size: number): string =>
  `/${size}/${after ?? noIdentity}${filter && `/${filter.replace('=', '/')}`}`

export const bareGet = (id: string): string => `/get/${id}`
