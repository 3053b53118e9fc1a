import type { Filters } from './api.ts'

const part = encodeURIComponent

export const brandLink = (brand: string): string => `/brands/${part(brand)}`

/** A list with its filters and the cursor of its page. */
export const listLink = (brand: string, collection: string, filters: Filters = {}): string => {
  const query = new URLSearchParams(filters).toString()
  return `${brandLink(brand)}/${part(collection)}${query && `?${query}`}`
}

export const recordLink = (brand: string, collection: string, id: string): string =>
  `${brandLink(brand)}/${part(collection)}/${part(id)}`

export const lineageLink = (brand: string, collection: string, id: string): string =>
  `${recordLink(brand, collection, id)}/lineage`
