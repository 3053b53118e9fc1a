import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const search: Texts['search'] = {
  title: 'Suche',
  close: 'Suche schließen',
  placeholder: 'Bestellung, Rechnung, SKU, Lieferant, Sendungs- oder Containernummer …',
  results: 'Ergebnisse',
  recent: 'Zuletzt geöffnet',
  places: 'Gehe zu',
  alsoPlaces: 'Gruppen und Ansichten',
  actions: 'Aktionen',
  view: 'Ansicht',
  brandView: 'Ansicht der Marke',
  savedView: 'Gespeicherte Ansicht',
  copyLink: 'Link zu dieser Seite kopieren',
  useTheme: (theme: string) => `Farbschema: ${theme}`,
  useLanguage: { en: 'Switch to English', de: 'Auf Deutsch umstellen' },
  keySelect: 'wählen',
  keyOpen: 'öffnen',
  keyControl: 'Strg',
  keyNewTab: 'neuer Tab',
  hint: 'Geben Sie mindestens zwei Zeichen ein.',
  searching: 'Suche läuft …',
  nothing: (text: string) =>
    `Nichts passt zu „${text}“. Versuchen Sie einen Teil einer Nummer oder eines Namens.`,
  noneClose: (text: string) =>
    `Keiner der Datensätze, die „${text}“ am nächsten kommen, passt ganz dazu. Versuchen Sie weniger Wörter, eine Nummer oder einen Namen.`,
  count: (count: number) => counted(count, 'Ergebnis', 'Ergebnisse'),
  incomplete: (count: number) =>
    `Die besten ${countText(count)} von mehr Ergebnissen. Geben Sie mehr oder ein weiteres Wort ein, um die Suche einzugrenzen.`,
}
