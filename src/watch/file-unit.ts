import { sha256Of } from '#files'
import type { Unit, Units } from '#intake'
import { isUnreadable } from './file-fault.ts'
import type { Inbox, LocalFile } from './inbox.ts'

/** Where a file is among the units: its inbox, its name and, if it can be read, its content. */
export interface FilePlace {
  readonly brand: string
  readonly kind: 'file'
  readonly source: string
  readonly position: string
}

export interface FileContent {
  readonly name: string
  /** Null for a file that cannot be read. */
  readonly sha256: string | null
}

export const filePlace = (
  brand: string,
  inbox: Inbox,
  { name, sha256 }: FileContent,
): FilePlace => ({
  brand,
  kind: 'file',
  source: inbox.name,
  position: sha256 === null ? `${name} unread` : `${name} sha256:${sha256}`,
})

const contentOf = ({ position }: Unit): FileContent | null => {
  const [, name, sha256] = /^(.*) (?:sha256:([0-9a-f]{64})|unread)$/s.exec(position ?? '') ?? []
  return name ? { name, sha256: sha256 ?? null } : null
}

/** The units that are listed at once. */
const listedMax = 1_000

/** The unit of a file in one of the states; null if there is none. */
export const findFileUnit = async (
  units: Units,
  place: FilePlace,
  state: 'waiting' | 'working' | 'quarantined',
): Promise<Unit | null> => {
  const [unit = null] = await units.list({ ...place, state, limit: 1 })
  return unit
}

/** The unit of a file that waits or is worked on; null if there is none. */
export const findOpenUnit = async (units: Units, place: FilePlace): Promise<Unit | null> =>
  (await findFileUnit(units, place, 'waiting')) ?? findFileUnit(units, place, 'working')

/**
 * The place of a file that can be read. If it could not be read before, its unit continues; the one of
 * an earlier file with the name ends.
 */
export const readPlace = async (
  units: Units,
  read: FilePlace,
  unread: FilePlace,
): Promise<FilePlace> => {
  const before = await findFileUnit(units, unread, 'quarantined')
  if (before) await units.discard(before.id, 'A file with its name was read later.')
  return (await findOpenUnit(units, unread)) ? unread : read
}

export interface RetriedFilesParts {
  readonly units: Units
  readonly inbox: Inbox
  readonly owner: string
  /** Receives what is worth a line in the log. */
  readonly onEvent: (sentence: string) => void
}

/**
 * Moves files that an operator has taken out of quarantine from `failed` back to `working`, except
 * those whose names are there. Returns whether there was one. Calls `onLost` with files that are not
 * in `failed` any more.
 */
export const takeBackRetried = async (
  { units, inbox, owner }: Omit<RetriedFilesParts, 'onEvent'>,
  working: ReadonlySet<string>,
  onLost: (name: string, reason: string) => Promise<void>,
): Promise<boolean> => {
  const place = { brand: owner, kind: 'file', source: inbox.name } as const
  const waiting = await units.list({ ...place, state: 'waiting', limit: listedMax })
  let isMoved = false
  for (const unit of waiting) {
    const content = contentOf(unit)
    // A file that was never in quarantine waits in the inbox.
    if (unit.writtenTo === null || !content || working.has(content.name)) continue
    const failedName = await findFailed(inbox, content)
    if (failedName === null) {
      const reason = 'it is not in failed/ any more: drop it again'
      await units.finish(unit, 'refused', `${content.name}: ${reason}`)
      await onLost(content.name, reason)
      continue
    }
    await inbox.takeBack(failedName, content.name)
    isMoved = true
  }
  return isMoved
}

/**
 * Ends open units whose files are not in `working` any more, so that they do not count as waiting for
 * ever. Call it while no file is being taken.
 */
export const endLostFiles = async (
  { units, inbox, owner, onEvent }: RetriedFilesParts,
  working: ReadonlySet<string>,
): Promise<void> => {
  const place = { brand: owner, kind: 'file', source: inbox.name } as const
  for (const state of ['working', 'waiting'] as const) {
    for (const unit of await units.list({ ...place, state, limit: listedMax })) {
      const name = contentOf(unit)?.name ?? ''
      // One that an operator has retried just now is in `failed`, and is taken back next.
      const isRetried = state === 'waiting' && unit.writtenTo !== null
      if (working.has(name) || isRetried) continue
      const reason = `Its file is gone: ${name} is not in working/ any more. Drop it again.`
      onEvent(reason)
      await units.finish(unit, 'refused', reason)
    }
  }
}

/** The name in `failed` of a file with this content; the last one if the content is not known. */
const findFailed = async (inbox: Inbox, { name, sha256 }: FileContent): Promise<string | null> => {
  const names = await inbox.failedNames(name)
  if (sha256 === null) return names.at(-1) ?? null
  for (const each of names) {
    if ((await failedSha256(inbox, each)) === sha256) return each
  }
  return null
}

/** Null if the file is gone or cannot be read. */
const failedSha256 = async (inbox: Inbox, name: string): Promise<string | null> => {
  let file: LocalFile | null = null
  try {
    file = await inbox.open(name, 'failed')
    return file && (await sha256Of(file.descriptor))
  } catch (error) {
    if (isUnreadable(error)) return null
    throw error
  } finally {
    await file?.close()
  }
}
