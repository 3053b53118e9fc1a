import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'

export const imports: AdminTexts['imports'] = {
  title: 'Importe',
  about:
    'Was hereinkam und was es geändert hat: die letzten beendeten Einheiten, die einige Tage erhalten bleiben.',
  noImports: 'Es wurde noch nichts importiert.',
  problems: 'Probleme',
  differences: 'Unterschiede',
  firstOnly: (shown) => `Die ersten ${countText(shown)} Datensätze. Es wurden mehr geändert.`,
  notKept:
    'Welche Datensätze es waren, ist nicht erhalten. Dateien und Importe behalten ihre ersten Änderungen; mit CHANGE_FEED=on führen alle Einheiten die gespeicherten Datensätze auf.',
  noDifferences: 'Kein Datensatz unterscheidet sich.',
  operations: { added: 'neu', changed: 'geändert', removed: 'entfernt', stored: 'gespeichert' },
  storedMeaning:
    '„gespeichert“ heißt neu oder geändert: Was diese Datensätze vorher waren, ist nicht erhalten.',
  wouldMeaning: 'Diese Einheit wurde nur geprüft: Das sind die Änderungen, die sie bewirken würde.',
  operation: 'Änderung',
  fields: 'Felder',
  unit: 'Einheit zeigen',
}
