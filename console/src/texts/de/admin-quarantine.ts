import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

export const quarantine: AdminTexts['quarantine'] = {
  title: 'Quarantäne',
  about:
    'Zeilen, die jetzt nicht gespeichert werden können. Sie warten neben den Datensätzen, bis sie korrigiert sind oder der Datensatz ankommt, auf den sie verweisen.',
  noRows: 'Keine Zeilen sind in Quarantäne.',
  bySource: 'Nach Quelle und Gruppe',
  source: 'Quelle',
  byCommand: 'Mit einem Befehl importiert',
  group: 'Gruppe',
  rows: 'Zeilen',
  waiting: 'Warten auf einen Datensatz',
  shownRows: (rows) => counted(rows, 'Zeile', 'Zeilen'),
  noReason: 'Ohne Grund',
  cells: 'Zeile, wie sie ankam',
  moreCells: 'Die Zeile hat mehr Zellen. Die Korrekturdatei enthält alle.',
  noCells: 'Die Zeile war zu lang oder ließ sich nicht in Zellen teilen.',
  triedAt: (moment) => `zuletzt versucht ${moment}`,
  discardRow: 'Verwerfen',
  discardRowTitle: 'Diese Zeile verwerfen?',
  discardThese: (rows) => `${counted(rows, 'Zeile', 'Zeilen')} verwerfen`,
  discardTheseTitle: (rows) => `${counted(rows, 'Zeile', 'Zeilen')} verwerfen?`,
  discardMeaning:
    'Verworfene Zeilen werden gelöscht. Sie kommen nur wieder herein, wenn ihre Quelle sie erneut sendet. Das lässt sich nicht rückgängig machen.',
  discarded: (rows) => `${counted(rows, 'Zeile ist', 'Zeilen sind')} verworfen.`,
  corrections: 'Korrekturdateien',
  correctionsMeaning:
    'Diese Dateien enthalten die Zeilen oben, wie sie ankamen, jede mit ihrem Grund. Lassen Sie die Spalte selvedge_row unverändert.',
  makeFiles: 'Dateien auflisten',
  file: 'Datei',
  correctIt: 'Wie die Zeilen erledigt werden',
  remedies: {
    import:
      'Korrigieren Sie die Datei und legen Sie sie in den überwachten Ordner, oder importieren Sie sie mit derselben Zuordnung.',
    database:
      'Korrigieren Sie die Zeilen in der Quelldatenbank: Der nächste Durchgang erledigt sie. Die Datei ist zum Lesen.',
    sender: 'Senden Sie die korrigierten Zeilen erneut. Die Datei ist zum Lesen.',
  },
  unreadableRows: (rows) =>
    `${counted(rows, 'Zeile ist', 'Zeilen sind')} in keiner Datei: zu lang oder nicht in Zellen geteilt. Korrigieren Sie sie in der Quelle.`,
}
