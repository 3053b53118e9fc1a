export { type Cursors, openCursors } from './cursor.ts'
export { type FeedCursors, openFeedCursors } from './feed-cursor.ts'
