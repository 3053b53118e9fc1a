export { type CachedResponse, memoryCache, type ResponseCache } from './cache.ts'
export { type BrandReader, type Client, type ClientOptions, createClient } from './client.ts'
export type {
  CurrencyTotal,
  DocumentDeadline,
  DocumentQuery,
  DocumentStage,
  Goods,
  NamedPart,
  OpenTotal,
  Picture,
  RecordDocument,
  Scorecard,
  Section,
  SectionRow,
} from './document.ts'
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
export type {
  CurrencyAmount,
  Figure,
  FigurePart,
  Figures,
  FirstRecord,
  MoneySum,
  Summary,
  SummaryGroup,
  Today,
  TodayQuery,
} from './figures.ts'
export type { Groups } from './generated/groups.ts'
export type * from './generated/records.ts'
export type {
  Contents,
  Documents,
  Gets,
  Including,
  Lists,
  Paging,
  Queries,
  Selected,
  Selecting,
  Summarizes,
  With,
} from './group.ts'
export type { Lineage, LineageQuery, LineageRecord, LineageRelation } from './lineage.ts'
export { Page, type PageBody } from './page.ts'
export { printable } from './printable.ts'
export type { Finding, Quality } from './quality.ts'
export type { RetryOptions, RetryPolicy } from './retry-policy.ts'
export type { SearchQuery, SearchResult, SearchResults } from './search.ts'
export { isExposed, parseServerUrl, type ServerUrl } from './server-url.ts'
export {
  createTransport,
  type RequestOptions,
  type Retry,
  type Transport,
  type TransportOptions,
  type TransportResponse,
} from './transport.ts'
