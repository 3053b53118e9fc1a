import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The page of the sources of records, and the notice on Today. */
export const sources = {
  title: 'Sources',
  needsAttention: 'Sources need attention.',
  failingSources: (count: number) => counted(count, 'source is failing', 'sources are failing'),
  unitsSetAside: (count: number) =>
    counted(count, 'unit is in quarantine', 'units are in quarantine'),
  rowsWaiting: (count: number) => counted(count, 'row is in quarantine', 'rows are in quarantine'),
  allWell: (count: number) =>
    count === 1 ? '1 source, which works.' : `${countText(count)} sources, which all work.`,
  noSources:
    'No records come in continuously: no folder is watched, no database is read, and nothing is sent.',
  kinds: { watch: 'Watched folder', sync: 'Database', ingest: 'Requests' },
  states: { idle: 'waiting for data', working: 'working', failing: 'failing' },
  lastSuccess: 'Last success',
  lastFailure: 'Last failure',
  never: 'never',
  lag: 'Lag',
  none: 'none',
  waiting: 'Waiting',
  processed: 'Accepted',
  failed: 'Rejected',
  units: 'Units in quarantine',
  rows: 'Rows in quarantine',
  whyFailing: 'The operator of the server sees why a source is failing:',
  failingCommand: (brand: string) => `selvedge sources --brand ${brand}`,
  quarantinedRows: 'Rows in quarantine',
  rowsMeaning: (rows: number, waiting: number) => {
    const wait = `${counted(rows, 'row waits', 'rows wait')} beside the records`
    if (waiting === 0) return `${wait} until corrected in the source.`
    if (waiting === rows) return `${wait} for a record that has not arrived.`
    return `${wait}, ${countText(waiting)} of them for a record that has not arrived, the others until corrected in the source.`
  },
  group: 'Group',
  allGroups: 'All',
  unreadable: 'without a readable key',
  line: (file: string, line: number) => `${file}, line ${countText(line)}`,
  lineOf: (line: number) => `Line ${countText(line)}`,
  since: (moment: string) => `since ${moment}`,
  waitsFor: (what: string, value: string) => `Waits for: ${what} ${value}`,
  partOf: 'Part of',
  moreRows: 'More rows',
  howToCorrect:
    'The operator can write these rows to files, with their reasons. Correct a file and drop it again; rows of a database are corrected there.',
  rowsCommand: (brand: string) => `selvedge intake rows --brand ${brand} --write corrections`,
  recentUnits: 'Recent units',
  unitsMeaning:
    'Files, requests, rounds of a database and imports: each is stored at once, except for its rows in quarantine.',
  noUnits: 'Nothing came in within the last three days.',
  unit: 'Unit',
  finished: 'Finished',
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
  unitKinds: { batch: 'Request', file: 'File', round: 'Round', import: 'Import' },
  unitStates: { refused: 'refused', quarantined: 'in quarantine' },
  dryRun: 'only checked',
  unitRows: (count: number) => counted(count, 'row in quarantine', 'rows in quarantine'),
  problems: (count: number) => `${counted(count, 'problem', 'problems')}:`,
}
