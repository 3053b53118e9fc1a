import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const record: Texts['record'] = {
  notFound: (kind) => `${kind} nicht gefunden`,
  notAvailable: (kind) => `${kind} nicht verfügbar`,
  copyId: 'Kennung kopieren',
  copyJson: 'Als JSON kopieren',
  rawJson: 'JSON',
  deleted: 'gelöscht',
  image: 'Bild',
  images: 'Bilder',
  moreImages: (count) => `und ${countText(count)} weitere`,
  referencedBy: 'Verweise hierher',
  unreferenced: 'Keine andere Gruppe verweist auf diese.',
  through: (name) => `über ${name}`,
  noFilter: 'kein Filter',
  topics: {
    general: 'Allgemein',
    figures: 'Mengen und Beträge',
    dates: 'Termine',
    references: 'Verweise',
    technical: 'Technisch',
  },
  emptyFields: (count) => counted(count, 'Feld ohne Wert', 'Felder ohne Wert'),
  meaningOf: (label) => `Bedeutung von ${label}`,
}
