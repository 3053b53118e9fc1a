export { type Cursors, createCursors } from './cursor.ts'
export { createFeedCursors, type FeedCursors } from './feed-cursor.ts'
export { createQueryCursors, type QueryCursors, type QueryWalk } from './query-cursor.ts'
export { createWriteTokens, type WriteTokens } from './write-token.ts'
