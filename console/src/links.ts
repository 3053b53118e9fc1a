import { queryBasePath } from '../../src/contract/index.ts'
import type { Filters } from './api.ts'

const part = encodeURIComponent

export const brandLink = (brand: string): string => `/brands/${part(brand)}`

/** The Today page for another day. */
export const todayLink = (brand: string, asOf: string): string =>
  `${brandLink(brand)}?${new URLSearchParams({ asOf })}`

/** The figures of the last days. */
export const trendsLink = (brand: string): string => `${brandLink(brand)}/trends`

/** The calendar of open orders. */
export const calendarLink = (brand: string): string => `${brandLink(brand)}/calendar`

/** A list with its filters and the cursor of its page. */
export const listLink = (brand: string, collection: string, filters: Filters = {}): string => {
  const query = new URLSearchParams(filters).toString()
  return `${brandLink(brand)}/${part(collection)}${query && `?${query}`}`
}

export const recordLink = (brand: string, collection: string, id: string): string =>
  `${brandLink(brand)}/${part(collection)}/${part(id)}`

export const lineageLink = (brand: string, collection: string, id: string): string =>
  `${recordLink(brand, collection, id)}/lineage`

/** Converts the URL of a query API list to its page, which takes the same parameters. */
export const linkOfQuery = (url: string): string =>
  url.startsWith(queryBasePath) ? url.slice(queryBasePath.length) : url

/** The page with the results of the business rules. */
export const qualityLink = (brand: string): string => `${brandLink(brand)}/quality`

/** The page of the sources of the records. */
export const sourcesLink = (brand: string): string => `${brandLink(brand)}/sources`
