import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'

export const tables: AdminTexts['tables'] = {
  more: 'Mehr anzeigen',
  filters: 'Filter',
  all: 'Alle',
  apply: 'Anwenden',
  reset: 'Filter entfernen',
  nothingFound: 'Nichts entspricht diesen Filtern.',
  refresh: 'Aktualisieren',
  cancel: 'Abbrechen',
  close: 'Schließen',
  working: 'Wird ausgeführt …',
  typeToConfirm: (text) => `Geben Sie zur Bestätigung \`${text}\` ein`,
  brand: 'Marke',
  actionsOf: (name) => `Aktionen: ${name}`,
  details: 'Details',
  hideDetails: 'Ausblenden',
  find: 'Suchen',
  chosen: (count) => `${countText(count)} gewählt`,
  never: 'nie',
  none: 'keine',
  nothing: 'nichts',
  yes: 'ja',
  no: 'nein',
}
