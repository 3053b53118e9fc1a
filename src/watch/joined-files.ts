import { basename, dirname } from 'node:path'
import type { ObservedFile } from './completeness.ts'
import { type FileOrder, inSets } from './file-order.ts'

/** A file whose rows are joined to those of another one, and where it is now. */
export interface JoinedFile {
  readonly name: string
  /** The folder below the inbox; empty for the inbox itself. */
  readonly folder: string
  /** Its name there. */
  readonly nameThere: string
}

/** The joined files of one that is to be taken. */
export interface FoundFiles {
  readonly files: readonly JoinedFile[]
  /** Whether one of them is missing, which may come yet. */
  readonly isMissing: boolean
  /** Whether one of them may still be written: it would give false values. */
  readonly isIncomplete: boolean
}

export interface JoinedFilesParts extends FileOrder {
  /** The files that are joined to a file: whether a name is one of each kind, which needs one. */
  readonly joinedTo: (name: string) => readonly ((name: string) => boolean)[]
}

/**
 * Finds the files that are joined to others, of the same set: they wait, or this process has imported
 * them a moment ago. Files of an earlier set would give false values.
 */
export interface JoinedFiles {
  /** `waiting` are the files in the inbox, `working` those that are taken. */
  find(
    observed: ObservedFile,
    waiting: readonly ObservedFile[],
    working: readonly ObservedFile[],
  ): FoundFiles
  /** Remembers where a file of `waiting` or `working` was moved to. */
  moved(observed: ObservedFile, movedTo: string): void
}

/** Moved files whose places are known: more than a set has. */
const cachedMax = 1_000

export const createJoinedFiles = ({ joinedTo, ...order }: JoinedFilesParts): JoinedFiles => {
  const done = new Map<string, { readonly observed: ObservedFile; readonly movedTo: string }>()
  return {
    find: (observed, waiting, working) => {
      const { name } = observed.file
      const wanted = joinedTo(name)
      if (wanted.length === 0) return { files: [], isMissing: false, isIncomplete: false }
      const there = new Map<string, ObservedFile>()
      for (const [each, { observed: file }] of done) there.set(each, file)
      for (const each of [...working, ...waiting, observed]) there.set(each.file.name, each)
      const sets = inSets([...there.values()], order)
      const set = sets.find((each) => each.includes(observed)) ?? []
      const waits = new Set(waiting)
      const atWork = new Set(working)
      const placeOf = (each: ObservedFile): JoinedFile => {
        const own = each.file.name
        if (waits.has(each)) return { name: own, folder: '', nameThere: own }
        const movedTo = atWork.has(each) ? `working/${own}` : (done.get(own)?.movedTo ?? '')
        return { name: own, folder: dirname(movedTo), nameThere: basename(movedTo) }
      }
      let [isMissing, isIncomplete] = [false, false]
      const files = new Map<string, JoinedFile>()
      for (const isWanted of wanted) {
        const own = set.filter(({ file }) => isWanted(file.name))
        isMissing ||= own.length === 0
        for (const each of own) {
          isIncomplete ||= waits.has(each) && each.completeSince === null
          if (each !== observed) files.set(each.file.name, placeOf(each))
        }
      }
      return { files: [...files.values()], isMissing, isIncomplete }
    },
    moved: (observed, movedTo) => {
      done.delete(observed.file.name)
      done.set(observed.file.name, { observed, movedTo })
      const [oldest] = done.keys()
      if (done.size > cachedMax && oldest !== undefined) done.delete(oldest)
    },
  }
}
