import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

const rows = (count: number) => counted(count, 'row', 'rows')

/** Files that become records. */
export const upload = {
  title: 'Import a file',
  about:
    'Files with records in the columns of the API, or in yours with a mapping file beside them. Nothing is stored before you have seen what would change.',
  noBrand: 'There is no brand yet that the records could belong to.',
  owner: 'Records of',
  shared: 'Shared by all brands',
  files: 'Files',
  drop: 'Drop files here, or choose them',
  choose: 'Choose …',
  chooseFiles: 'Choose files',
  formats:
    'NDJSON, JSON, CSV, Excel (.xlsx) or Parquet, each also with .gz, of up to 1 GiB. Name a file after its collection, such as orders.csv, or choose the collection afterwards. A mapping file (.yaml) applies to all others.',
  mapping: 'mapping',
  remove: (name: string) => `Remove ${name}`,
  sending: (name: string) => `Sending ${name}`,
  preview: 'Preview',
  collection: 'Collection',
  chooseCollection: 'The name of the file is not that of a collection. Choose what its rows are.',
  recognised: (count: number, all: number) =>
    `${countText(count)} of ${counted(all, 'column is', 'columns are')} recognised.`,
  unknownColumns: 'Not recognised:',
  unusedColumns: 'Not used by the mapping:',
  missing: 'Missing:',
  firstRows: (name: string) => `First rows of ${name}`,
  lineTitle: 'Line',
  noProblems: 'No problem found.',
  allChecked: (count: number) => `All ${rows(count)} were looked at.`,
  firstChecked: (count: number) =>
    `The first ${rows(count)} were looked at; the dry run reads all of them.`,
  problems: 'Problems',
  severities: { error: 'Error', warning: 'Warning' },
  line: (line: number) => `line ${countText(line)}`,
  column: (column: string) => `column ${column}`,
  suchProblems: (problems: number, count: number) =>
    count > 1 ? `in ${rows(count)}` : `${countText(problems)} times`,
  moreProblems: (count: string) => `and ${count} more`,
  problemCount: (errors: number, warnings: number) =>
    [
      errors > 0 && counted(errors, 'problem', 'problems'),
      warnings > 0 && counted(warnings, 'warning', 'warnings'),
    ]
      .filter(Boolean)
      .join(', '),
  choices: 'How the rows are imported',
  onError: 'Rows that cannot be stored',
  onErrors: {
    refuse: 'refuse the whole import: all or nothing',
    quarantine: 'wait in quarantine, while the others are stored',
  },
  replace:
    'The files are complete: remove stored records of these collections that are not in them',
  allowRemovals: 'Also if that removes more than half of a collection',
  check: 'Dry run: show what would change',
  checkAgain: 'Dry run again',
  import: 'Import now',
  discard: 'Discard the files',
  notReady: 'First choose the collections, and correct or remove files that cannot be read.',
  another: 'Import another file',
  running: {
    preview: 'Reading the first rows …',
    check: 'Dry run …',
    import: 'Importing …',
  },
  waitingForOthers: 'Waiting for another import to end …',
  rowsRead: (count: string) => `${count} rows read.`,
  cancelling: 'Cancelling …',
  cancelled: 'Cancelled. Nothing was stored.',
  dryRun: 'What would change',
  done: 'Imported',
  counts: 'Records by collection',
  countTitles: {
    ...{ read: 'Read', added: 'New', changed: 'Changed', unchanged: 'Unchanged' },
    ...{ removed: 'Removed', held: 'Not stored' },
  },
  wouldChange: (count: number) =>
    count === 0
      ? 'Nothing would change: the records are stored like this already.'
      : `${counted(count, 'record', 'records')} would change. Nothing is stored yet.`,
  refused: 'Nothing was stored: the problems below must be corrected first.',
  imported: (count: number) =>
    count === 0
      ? 'Nothing has changed: the records were stored like this already.'
      : `${counted(count, 'record is', 'records are')} stored or removed.`,
  waiting: (count: number) => `${counted(count, 'row is', 'rows are')} in quarantine.`,
  brokenRules: (count: number) =>
    `The records break ${counted(count, 'business rule', 'business rules')}: see the checks.`,
  keptMissing: (collection: string) =>
    `Nothing was removed from ${collection}, because some of its rows were refused.`,
  differences: 'Differences',
  firstChanges: (shown: number, all: number) =>
    `The first ${countText(shown)} of ${counted(all, 'change', 'changes')}.`,
  record: 'Record',
  change: 'Change',
  operations: { added: 'new', changed: 'changed', removed: 'removed' },
  fields: 'Fields',
}
