import type { Texts } from '../index.ts'

export const states: Texts['states'] = {
  loading: 'Wird geladen …',
  retry: 'Erneut versuchen',
  pageNotFound: 'Seite nicht gefunden',
  nothingAt: (path) => `Unter ${path} gibt es keine Seite.`,
  nothingHere:
    'Diese Seite gibt es nicht. Wählen Sie eine andere in der Navigation, oder suchen Sie einen Datensatz.',
  otherPages: 'Andere Seiten',
  console: 'Konsole',
  unreachable: 'Der Server ist nicht erreichbar. Läuft er noch?',
  waiting: (seconds) => `Das Anfragelimit dieses Schlüssels ist erreicht. Weiter in ${seconds} s.`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  notCopied: 'Nicht kopiert',
  close: 'Schließen',
}
