/** Judges whether everything that was sent has ended as it must. */
import { setTimeout as wait } from 'node:timers/promises'
import type { IntakeSource } from '#intake'
import type { Sandbox } from '../../test/support/command.ts'
import { type Place, storedAs } from './place.ts'
import type { Feed } from './sources.ts'

/** Sentences about what has not ended as it must, by what they are about. */
export type Misses = ReadonlyMap<string, string>

/** How long everything may take to settle. */
const settleMs = 600_000

/**
 * Waits until all units are stored or refused. Returns what has not ended as it must by then. A round
 * of a sync in progress hides for a moment what the last one has reported, so that everything has to
 * be right once.
 */
export const settle = async (place: Place, feeds: readonly Feed[]): Promise<Misses> => {
  const until = performance.now() + settleMs
  let left = await missesOf(place, feeds)
  while (left.size > 0 && performance.now() < until) {
    await wait(500)
    const now = await missesOf(place, feeds)
    left = new Map([...now].filter(([what]) => left.has(what)))
  }
  return left
}

/** Everything that is not stored once or refused with its reason, or that waits. */
const missesOf = async ({ sandbox, stored }: Place, feeds: readonly Feed[]): Promise<Misses> => {
  const storedColours = await stored()
  const storedSet = new Set(storedColours)
  const sent = feeds.flatMap((feed) => feed.sent)
  const good = sent.filter(({ fault }) => fault === null).flatMap(({ colours }) => colours)
  const misses = new Map<string, string>()
  for (const { name, colours, fault } of sent) {
    const isWrong = colours.some((colour) => storedSet.has(storedAs(colour)) !== (fault === null))
    if (isWrong) misses.set(name, `${name} is ${fault ? `stored (${fault})` : 'not stored'}.`)
  }
  if (storedColours.length !== good.length) {
    misses.set('all', `${storedColours.length} records are stored instead of ${good.length}.`)
  }
  const others = [...feeds.map((feed) => feed.misses()), await waitingSources(sandbox)]
  return new Map([...misses, ...others.flatMap((each) => [...each])])
}

/** The sources with units that wait or are in quarantine. */
export const waitingSources = async (sandbox: Sandbox): Promise<Misses> => {
  const sources = await listed<IntakeSource>(sandbox, ['sources', '--json'])
  const open = sources.filter(({ waiting, quarantined }) => waiting + quarantined > 0)
  return new Map(
    open.map(({ brand, kind, name, waiting, quarantined }) => [
      `${brand} ${kind}`,
      `${brand}: ${waiting} units of ${kind} ${name} wait, ${quarantined} are in quarantine.`,
    ]),
  )
}

/** What a command lists. Nothing, if the database is busy. */
export const listed = async <T>(
  sandbox: Sandbox,
  args: readonly string[],
): Promise<readonly T[]> => {
  const { code, stdout } = await sandbox.run(args)
  return code === 0 ? JSON.parse(stdout) : []
}
