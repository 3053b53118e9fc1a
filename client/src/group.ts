import type { RecordDocument } from './document.ts'
import { basePath, queryBasePath } from './generated/groups.ts'
import type { Lineage, RecordGrid, Summary } from './generated/responses.ts'
import { Page, type PageBody } from './page.ts'
import type { DocumentQuery, LineageQuery } from './parameters.ts'
import { type Query, queryString, segment } from './query.ts'
import type { RequestOptions } from './transport.ts'

type Names<I> = readonly (keyof I & string)[]

/**
 * A record with its included records. An included record is null if its reference is null. If the
 * names are known only at run time, every included record is optional.
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
  /** Records per page, 1 to 100. The default is 25 for one page, and 100 for reading all pages. */
  readonly limit?: number | undefined
  /** The `nextCursor` of a page read with the same filters. */
  readonly cursor?: string | undefined
}

/** A group with a list: its records `R`, its filters `F` and the references it can include `I`. */
export interface Lists<R, F, I> {
  /** Reads one page. */
  list<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): Promise<Page<With<R, I, N>>>
  /** Reads every page, from the first one or from a cursor. */
  pages<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): AsyncGenerator<Page<With<R, I, N>>, void, undefined>
  /** Reads every record. Requests each page after the last record of the previous page. */
  all<const N extends Names<I> = readonly []>(
    query?: F & Paging & Including<N>,
    options?: RequestOptions,
  ): AsyncGenerator<With<R, I, N>, void, undefined>
  /** The exact number of matching records. */
  total(filters?: F, options?: RequestOptions): Promise<number>
}

type FieldNames<R> = readonly (keyof R & string)[]

/** A record with the requested fields. It always has its identity, and no other fields. */
export type Selected<R, F extends FieldNames<R>> = F extends readonly []
  ? R
  : Partial<R> & Pick<R, F[number]>

export interface Selecting<F> {
  /** Returns only these fields of each record, and its identity. */
  readonly fields?: F | undefined
}

/** A group of the query API: its records `R`, its parameters `Q` and the references it can include `I`. */
export interface Queries<R, Q, I> {
  /** Reads one page of the selected records, in the order of `sort`. */
  query<const N extends Names<I> = readonly [], const F extends FieldNames<R> = readonly []>(
    query?: Q & Paging & Including<N> & Selecting<F>,
    options?: RequestOptions,
  ): Promise<Page<With<Selected<R, F>, I, N>>>
  /** Reads every selected record. Requests each page after the last record of the previous page. */
  queryAll<const N extends Names<I> = readonly [], const F extends FieldNames<R> = readonly []>(
    query?: Q & Paging & Including<N> & Selecting<F>,
    options?: RequestOptions,
  ): AsyncGenerator<With<Selected<R, F>, I, N>, void, undefined>
}

/** A group with summaries: its parameters `Q`. */
export interface Summarizes<Q> {
  /** Counts, sums, minima and maxima of the selected records. */
  summary(query?: Q, options?: RequestOptions): Promise<Summary>
}

/** A group whose records can be read by id. */
export interface Gets<R, I> {
  /** Reads one record. Rejects with `not_found` if it does not exist. */
  get<const N extends Names<I> = readonly []>(
    id: string,
    query?: Including<N>,
    options?: RequestOptions,
  ): Promise<With<R, I, N>>
  /**
   * The records connected to a record along the supply chain. Rejects with `not_found` if the
   * record does not exist.
   */
  lineage(id: string, query?: LineageQuery, options?: RequestOptions): Promise<Lineage>
}

/** A group whose records have documents: its records `R`, their relations `I`, the sections `S`. */
export interface Documents<R, I, S> {
  /** A record with everything that belongs to it. Rejects with `not_found` if it does not exist. */
  document(
    id: string,
    query?: DocumentQuery,
    options?: RequestOptions,
  ): Promise<RecordDocument<R, I, S>>
}

/** A group whose records have grids. */
export interface Grids {
  /**
   * The pieces of a record by style, colour and size. Rejects with `not_found` if the record does
   * not exist.
   */
  grid(id: string, options?: RequestOptions): Promise<RecordGrid>
}

/** A group whose records describe files. `L` is the link to a file. */
export interface Contents<L> {
  /** A temporary URL of the file that works without a key. */
  content(id: string, options?: RequestOptions): Promise<L>
  /** The file, with its media type. */
  download(id: string, options?: RequestOptions): Promise<Blob>
}

export interface Requester {
  /** Requests a path of the server with the key. */
  json<T>(path: string, options: RequestOptions): Promise<T>
  /** Requests a URL outside the API without the key. */
  file(url: string, options: RequestOptions): Promise<Blob>
}

export type Endpoint = 'list' | 'get' | 'content' | 'document' | 'grid'

type Row = { readonly [name: string]: unknown }
type Link = { readonly url: string }

const listMethods = (requester: Requester, path: string) => {
  const list = async (query: Query = {}, options: RequestOptions = {}): Promise<Page<Row>> => {
    const body = await requester.json<PageBody<Row>>(path + queryString(query), options)
    // Repeats the day of a view, so that pages read after midnight match the first page.
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

/** The methods of each endpoint. The path is relative to the base path of each API. */
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
  grid: (requester, path): Grids => ({
    grid: async (id, options = {}) =>
      requester.json(`${queryBasePath}${path}/${segment('id', id)}/grid`, options),
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

/** A group with the methods of its endpoints only. */
export const createGroup = (
  requester: Requester,
  path: string,
  endpoints: readonly Endpoint[],
): object => Object.assign({}, ...endpoints.map((endpoint) => methods[endpoint](requester, path)))
