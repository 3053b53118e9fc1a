import type { ObservedFile } from './completeness.ts'
import { timeInName } from './file-name.ts'

/** What the name of a file says of its records. */
export interface FileSubject {
  /** The collections of its records. */
  readonly collections: readonly string[]
  /** The collections that its records refer to. */
  readonly refersTo: readonly string[]
  /** The place among files that refer to each other. */
  readonly rank: number
}

export interface FileOrder {
  readonly subjectOf: (name: string) => FileSubject
  /** Files are one set if the times in their names are at most this far apart. */
  readonly settleMs: number
}

/** Files without a time in their names are one set unless none came for so long. */
const pauseMs = 600_000

interface TimedFile {
  readonly observed: ObservedFile
  /** Null without one. */
  readonly nameTime: number | null
  /** The time in its name, or the time when it came. */
  readonly time: number
}

/** The order in which files are taken: that of their sets, and in a set that of references. */
export const inFileOrder = (
  files: readonly ObservedFile[],
  order: FileOrder,
): readonly ObservedFile[] => inSets(files, order).flat()

/**
 * The sets of files by their times; in a set, each file after those that it refers to, and files of
 * the same collections by their times.
 */
export const inSets = (
  files: readonly ObservedFile[],
  { subjectOf, settleMs }: FileOrder,
): readonly (readonly ObservedFile[])[] => {
  const timed = files.map(timedFile).sort((one, other) => one.time - other.time)
  const sets: TimedFile[][] = []
  let last: TimedFile | undefined
  for (const file of timed) {
    const gapMs = last ? file.time - last.time : Number.POSITIVE_INFINITY
    const isSameKind = (last?.nameTime === null) === (file.nameTime === null)
    const isNext = isSameKind && gapMs <= (file.nameTime === null ? pauseMs : settleMs)
    if (isNext) sets.at(-1)?.push(file)
    else sets.push([file])
    last = file
  }
  return sets.map((set) => inReferenceOrder(set, subjectOf).map(({ observed }) => observed))
}

/** A file that is copied keeps the time of its last change, but not that of its arrival. */
const timedFile = (observed: ObservedFile): TimedFile => {
  const { name, modifiedMs, touchedMs } = observed.file
  const nameTime = timeInName(name)
  return { observed, nameTime, time: nameTime ?? touchedMs ?? modifiedMs }
}

const inReferenceOrder = (
  set: readonly TimedFile[],
  subjectOf: FileOrder['subjectOf'],
): readonly TimedFile[] => {
  if (set.length < 2) return set
  const subjects = new Map<string, FileSubject>()
  const keyed = set.map((file) => {
    const subject = subjectOf(file.observed.file.name)
    const key = JSON.stringify(subject)
    subjects.set(key, subject)
    return { file, key }
  })
  const places = new Map(inSubjectOrder(subjects).map((key, place) => [key, place]))
  const order = ({ file, key }: (typeof keyed)[number]) => [
    places.get(key) ?? 0,
    file.nameTime ?? file.observed.file.modifiedMs,
    file.observed.file.name,
  ]
  return keyed
    .map((each) => ({ ...each, order: order(each) }))
    .sort((one, other) => compare(one.order, other.order))
    .map(({ file }) => file)
}

/** The keys of subjects, each after those that it refers to; in a circle, the lowest rank first. */
const inSubjectOrder = (subjects: ReadonlyMap<string, FileSubject>): readonly string[] => {
  const placed: string[] = []
  let waiting = [...subjects].sort(([, one], [, other]) => one.rank - other.rank)
  const refers = ([key, { refersTo }]: (typeof waiting)[number]) =>
    waiting.some(
      ([other, { collections }]) =>
        other !== key && collections.some((each) => refersTo.includes(each)),
    )
  while (waiting.length > 0) {
    const [key = ''] = waiting.find((each) => !refers(each)) ?? waiting[0] ?? []
    placed.push(key)
    waiting = waiting.filter(([other]) => other !== key)
  }
  return placed
}

const compare = (
  one: readonly (number | string)[],
  other: readonly (number | string)[],
): number => {
  for (const [index, part] of one.entries()) {
    const otherPart = other[index] as number | string
    if (part < otherPart) return -1
    if (part > otherPart) return 1
  }
  return 0
}
