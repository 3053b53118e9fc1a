import type { AdminTexts } from '../admin.ts'

export const views: AdminTexts['views'] = {
  title: 'Ansichten',
  about:
    'Ansichten von Listen, die alle Leser einer Marke in der Konsole sehen: Filter, Reihenfolge, Spalten und Gruppierung unter einem Namen. Ein Schlüssel für einige Gruppen erhält die, deren Gruppen er lesen darf.',
  empty: 'Diese Marke hat keine veröffentlichten Ansichten.',
  noBrands: 'Es gibt noch keine Marke.',
  publish: 'Ansicht veröffentlichen',
  link: 'Link der Liste',
  linkNote: (brand) =>
    `Öffnen Sie die Liste von ${brand} in der Konsole, wählen Sie Filter und Spalten, und kopieren Sie den Link.`,
  name: 'Name',
  group: 'Gruppe',
  parameters: 'Parameter',
  hidden: 'nicht gezeigt',
  actions: 'Aktionen',
  published: (name) => `„${name}“ ist veröffentlicht.`,
  remove: 'Ansicht entfernen',
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeSentence:
    'Leser sehen sie nicht mehr. Kopien, die sie in ihren Browsern behalten haben, bleiben.',
  removed: (name) => `„${name}“ ist entfernt.`,
}
