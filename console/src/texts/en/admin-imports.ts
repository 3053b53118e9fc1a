import { countText } from '../../locale.ts'

/** Stored units and their differences. */
export const imports = {
  title: 'Imports',
  about: 'What came in, and what it changed: the latest units that have ended, kept for some days.',
  noImports: 'Nothing has been imported yet.',
  problems: 'Problems',
  differences: 'Differences',
  firstOnly: (shown: number) => `The first ${countText(shown)} records. It changed more.`,
  notKept:
    'Which records it changed is not kept. Files and imports keep their first changes; with CHANGE_FEED=on, all units list the records that they stored.',
  noDifferences: 'No record differs.',
  operations: { added: 'added', changed: 'changed', removed: 'removed', stored: 'stored' },
  storedMeaning:
    '“stored” stands for added or changed: what these records were before is not kept.',
  wouldMeaning: 'This unit was only checked: these are the changes that it would make.',
  operation: 'Change',
  fields: 'Fields',
  unit: 'Show the unit',
}
