export { type Cursors, createCursors } from './cursor.ts'
export { createFeedCursors, type FeedCursors } from './feed-cursor.ts'
