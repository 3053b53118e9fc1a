import type { AdminTexts } from '../admin.ts'

export const first: AdminTexts['first'] = {
  title: 'Erste Schritte',
  about:
    'Eine Marke, ihre Datensätze, ein Schlüssel und eine Anfrage damit. Sie können nach jedem Schritt aufhören.',
  steps: 'Schritte',
  stepTitles: { brand: 'Marke', records: 'Datensätze', key: 'Schlüssel', request: 'Anfrage' },
  brandTitle: 'Ihre Marke anlegen',
  addBrand: 'Marke anlegen und weiter',
  recordsTitle: 'Ihre erste Datei importieren',
  recordsAbout:
    'Eine Datei einer Sammlung genügt für den Anfang. Alle weiteren gehen denselben Weg, über die Navigation.',
  skip: 'Ohne Datensätze weiter',
  toKey: 'Weiter zum Schlüssel',
  keyTitle: 'Ihren ersten Schlüssel ausstellen',
  keyAbout: (brand) =>
    `Programme lesen damit die Datensätze von ${brand}. Schreiben kann er nicht.`,
  keyName: 'Erster Schlüssel',
  issueKey: 'Schlüssel ausstellen',
  toRequest: 'Ich habe ihn gespeichert: weiter',
  requestTitle: 'Ihre erste Anfrage senden',
  requestAbout:
    'Führen Sie sie in einem Terminal aus, oder hier: dann sendet der Server sie an seine öffentliche Adresse.',
  run: 'Anfrage senden',
  finish: 'Fertig',
  answered: (milliseconds) => `Antwort nach ${milliseconds} ms`,
  response: 'Antwort',
  begin: 'Schritt für Schritt beginnen',
}
