import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The frame of every page. */
export const shell = {
  skip: 'Skip to content',
  brand: 'Brand',
  menu: 'Menu',
  menuStale: 'Menu (records are not up to date)',
  settings: 'Settings and help',
  navigation: 'Pages',
  manuals: 'Manuals',
  keyboard: 'Keyboard shortcuts',
  signOut: 'Sign out',
  search: 'Search',
  searchField: 'Search numbers, names, SKUs …',
  today: 'Today',
  products: 'Products',
  allGroups: 'All groups',
  brandViews: 'Views of the brand',
  savedViews: 'Saved views',
  groups: (count: number) => counted(count, 'group', 'groups'),
  connections: (count: number) => counted(count, 'connection table', 'connection tables'),
  records: (count: number) => counted(count, 'record', 'records'),
  recordsWord: (count: number): string => (count === 1 ? 'record' : 'records'),
  asOf: (when: string) => `Records as of ${when}`,
  lastImport: (changed: number) => `last import: ${countText(changed)} changed`,
  confirmed: (moment: string) => `The records were last imported or changed on ${moment}.`,
  importChanged: (changed: number) =>
    `The last import changed ${counted(changed, 'record', 'records')}.`,
  stale: (hours: number, limit: number) =>
    `That was ${counted(hours, 'hour', 'hours')} ago, more than the ${countText(limit)} hours within which a nightly import should have run. Check the import.`,
  whenStale: (limit: number) =>
    `This turns amber when nothing was imported for ${countText(limit)} hours.`,
  help: {
    title: 'Keyboard shortcuts',
    search: 'Search records, groups, views and actions',
    show: 'Show this help',
    cells: 'Move between the cells of a table',
    ends: 'Go to the first or last column',
    enter: 'Follow the reference in the cell, or open the record',
    copyCell: 'Copy the cell',
    rows: 'Next and previous row of a list',
    select: 'Select the row, with Shift all rows since the last one',
    copyRow: 'Copy the row as JSON',
    pages: 'Next and previous page of a list',
    newTab: 'Open a search result in a new tab',
    escape: 'Close the open dialog or menu',
    about:
      'The console shows what your key can read, and nothing else. The address of a page holds the brand, the group, the filters and the record: send it to somebody who has a key, and they see the same.',
  },
}
