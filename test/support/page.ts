import { decodeBody, type Page } from '#store'

/** The records of a page as the store gives it. */
export const recordsOf = ({ items }: Page) => JSON.parse(`[${decodeBody(items)}]`)
