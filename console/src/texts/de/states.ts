import type { Texts } from '../index.ts'

export const states: Texts['states'] = {
  loading: 'Wird geladen …',
  retry: 'Erneut versuchen',
  pageNotFound: 'Seite nicht gefunden',
  noSuchPage: 'Diese Seite gibt es nicht.',
  unreachable: 'Der Server ist nicht erreichbar. Läuft er noch?',
  waiting: (seconds) => `Das Anfragelimit dieses Schlüssels ist erreicht. Weiter in ${seconds} s.`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Nicht kopiert',
  close: 'Schließen',
}
