import { countText } from '../../locale.ts'
import type { AdminTexts } from '../admin.ts'
import { counted } from '../counted.ts'

const rows = (count: number) => counted(count, 'Zeile', 'Zeilen')

export const upload: AdminTexts['upload'] = {
  title: 'Datei importieren',
  about:
    'Dateien mit Datensätzen in den Spalten der API, oder in Ihren eigenen mit einer Zuordnungsdatei daneben. Gespeichert wird erst, wenn Sie gesehen haben, was sich ändert.',
  noBrand: 'Es gibt noch keine Marke, der die Datensätze gehören könnten.',
  owner: 'Datensätze von',
  shared: 'Allen Marken gemeinsam',
  files: 'Dateien',
  drop: 'Dateien hier ablegen oder auswählen',
  choose: 'Auswählen …',
  chooseFiles: 'Dateien auswählen',
  formats:
    'NDJSON, JSON, CSV, Excel (.xlsx) oder Parquet, jeweils auch mit .gz, bis 1 GiB. Benennen Sie eine Datei nach ihrer Sammlung, etwa orders.csv, oder wählen Sie die Sammlung danach. Eine Zuordnungsdatei (.yaml) gilt für alle anderen.',
  mapping: 'Zuordnung',
  remove: (name) => `${name} entfernen`,
  sending: (name) => `${name} wird gesendet`,
  preview: 'Vorschau',
  collection: 'Sammlung',
  chooseCollection: 'Der Dateiname ist nicht der einer Sammlung. Wählen Sie, was die Zeilen sind.',
  recognised: (count, all) =>
    `${countText(count)} von ${counted(all, 'Spalte', 'Spalten')} erkannt.`,
  unknownColumns: 'Nicht erkannt:',
  unusedColumns: 'Von der Zuordnung nicht benutzt:',
  missing: 'Es fehlen:',
  firstRows: (name) => `Erste Zeilen von ${name}`,
  lineTitle: 'Zeile',
  noProblems: 'Kein Problem gefunden.',
  allChecked: (count) =>
    `${count === 1 ? 'Eine Zeile wurde' : `Alle ${rows(count)} wurden`} geprüft.`,
  firstChecked: (count) => `Die ersten ${rows(count)} wurden geprüft; der Probelauf liest alle.`,
  problems: 'Probleme',
  severities: { error: 'Fehler', warning: 'Warnung' },
  line: (line) => `Zeile ${countText(line)}`,
  column: (column) => `Spalte ${column}`,
  suchProblems: (problems, count) =>
    count > 1 ? `in ${rows(count)}` : `${countText(problems)}-mal`,
  moreProblems: (count) => `und ${count} weitere`,
  problemCount: (errors, warnings) =>
    [
      errors > 0 && counted(errors, 'Problem', 'Probleme'),
      warnings > 0 && counted(warnings, 'Warnung', 'Warnungen'),
    ]
      .filter(Boolean)
      .join(', '),
  choices: 'Wie die Zeilen importiert werden',
  onError: 'Zeilen, die nicht gespeichert werden können,',
  onErrors: {
    refuse: 'verhindern den ganzen Import: alles oder nichts',
    quarantine: 'warten in Quarantäne, die anderen werden gespeichert',
  },
  replace:
    'Die Dateien sind vollständig: gespeicherte Datensätze dieser Sammlungen entfernen, die nicht darin sind',
  allowRemovals: 'Auch wenn das mehr als die Hälfte einer Sammlung entfernt',
  check: 'Probelauf: zeigen, was sich ändert',
  checkAgain: 'Neuer Probelauf',
  import: 'Jetzt importieren',
  discard: 'Dateien verwerfen',
  notReady:
    'Wählen Sie zuerst die Sammlungen, und berichtigen oder entfernen Sie Dateien, die nicht gelesen werden können.',
  another: 'Weitere Datei importieren',
  running: {
    preview: 'Die ersten Zeilen werden gelesen …',
    check: 'Probelauf …',
    import: 'Import läuft …',
  },
  waitingForOthers: 'Ein anderer Import läuft noch …',
  rowsRead: (count) => `${count} Zeilen gelesen.`,
  cancelling: 'Wird abgebrochen …',
  cancelled: 'Abgebrochen. Nichts wurde gespeichert.',
  dryRun: 'Was sich ändern würde',
  done: 'Importiert',
  counts: 'Datensätze nach Sammlung',
  countTitles: {
    ...{ read: 'Gelesen', added: 'Neu', changed: 'Geändert', unchanged: 'Unverändert' },
    ...{ removed: 'Entfernt', held: 'Nicht gespeichert' },
  },
  wouldChange: (count) =>
    count === 0
      ? 'Nichts würde sich ändern: die Datensätze sind schon so gespeichert.'
      : `${counted(count, 'Datensatz würde', 'Datensätze würden')} sich ändern. Noch ist nichts gespeichert.`,
  refused: 'Nichts wurde gespeichert: zuerst müssen die Probleme unten berichtigt werden.',
  imported: (count) =>
    count === 0
      ? 'Nichts hat sich geändert: die Datensätze waren schon so gespeichert.'
      : `${counted(count, 'Datensatz wurde', 'Datensätze wurden')} gespeichert oder entfernt.`,
  waiting: (count) => `${counted(count, 'Zeile ist', 'Zeilen sind')} in Quarantäne.`,
  brokenRules: (count) =>
    `Die Datensätze verletzen ${counted(count, 'Geschäftsregel', 'Geschäftsregeln')}: siehe Prüfungen.`,
  keptMissing: (collection) =>
    `Aus ${collection} wurde nichts entfernt, weil einige Zeilen abgelehnt wurden.`,
  differences: 'Unterschiede',
  firstChanges: (shown, all) =>
    `Die ersten ${countText(shown)} von ${counted(all, 'Änderung', 'Änderungen')}.`,
  record: 'Datensatz',
  change: 'Änderung',
  operations: { added: 'neu', changed: 'geändert', removed: 'entfernt' },
  fields: 'Felder',
}
