import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

export const brands: AdminTexts['brands'] = {
  title: 'Marken',
  about:
    'Was jede Marke hat, woher ihre Datensätze kommen und welche Prüfungen Datensätze am Eingang ablehnen.',
  empty:
    'Es gibt noch keine Marke. Legen Sie eine an, importieren Sie ihre Datensätze und stellen Sie einen Schlüssel für sie aus.',
  add: 'Marke anlegen',
  added: (name) => `${name} ist angelegt und hat noch keine Datensätze.`,
  fields: {
    slug: {
      label: 'Kürzel',
      note: 'Der Name in Adressen: Kleinbuchstaben, Ziffern und Bindestriche. Er lässt sich nicht ändern.',
    },
    name: { label: 'Bezeichnung', note: 'So heißt die Marke.' },
    country: { label: 'Land', note: 'Zwei Buchstaben (ISO 3166-1), zum Beispiel DE.' },
    currency: {
      label: 'Währung der Summen',
      note: 'Drei Buchstaben (ISO 4217), zum Beispiel EUR.',
    },
    timezone: { label: 'Zeitzone', note: 'Ein Name wie Europe/Berlin.' },
  },
  brand: 'Marke',
  records: 'Datensätze',
  own: (count) => `${countText(count)} eigene`,
  size: 'Größe',
  aboutSize: (size) => `etwa ${size}`,
  unknown: 'unbekannt',
  changed: 'Letzte Änderung',
  lastImport: (moment, changed) => `Letzter Import ${moment}: ${countText(changed)} geändert`,
  sources: 'Quellen',
  noSources: 'keine',
  sourceCount: (count) => counted(count, 'Quelle', 'Quellen'),
  waiting: (count) => `${counted(count, 'Einheit wartet', 'Einheiten warten')}`,
  failing: (count) => `${countText(count)} gestört`,
  quarantinedUnits: (count) => `${counted(count, 'Einheit', 'Einheiten')} in Quarantäne`,
  quarantinedRows: (count) => `${counted(count, 'Zeile', 'Zeilen')} in Quarantäne`,
  checks: 'Prüfungen',
  modes: { enforce: 'ablehnen', warn: 'melden' },
  modeSentences: {
    enforce: 'Datensätze ablehnen, die eine Prüfung nicht bestehen',
    warn: 'Sie speichern und melden, was falsch ist',
  },
  withExceptions: (mode, count) => `${mode}, ${counted(count, 'Ausnahme', 'Ausnahmen')}`,
  findings: 'Befunde',
  unchecked: 'noch nicht geprüft',
  noFindings: 'keine',
  errors: (count) => `${countText(count)} Fehler`,
  warnings: (count) => counted(count, 'Warnung', 'Warnungen'),
  actions: 'Aktionen',
  shared: 'Datensätze, die alle Marken teilen. Prüfungen:',
  sharedName: 'gemeinsame Datensätze',
  changeChecks: 'Prüfungen ändern …',
  checksOf: (name) => `Prüfungen: ${name}`,
  checksAbout:
    'Prüfungen betreffen neue und geänderte Werte: Codes wie Währungen und Nummern, die eindeutig sein müssen. Gespeicherte Datensätze bleiben, wie sie sind.',
  everyCheck: 'Was eine Prüfung tut',
  exceptions: 'Ausnahmen',
  exceptionsNote: (mode) => `Diese Prüfungen tun das andere: ${mode}.`,
  addException: 'Prüfung hinzufügen …',
  removeException: (check) => `${check} entfernen`,
  saveChecks: 'Speichern und zählen',
  checksSaved: (name) => `Prüfungen gespeichert: ${name}`,
  noneBroken: 'Kein gespeicherter Datensatz verletzt eine Prüfung.',
  broken:
    'Gespeicherte Datensätze verletzen diese Prüfungen. Sie bleiben und werden nicht abgelehnt, wenn sie unverändert eintreffen.',
  check: 'Prüfung',
  mode: 'Wirkung',
  remove: 'Entfernen …',
  removeTitle: (name) => `${name} entfernen`,
  removeNow: 'Endgültig entfernen',
  removeSentence:
    'Das entfernt die Marke mit allem, was zu ihr gehört. Es lässt sich nicht rückgängig machen: Nur eine Sicherung bringt sie zurück.',
  removed: (name, records) =>
    `${name} ist entfernt, mit ${counted(records, 'Datensatz', 'Datensätzen')}.`,
  removeImages: 'Auch ihre Bilddateien aus dem Bildspeicher entfernen',
  rows: 'Zeilen in Quarantäne',
  usageRows: 'Zeilen der Nutzung',
  imageFiles: 'Bilddateien',
  byGroup: (count) => `Datensätze in ${counted(count, 'Gruppe', 'Gruppen')}`,
  keysStay: (count) =>
    `${counted(count, 'Schlüssel nennt', 'Schlüssel nennen')} diese Marke und ${count === 1 ? 'bleibt' : 'bleiben'} bestehen. Widerrufen Sie, was nicht mehr gebraucht wird:`,
}
