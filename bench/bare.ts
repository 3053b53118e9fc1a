/**
 * The requests to the bare server (`bare-server.ts`), which runs the best statement for each and
 * nothing else. They read the same records as those to the product.
 */
import type { Place } from './walk.ts'

const noIdentity = '00000000-0000-0000-0000-000000000000'

/** The path of a page after a record, with a filter or without. */
export const barePage = ({ filter, after }: Place, size: number): string =>
  `/${size}/${after ?? noIdentity}${filter && `/${filter.replace('=', '/')}`}`

/** The path of a record. */
export const bareGet = (id: string): string => `/get/${id}`
