import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

export const feed: AdminTexts['feed'] = {
  title: 'Feed-Leser',
  about:
    'Schlüssel, die den Änderungs-Feed lesen, und wie weit sie zurück sind. Ein Leser kann beliebig lange zurückbleiben. Nach der Wiederherstellung einer Sicherung muss er vielleicht alles neu lesen.',
  off: 'Dieser Server bietet den Änderungs-Feed nicht an.',
  noReaders: 'Kein Schlüssel hat den Änderungs-Feed gelesen.',
  key: 'Schlüssel',
  deletedKey: 'gelöschter Schlüssel',
  brand: 'Marke',
  collection: 'Gruppe',
  all: 'alle',
  position: 'Stand',
  readAt: 'Zuletzt gelesen',
  lag: 'Rückstand',
  changes: (count, hasMore) =>
    hasMore ? `mehr als ${countText(count)} Datensätze` : counted(count, 'Datensatz', 'Datensätze'),
  upToDate: 'auf dem neuesten Stand',
  mustRestart: 'muss alles neu lesen',
  forTime: (duration) => `seit höchstens ${duration}`,
  neverCaughtUp: 'hat noch nie alles gelesen',
}
