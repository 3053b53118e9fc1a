import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

export const audit: AdminTexts['audit'] = {
  title: 'Protokoll',
  about:
    'Wer was geändert hat, das Neueste zuerst. Einträge sind verkettet, damit sich eine Änderung des Protokolls zeigt.',
  empty: 'Das Protokoll hat keine Einträge.',
  since: 'Erster Tag',
  until: 'Letzter Tag',
  action: 'Aktion',
  at: 'Zeit',
  actor: 'Wer',
  actorKinds: { operator: 'Betreiber', user: 'Benutzer des Systems', key: 'Schlüssel' },
  subject: 'Gegenstand',
  number: 'Eintrag',
  program: 'Programm',
  user: 'Benutzer und Rechner',
  userAt: (user, host) => `${user} auf ${host}`,
  verify: 'Protokoll prüfen',
  verifyNow: 'Prüfen',
  verifyAbout:
    'Liest das ganze Protokoll und prüft, ob kein Eintrag geändert, entfernt oder hinzugefügt wurde. Das kann dauern.',
  expected: 'Kopf einer früheren Prüfung',
  expectedNote: 'Freiwillig, als <Nummer>:<Hash>. Er muss noch im Protokoll sein.',
  verified: (entries) =>
    `${counted(entries, 'Eintrag ist', 'Einträge sind')} in Ordnung. Der Kopf des Protokolls ist:`,
  keepHead:
    'Bewahren Sie den Kopf an einem anderen Ort auf. Eine spätere Prüfung mit ihm zeigt, ob das Ende des Protokolls abgeschnitten wurde.',
  broken: (number) => `Eintrag ${number} ist falsch:`,
}
