import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The readers of the change feed. */
export const feed = {
  title: 'Feed readers',
  about:
    'Keys that read the change feed, and how far they are behind. A reader can stay behind for any time. After a restore of a backup, it may have to read everything again.',
  off: 'This server does not offer the change feed.',
  noReaders: 'No key has read the change feed.',
  key: 'Key',
  deletedKey: 'deleted key',
  brand: 'Brand',
  collection: 'Group',
  all: 'all',
  position: 'Position',
  readAt: 'Last read',
  lag: 'Behind',
  changes: (count: number, hasMore: boolean) =>
    hasMore ? `more than ${countText(count)} records` : counted(count, 'record', 'records'),
  upToDate: 'up to date',
  mustRestart: 'has to read everything again',
  forTime: (duration: string) => `for ${duration} at most`,
  neverCaughtUp: 'has never read everything',
}
