import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The global search. */
export const search = {
  title: 'Search',
  close: 'Close the search',
  placeholder: 'Order, invoice, SKU, supplier, tracking or container number …',
  results: 'Results',
  recent: 'Recently opened',
  places: 'Go to',
  alsoPlaces: 'Groups and views',
  actions: 'Actions',
  view: 'View',
  brandView: 'View of the brand',
  savedView: 'Saved view',
  copyLink: 'Copy the link to this page',
  useTheme: (theme: string) => `Color theme: ${theme}`,
  useLanguage: { en: 'Switch to English', de: 'Auf Deutsch umstellen' },
  keySelect: 'select',
  keyOpen: 'open',
  keyControl: 'Ctrl',
  keyNewTab: 'new tab',
  hint: 'Type at least two characters.',
  searching: 'Searching …',
  nothing: (text: string) => `Nothing matches “${text}”. Try part of a number or of a name.`,
  noneClose: (text: string) =>
    `None of the records closest to “${text}” matches all of it. Try fewer words, a number or a name.`,
  count: (count: number) => counted(count, 'result', 'results'),
  incomplete: (count: number) =>
    `The best ${countText(count)} of more results. Type more, or add a word, to narrow the search.`,
}
