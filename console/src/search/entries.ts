import { foldText } from '../../../src/contract/index.ts'

/** A target or an action of the search dialog. */
export type Entry = {
  /** Unique in the dialog. */
  key: string
  title: string
  /** The kind of entry, if its section does not say it. */
  aside: string
  /** The URL; null for an action. */
  link: string | null
  /** The action, if there is no link. */
  run: (() => void) | null
  status: string | null
  /** The matching field and its value, if the match is not in the title. */
  matched: { label: string; value: string } | null
}

export type Section = { key: string; title: string; entries: readonly Entry[] }

type EntryParts = Pick<Entry, 'key' | 'title'> & Partial<Entry>

export const entryOf = (parts: EntryParts): Entry => ({
  aside: '',
  link: null,
  run: null,
  status: null,
  matched: null,
  ...parts,
})

/**
 * How an entry matches a text: 0 if it starts with the text, 1 if each word of the text starts a
 * word of the entry.
 */
export const fitOf = (title: string, text: string): 0 | 1 | null => {
  const name = foldText(title)
  const wanted = foldText(text)
  if (name.startsWith(wanted)) return 0
  const words = name.split(/[^\p{L}\p{N}]+/u)
  const all = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const fits = all.length > 0 && all.every((each) => words.some((word) => word.startsWith(each)))
  return fits ? 1 : null
}

/** The entries that match a text in the given way, in their order. */
export const fitting = (
  entries: readonly Entry[],
  text: string,
  fit: 0 | 1,
  max: number,
): readonly Entry[] => entries.filter(({ title }) => fitOf(title, text) === fit).slice(0, max)

/** Sections with entries, and all their entries in display order. */
export const shownOf = (
  sections: readonly Section[],
): { sections: readonly Section[]; entries: readonly Entry[] } => {
  const filled = sections.filter(({ entries }) => entries.length > 0)
  return { sections: filled, entries: filled.flatMap(({ entries }) => entries) }
}
