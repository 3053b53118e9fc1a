import { foldText } from '../../../src/contract/index.ts'

/** Something that the search dialog can open or do. */
export type Entry = {
  /** Unique in the dialog. */
  key: string
  title: string
  /** What it is, where its section does not say so. */
  aside: string
  /** Where it leads; null for an action. */
  link: string | null
  /** What it does instead. */
  run: (() => void) | null
  status: string | null
  /** The field that matched and its value, where that is not the title. */
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

/** How well an entry fits a text: 0 if it starts with it, 1 if each word starts one of its words. */
export const fitOf = (title: string, text: string): 0 | 1 | null => {
  const name = foldText(title)
  const wanted = foldText(text)
  if (name.startsWith(wanted)) return 0
  const words = name.split(/[^\p{L}\p{N}]+/u)
  const all = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const fits = all.length > 0 && all.every((each) => words.some((word) => word.startsWith(each)))
  return fits ? 1 : null
}

/** The entries that fit a text in one of two ways, in their order. */
export const fitting = (
  entries: readonly Entry[],
  text: string,
  fit: 0 | 1,
  max: number,
): readonly Entry[] => entries.filter(({ title }) => fitOf(title, text) === fit).slice(0, max)

/** Sections with entries, and all these entries in the order they are shown. */
export const shownOf = (
  sections: readonly Section[],
): { sections: readonly Section[]; entries: readonly Entry[] } => {
  const filled = sections.filter(({ entries }) => entries.length > 0)
  return { sections: filled, entries: filled.flatMap(({ entries }) => entries) }
}
