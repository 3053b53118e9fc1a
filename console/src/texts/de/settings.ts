import type { Texts } from '../index.ts'

export const settings: Texts['settings'] = {
  guides: 'Anleitungen',
  reference: 'API-Referenz',
  language: 'Sprache',
  theme: 'Farbschema',
  themes: { auto: 'Automatisch', light: 'Hell', dark: 'Dunkel' },
}
