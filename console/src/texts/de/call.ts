import type { Texts } from '../index.ts'

export const call: Texts['call'] = {
  title: 'Aufruf',
  purpose: 'die API-Anfrage hinter dieser Seite',
  language: 'Sprache',
}
