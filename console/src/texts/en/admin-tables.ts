import { countText } from '../../locale.ts'

/** Tables, filters, forms and dialogs of every operator page. */
export const tables = {
  more: 'Show more',
  filters: 'Filters',
  all: 'All',
  apply: 'Apply',
  reset: 'Clear filters',
  nothingFound: 'Nothing matches these filters.',
  refresh: 'Refresh',
  cancel: 'Cancel',
  close: 'Close',
  working: 'Working …',
  typeToConfirm: (text: string) => `Type \`${text}\` to confirm`,
  brand: 'Brand',
  actionsOf: (name: string) => `Actions: ${name}`,
  details: 'Details',
  hideDetails: 'Hide',
  find: 'Find',
  chosen: (count: number) => `${countText(count)} chosen`,
  never: 'never',
  none: 'none',
  nothing: 'nothing',
  yes: 'yes',
  no: 'no',
}
