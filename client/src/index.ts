export { type AnswerCache, type CachedAnswer, memoryCache } from './cache.ts'
export { type BrandReader, type Client, type ClientOptions, createClient } from './client.ts'
export {
  type ClientErrorCode,
  clientErrorCodes,
  type ErrorCode,
  type JsonValue,
  type Problem,
  SelvedgeError,
} from './error.ts'
export type { Groups } from './generated/groups.ts'
export type * from './generated/records.ts'
export type { Contents, Gets, Including, Lists, Paging, With } from './group.ts'
export { Page, type PageBody } from './page.ts'
export type { Patience } from './patience.ts'
export type { RequestOptions, Retry } from './send.ts'
