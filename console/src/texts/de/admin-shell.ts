import type { AdminTexts } from '../admin.ts'

export const shell: AdminTexts['shell'] = {
  title: 'Betriebsseite',
  sections: { access: 'Zugang', records: 'Datensätze', installation: 'Installation' },
  signedInAs: (operator) => `Angemeldet als ${operator}`,
  console: 'Konsole',
  settings: 'Einstellungen',
  signOut: 'Abmelden',
  signingIn: 'Anmeldung läuft …',
  signedOutTitle: 'Anmelden',
  signedOut:
    'Diese Seite ist für Betreiber der Installation. Melden Sie sich mit einem Link aus dem Terminal des Servers an:',
  signInCommand: 'selvedge admin --as <name>',
  linkNote:
    'Der Link gilt einmal und 10 Minuten lang. Ihr Name steht im Protokoll bei allem, was Sie ändern.',
  ended: 'Die Sitzung ist beendet. Melden Sie sich mit einem neuen Link an.',
  linkUsed: 'Dieser Link wurde schon benutzt oder ist abgelaufen.',
  left: 'Sie sind abgemeldet.',
  reload: 'Ich bin schon angemeldet',
  noPage: 'Diese Seite gibt es nicht. Wählen Sie in der Navigation eine andere.',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  release: (release, engine) => `Selvedge ${release} mit ${engine}`,
}
