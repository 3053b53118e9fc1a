import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const shell: Texts['shell'] = {
  skip: 'Zum Inhalt springen',
  brand: 'Marke',
  menu: 'Menü',
  menuStale: 'Menü (Daten sind nicht aktuell)',
  settings: 'Einstellungen und Hilfe',
  navigation: 'Seiten',
  manuals: 'Handbücher',
  keyboard: 'Tastenkürzel',
  signOut: 'Abmelden',
  search: 'Suche',
  searchField: 'Nummern, Namen, SKUs suchen …',
  today: 'Heute',
  products: 'Produkte',
  allGroups: 'Alle Gruppen',
  brandViews: 'Ansichten der Marke',
  savedViews: 'Gespeicherte Ansichten',
  groups: (count: number) => counted(count, 'Gruppe', 'Gruppen'),
  connections: (count: number) => counted(count, 'Verknüpfungstabelle', 'Verknüpfungstabellen'),
  records: (count: number) => counted(count, 'Datensatz', 'Datensätze'),
  recordsWord: (count: number) => (count === 1 ? 'Datensatz' : 'Datensätze'),
  asOf: (when: string) => `Datenstand ${when}`,
  lastImport: (changed: number) => `letzter Import: ${countText(changed)} geändert`,
  confirmed: (moment: string) => `Zuletzt importiert oder geändert: ${moment}.`,
  importChanged: (changed: number) =>
    `Der letzte Import hat ${counted(changed, 'Datensatz', 'Datensätze')} geändert.`,
  stale: (hours: number, limit: number) =>
    `Das ist ${counted(hours, 'Stunde', 'Stunden')} her, mehr als die ${countText(limit)} Stunden, in denen ein nächtlicher Import gelaufen sein sollte. Prüfen Sie den Import.`,
  whenStale: (limit: number) =>
    `Die Anzeige wird gelb, wenn ${countText(limit)} Stunden lang nichts importiert wurde.`,
  help: {
    title: 'Tastenkürzel',
    search: 'Datensätze, Gruppen, Ansichten und Aktionen suchen',
    show: 'Diese Hilfe anzeigen',
    cells: 'Zwischen den Zellen einer Tabelle wechseln',
    ends: 'Zur ersten oder letzten Spalte gehen',
    enter: 'Dem Verweis in der Zelle folgen oder den Datensatz öffnen',
    copyCell: 'Zelle kopieren',
    rows: 'Nächste und vorherige Zeile einer Liste',
    select: 'Zeile auswählen, mit Umschalttaste alle seit der letzten',
    copyRow: 'Zeile als JSON kopieren',
    pages: 'Nächste und vorherige Seite einer Liste',
    newTab: 'Suchergebnis in einem neuen Tab öffnen',
    escape: 'Offenen Dialog oder offenes Menü schließen',
    about:
      'Die Konsole zeigt nur, was Ihr Schlüssel lesen darf. Die Adresse einer Seite enthält Marke, Gruppe, Filter und Datensatz: Wer einen Schlüssel hat und sie öffnet, sieht dasselbe.',
  },
}
