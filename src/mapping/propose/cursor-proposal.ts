import type { Certainty } from './proposal.ts'
import { wordsOf } from './words.ts'

/** A database column that may be a cursor. */
export interface CursorCandidate {
  readonly name: string
  readonly kind: 'instant' | 'civil' | 'number' | 'flag' | 'json' | 'text'
  readonly isNullable: boolean
  /** Whether the database updates it with every change of the row. */
  readonly isTouched: boolean
}

export interface ProposedCursor {
  readonly column: string
  readonly isTime: boolean
  readonly certainty: Certainty
  readonly note: string
}

/** The column that increases with every change of a row; null if there is none. */
export const proposeCursor = (columns: readonly CursorCandidate[]): ProposedCursor | null => {
  const times = columns.filter(({ kind }) => kind === 'instant' || kind === 'civil')
  const isChange = ({ name }: CursorCandidate) => wordsOf(name).includes('updated')
  const touched = times.find(({ isTouched }) => isTouched)
  if (touched) return { column: touched.name, isTime: true, certainty: 'certain', note: '' }
  // Prefer a time with a zone: it is unambiguous.
  const named = times.filter(isChange)
  const time = named.find(({ kind }) => kind === 'instant') ?? named[0]
  if (time) {
    return {
      ...{ column: time.name, isTime: true },
      certainty: 'likely',
      note: time.isNullable
        ? `if every change sets ${time.name}; rows without it are read every time`
        : `if every change sets ${time.name}`,
    }
  }
  const version = columns.find(({ name, kind }) => kind === 'number' && versionName.test(name))
  return version
    ? {
        ...{ column: version.name, isTime: false, certainty: 'open' },
        note: `if ${version.name} grows with every change in the whole table, and not in each row`,
      }
    : null
}

const versionName = /^(row_?)?ver(sion)?(_?(no|number|id))?$|^change_?(no|number|seq|id)$/i
