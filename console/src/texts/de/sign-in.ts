import type { Texts } from '../index.ts'

export const signIn: Texts['signIn'] = {
  title: 'Anmelden',
  purpose:
    'Alle Angebote, Bestellungen, Sendungen, Wareneingänge und Zahlungen einer Marke, und wie sie zusammenhängen.',
  key: 'API-Schlüssel',
  submit: 'Anmelden',
  busy: 'Anmeldung läuft …',
  keep: 'Auf diesem Gerät angemeldet bleiben',
  note: 'Der Schlüssel bleibt in den offenen Tabs dieses Browsers und wird vergessen, sobald Sie sie schließen.',
  keptNote: (days) =>
    `Der Schlüssel wird ${days} Tage lang in diesem Browser gespeichert, oder bis Sie sich abmelden. Jeder, der diesen Browser benutzt, kann ihn verwenden.`,
  linkNote: '`npm start` gibt einen Link aus, mit dem Sie angemeldet werden.',
  keptOver:
    'Sie wurden abgemeldet, weil die Zeit abgelaufen ist, für die dieser Browser einen Schlüssel behält. Melden Sie sich erneut an.',
  chooseBrand: 'Marke wählen',
  noBrands: 'Dieser Schlüssel ist gültig, aber dieser Server hat keine seiner Marken.',
  expired:
    'Sie wurden abgemeldet, weil der Schlüssel abgelaufen ist. Melden Sie sich mit einem anderen Schlüssel an.',
  refused:
    'Sie wurden abgemeldet, weil der Server den Schlüssel nicht mehr annimmt. Vielleicht wurde er widerrufen. Melden Sie sich mit einem anderen Schlüssel an.',
  brandNotAvailable: 'Marke nicht verfügbar',
  readableBrands: 'Dieser Schlüssel kann lesen:',
  anotherKey: 'Mit einem anderen Schlüssel anmelden',
}
