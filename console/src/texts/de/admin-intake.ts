import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

export const intake: AdminTexts['intake'] = {
  title: 'Eingang',
  about:
    'Dateien, Anfragen, Durchgänge einer Datenbank und Importe. Jede ist eine Einheit: Sie wird ganz gespeichert oder gar nicht. Beendete Einheiten bleiben einige Tage erhalten.',
  brand: 'Marke',
  shared: 'Alle Marken (gemeinsam)',
  state: 'Zustand',
  states: {
    waiting: 'wartet',
    working: 'in Arbeit',
    done: 'erledigt',
    refused: 'abgelehnt',
    quarantined: 'in Quarantäne',
  },
  unit: 'Einheit',
  source: 'Quelle',
  position: 'Stelle in der Quelle',
  attempts: 'Versuche',
  received: 'Eingegangen',
  finished: 'Beendet',
  holder: 'Prozess',
  id: 'Kennung',
  noUnits: 'Es ist noch nichts hereingekommen.',
  lastError: 'Warum sie nicht gespeichert wurde',
  isAccepted: 'Ein Betreiber hat diese Datei angenommen, obwohl sie wenige Zeilen hat.',
  dryRun: 'nur geprüft',
  report: 'Was sie geändert hat',
  nothingStored: 'Sie hat nichts geändert.',
  group: 'Gruppe',
  read: 'Gelesen',
  added: 'Neu',
  changed: 'Geändert',
  unchanged: 'Unverändert',
  removed: 'Entfernt',
  quarantined: 'Zeilen in Quarantäne',
  problems: (count) => counted(count, 'Problem', 'Probleme'),
  firstProblems: (shown) =>
    `Das sind die ersten ${countText(shown)}. Der Bericht der Quelle enthält alle.`,
  line: 'Zeile',
  record: 'Datensatz',
  field: 'Feld',
  value: 'Wert',
  reason: 'Grund',
  differences: 'Unterschiede zeigen',
  rows: 'Zeilen in Quarantäne zeigen',
  actions: 'Was zu tun ist',
  retry: 'Erneut versuchen',
  retryTitle: 'Die Einheit erneut versuchen?',
  retryMeaning:
    'Der Server, watch oder sync, der Einheiten dieser Quelle annimmt, versucht es erneut. Datensätze, die sich seitdem geändert haben, bleiben, wie sie sind.',
  retried: 'Die Einheit wird erneut versucht.',
  accept: 'Annehmen und erneut versuchen',
  acceptTitle: 'Die Datei so annehmen, wie sie ist?',
  acceptMeaning:
    'Die Datei wird angenommen, obwohl sie wenige Zeilen hat. Die Datensätze, die in ihr fehlen, werden entfernt. Tun Sie das nur, wenn die Datei vollständig ist.',
  discard: 'Verwerfen',
  discardTitle: 'Die Einheit verwerfen?',
  discardMeaning:
    'Die Einheit wird abgelehnt. Ihre Datensätze sind verloren, wenn sie nicht erneut gesendet werden. Das lässt sich nicht rückgängig machen.',
  discarded: 'Die Einheit ist verworfen.',
  stateMeanings: {
    waiting: 'Sie wird gespeichert, sobald sie an der Reihe ist.',
    working:
      'Ein Prozess arbeitet gerade an ihr. Ist dieser Prozess beendet, versuchen Sie die Einheit erneut oder verwerfen Sie sie.',
    done: 'Sie ist gespeichert. Es bleibt nichts zu tun.',
    refused: 'Sie wurde abgelehnt, und der Absender kennt den Grund. Nichts davon ist gespeichert.',
    quarantined:
      'Sie ist zu oft gescheitert oder sieht falsch aus. Spätere Einheiten laufen ohne sie weiter.',
  },
}
