import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const sources: Texts['sources'] = {
  title: 'Quellen',
  needsAttention: 'Quellen brauchen Aufmerksamkeit.',
  failingSources: (count) => counted(count, 'Quelle ist gestört', 'Quellen sind gestört'),
  unitsSetAside: (count) =>
    counted(count, 'Einheit ist in Quarantäne', 'Einheiten sind in Quarantäne'),
  rowsWaiting: (count) => counted(count, 'Zeile ist in Quarantäne', 'Zeilen sind in Quarantäne'),
  allWell: (count) =>
    count === 1 ? '1 Quelle, ohne Störung.' : `${countText(count)} Quellen, alle ohne Störung.`,
  noSources:
    'Es kommen nicht laufend Daten herein: Kein Ordner wird überwacht, keine Datenbank gelesen und nichts gesendet.',
  kinds: { watch: 'Überwachter Ordner', sync: 'Datenbank', ingest: 'Anfragen' },
  states: { idle: 'wartet auf Daten', working: 'arbeitet', failing: 'gestört' },
  lastSuccess: 'Letzter Erfolg',
  lastFailure: 'Letzter Fehler',
  never: 'nie',
  lag: 'Rückstand',
  none: 'keiner',
  waiting: 'Wartend',
  processed: 'Angenommen',
  failed: 'Abgelehnt',
  units: 'Einheiten in Quarantäne',
  rows: 'Zeilen in Quarantäne',
  whyFailing: 'Warum eine Quelle gestört ist, sieht der Betreiber des Servers mit:',
  failingCommand: (brand) => `selvedge sources --brand ${brand}`,
  quarantinedRows: 'Zeilen in Quarantäne',
  rowsMeaning: (rows, waiting) => {
    const wait = `${counted(rows, 'Zeile wartet', 'Zeilen warten')} neben den Datensätzen`
    if (waiting === 0) {
      return `${wait}, bis sie in der Quelle korrigiert ${rows === 1 ? 'ist' : 'sind'}.`
    }
    if (waiting === rows) return `${wait} auf einen Datensatz, der noch nicht angekommen ist.`
    return `${wait}: ${countText(waiting)} auf einen Datensatz, der noch nicht angekommen ist, die anderen, bis sie in der Quelle korrigiert sind.`
  },
  group: 'Gruppe',
  allGroups: 'Alle',
  unreadable: 'ohne lesbaren Schlüssel',
  line: (file, line) => `${file}, Zeile ${countText(line)}`,
  lineOf: (line) => `Zeile ${countText(line)}`,
  since: (moment) => `seit ${moment}`,
  waitsFor: (what, value) => `Wartet auf: ${what} ${value}`,
  partOf: 'Teil von',
  moreRows: 'Weitere Zeilen',
  howToCorrect:
    'Der Betreiber kann diese Zeilen mit ihren Gründen in Dateien schreiben. Korrigieren Sie eine Datei und legen Sie sie erneut ab; Zeilen einer Datenbank werden dort korrigiert.',
  rowsCommand: (brand) => `selvedge intake rows --brand ${brand} --write corrections`,
  recentUnits: 'Letzte Einheiten',
  unitsMeaning:
    'Dateien, Anfragen, Durchgänge einer Datenbank und Importe: Jede Einheit wird auf einmal gespeichert, außer ihren Zeilen in Quarantäne.',
  noUnits: 'In den letzten drei Tagen kam nichts herein.',
  unit: 'Einheit',
  finished: 'Beendet',
  added: 'Neu',
  changed: 'Geändert',
  removed: 'Entfernt',
  unitKinds: { batch: 'Anfrage', file: 'Datei', round: 'Durchgang', import: 'Import' },
  unitStates: { refused: 'abgelehnt', quarantined: 'in Quarantäne' },
  dryRun: 'nur geprüft',
  unitRows: (count) => counted(count, 'Zeile in Quarantäne', 'Zeilen in Quarantäne'),
  problems: (count) => `${counted(count, 'Problem', 'Probleme')}:`,
}
