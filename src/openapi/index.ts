export type { Examples } from './components.ts'
export { buildDocument } from './document.ts'
export { buildFeedDocument } from './feed-document.ts'
export { buildQueryDocument } from './query-document.ts'
