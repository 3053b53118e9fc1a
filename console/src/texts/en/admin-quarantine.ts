import { counted } from '../counted.ts'

/** Rows that cannot be stored now. */
export const quarantine = {
  title: 'Quarantine',
  about:
    'Rows that cannot be stored now. They wait beside the records until they are corrected, or until the record arrives that they refer to.',
  noRows: 'No rows are in quarantine.',
  bySource: 'By source and group',
  source: 'Source',
  byCommand: 'Imported by command',
  group: 'Group',
  rows: 'Rows',
  waiting: 'Waiting for a record',
  shownRows: (rows: number) => counted(rows, 'row', 'rows'),
  noReason: 'Without a reason',
  cells: 'Row as received',
  moreCells: 'The row has more cells. The correction file has all of them.',
  noCells: 'The row was too long to keep, or could not be split into cells.',
  triedAt: (moment: string) => `last tried ${moment}`,
  discardRow: 'Discard',
  discardRowTitle: 'Discard this row?',
  discardThese: (rows: number) => `Discard ${counted(rows, 'row', 'rows')}`,
  discardTheseTitle: (rows: number) => `Discard ${counted(rows, 'row', 'rows')}?`,
  discardMeaning:
    'Discarded rows are deleted. They come in again only if their source sends them again. This cannot be undone.',
  discarded: (rows: number) => `${counted(rows, 'row is', 'rows are')} discarded.`,
  corrections: 'Correction files',
  correctionsMeaning:
    'These files have the rows above as they were received, with the reason of each. Leave the column selvedge_row as it is.',
  makeFiles: 'List the files',
  file: 'File',
  correctIt: 'How to settle the rows',
  remedies: {
    import:
      'Correct the file, and drop it into the watched folder or import it with the same mapping.',
    database:
      'Correct the rows in the source database: the next round settles them. The file is for reading.',
    sender: 'Send the corrected rows again. The file is for reading.',
  },
  unreadableRows: (rows: number) =>
    `${counted(rows, 'row is', 'rows are')} in no file: too long, or not split into cells. Correct them in the source.`,
}
