import type { RecordDocument } from './document.ts'
import { basePath, queryBasePath } from './generated/groups.ts'
import type { Lineage, Summary } from './generated/responses.ts'
import { Page, type PageBody } from './page.ts'
import type { DocumentQuery, LineageQuery } from './parameters.ts'
import { type Query, queryString, segment } from './query.ts'
import type { RequestOptions } from './transport.ts'

type Names<I> = readonly (keyof I & string)[]

/**
 * A record with the included records: each is null where its reference is null. If the names are
 * known only at run time, every included record is optional.
 */
export type With<R, I, N extends Names<I>> = N extends readonly []
  ? R
  : number extends N['length']
    ? R & { readonly [K in N[number]]?: I[K] | null }
    : R & { readonly [K in N[number]]: I[K] | null }

export interface Including<N> {
  /** References to include, named without `Id`. */
  readonly include?: N | undefined
}

export interface Paging {
  /** Records on a page, 1 to 100: 25 by default, and 100 for a walk over all. */
  readonly limit?: number | undefined
  /** `nextCursor` of a page that was read with the same filters. */
  readonly cursor?: string | undefined
}

/** A group that can be listed: its records `R`, its filters `F`, what it can include `I`. */
export interface Lists<R, F, I> {
  /** One page. */
  list<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): Promise<Page<With<R, I, N>>>
  /** Every page, from the first one or from a cursor. */
  pages<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): AsyncGenerator<Page<With<R, I, N>>, void, undefined>
  /** Every record. The next page is requested after the last record of the page before. */
  all<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): AsyncGenerator<With<R, I, N>, void, undefined>
  /** How many records match, exactly. */
  total(filters?: F, options?: RequestOptions): Promise<number>
}

type FieldNames<R> = readonly (keyof R & string)[]

/** A record with the requested fields. Its identity is always present, and no other field. */
export type Selected<R, F extends FieldNames<R>> = F extends readonly []
  ? R
  : Partial<R> & Pick<R, F[number]>

export interface Selecting<F> {
  /** Only these fields of each record, and its identity. */
  readonly fields?: F | undefined
}

/** A group that the query API can search: its records `R`, its parameters `Q`, what it can include `I`. */
export interface Queries<R, Q, I> {
  /** One page of the records that the parameters select, in the order of `sort`. */
  query<const N extends Names<I> = readonly [], const F extends FieldNames<R> = readonly []>(
    query?: Q & Paging & Including<N> & Selecting<F>,
    options?: RequestOptions,
  ): Promise<Page<With<Selected<R, F>, I, N>>>
  /** Every record of all pages. The next page is requested after the last record of the page before. */
  queryAll<const N extends Names<I> = readonly [], const F extends FieldNames<R> = readonly []>(
    query?: Q & Paging & Including<N> & Selecting<F>,
    options?: RequestOptions,
  ): AsyncGenerator<With<Selected<R, F>, I, N>, void, undefined>
}

/** A group whose records can be counted and added up: its parameters `Q`. */
export interface Summarizes<Q> {
  /** Counts, sums, least and greatest values of the records that the parameters select. */
  summary(query?: Q, options?: RequestOptions): Promise<Summary>
}

/** A group whose records can be read one by one. */
export interface Gets<R, I> {
  /** One record. Fails with `not_found` if it does not exist. */
  get<const N extends Names<I> = readonly []>(
    id: string,
    query?: Including<N>,
    options?: RequestOptions,
  ): Promise<With<R, I, N>>
  /** The records along the chain from a record. Fails with `not_found` if it does not exist. */
  lineage(id: string, query?: LineageQuery, options?: RequestOptions): Promise<Lineage>
}

/** A group whose records have documents: its records `R`, their relations `I`, the sections `S`. */
export interface Documents<R, I, S> {
  /** A record with everything that belongs to it. Fails with `not_found` if it does not exist. */
  document(
    id: string,
    query?: DocumentQuery,
    options?: RequestOptions,
  ): Promise<RecordDocument<R, I, S>>
}

/** A group whose records describe files, each with an address `L`. */
export interface Contents<L> {
  /** A temporary address of the file, which works without a key. */
  content(id: string, options?: RequestOptions): Promise<L>
  /** The file itself, with its media type. */
  download(id: string, options?: RequestOptions): Promise<Blob>
}

/** The two kinds of requests that a group makes. */
export interface Requester {
  /** Requests a path of the server, with the key. */
  json<T>(path: string, options: RequestOptions): Promise<T>
  /** Requests an address outside the API, without a key. */
  file(url: string, options: RequestOptions): Promise<Blob>
}

export type Endpoint = 'list' | 'get' | 'content' | 'document'

type Row = { readonly [name: string]: unknown }
type Link = { readonly url: string }

/** The methods that read a list at a path: a page, all pages, all records. */
const listMethods = (requester: Requester, path: string) => {
  const list = async (query: Query = {}, options: RequestOptions = {}): Promise<Page<Row>> => {
    const body = await requester.json<PageBody<Row>>(path + queryString(query), options)
    // The day of a view is repeated, so that pages that are read after midnight fit the first one.
    const { asOf } = body
    return new Page(body, (cursor) => list({ ...query, ...(asOf && { asOf }), cursor }, options))
  }
  async function* pages(query: Query = {}, options: RequestOptions = {}) {
    let page: Page<Row> | null = await list({ ...query, limit: query['limit'] ?? 100 }, options)
    for (; page; page = await page.next()) yield page
  }
  async function* all(query?: Query, options?: RequestOptions) {
    for await (const { items } of pages(query, options)) yield* items
  }
  return { list, pages, all }
}

/** The methods of each endpoint, for the group at a path below those of the APIs. */
const methods: Record<Endpoint, (requester: Requester, path: string) => object> = {
  list: (requester, path) => {
    const { list, pages, all } = listMethods(requester, basePath + path)
    const { list: query, all: queryAll } = listMethods(requester, queryBasePath + path)
    const total = async (filters: Query = {}, options?: RequestOptions) =>
      (await list({ ...filters, limit: 1 }, options)).totalItems
    const summary = async (question: Query = {}, options: RequestOptions = {}) =>
      requester.json<Summary>(`${queryBasePath}${path}/summary${queryString(question)}`, options)
    return { list, pages, all, total, query, queryAll, summary }
  },
  get: (requester, path) => ({
    get: async (id: string, query: Query = {}, options: RequestOptions = {}) =>
      requester.json(`${basePath}${path}/${segment('id', id)}${queryString(query)}`, options),
    lineage: async (id: string, query: LineageQuery = {}, options: RequestOptions = {}) =>
      requester.json(
        `${queryBasePath}${path}/${segment('id', id)}/lineage${queryString({ ...query })}`,
        options,
      ),
  }),
  document: (requester, path) => ({
    document: async (id: string, query: DocumentQuery = {}, options: RequestOptions = {}) =>
      requester.json(
        `${queryBasePath}${path}/${segment('id', id)}/document${queryString({ ...query })}`,
        options,
      ),
  }),
  content: (requester, path): Contents<Link> => {
    const content = async (id: string, options: RequestOptions = {}) =>
      requester.json<Link>(`${basePath}${path}/${segment('id', id)}/content`, options)
    return {
      content,
      download: async (id, options = {}) =>
        requester.file((await content(id, options)).url, options),
    }
  },
}

/** A group with the methods of its endpoints, and no others. */
export const createGroup = (
  requester: Requester,
  path: string,
  endpoints: readonly Endpoint[],
): object => Object.assign({}, ...endpoints.map((endpoint) => methods[endpoint](requester, path)))
