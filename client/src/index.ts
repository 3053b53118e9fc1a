export { type CachedResponse, memoryCache, type ResponseCache } from './cache.ts'
export { type BrandReader, type Client, type ClientOptions, createClient } from './client.ts'
export type { RecordDocument, Section, SectionRow } from './document.ts'
export {
  type ClientErrorCode,
  clientErrorCodes,
  type ErrorCode,
  type JsonValue,
  type Problem,
  parseJson,
  responseError,
  SelvedgeError,
  shortUrl,
} from './error.ts'
export type { Groups } from './generated/groups.ts'
export type * from './generated/records.ts'
export type * from './generated/responses.ts'
export type {
  Contents,
  Documents,
  Gets,
  Grids,
  Including,
  Lists,
  Paging,
  Queries,
  Selected,
  Selecting,
  Summarizes,
  With,
} from './group.ts'
export { Page, type PageBody } from './page.ts'
export type {
  DocumentQuery,
  LineageQuery,
  SearchQuery,
  SourceRowsQuery,
  SourceUnitsQuery,
  TodayQuery,
  TrendQuery,
} from './parameters.ts'
export { printable } from './printable.ts'
export type { RetryOptions, RetryPolicy } from './retry-policy.ts'
export { isExposed, parseServerUrl, type ServerUrl } from './server-url.ts'
export {
  createTransport,
  type RequestOptions,
  type Retry,
  type Transport,
  type TransportOptions,
  type TransportResponse,
} from './transport.ts'
