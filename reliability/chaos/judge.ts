/** Judges whether everything that was sent has ended as it must. */
import { setTimeout as wait } from 'node:timers/promises'
import type { IntakeSource } from '#intake'
import type { QuarantinedRow } from '#store'
import { naturalId } from '../../src/mapping/natural-id.ts'
import type { Sandbox } from '../../test/support/command.ts'
import { faultFields } from './colours.ts'
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

/** Everything that is not stored once, refused or in quarantine with its reason, or that waits. */
const missesOf = async ({ sandbox, stored }: Place, feeds: readonly Feed[]): Promise<Misses> => {
  const storedColours = await stored()
  const storedSet = new Set(storedColours)
  const misses = new Map<string, string>()
  let good = 0
  for (const { sent, quarantinedFor } of feeds) {
    for (const unit of sent) {
      for (const colour of unit.colours) {
        const { no, fault } = quarantinedFor ? colour : { ...unit, no: colour.no }
        if (fault === null) good += 1
        if (storedSet.has(storedAs(colour)) === (fault === null)) continue
        misses.set(no, `${no} is ${fault ? `stored (${fault})` : 'not stored'}.`)
      }
    }
  }
  if (storedColours.length !== good) {
    misses.set('all', `${storedColours.length} records are stored instead of ${good}.`)
  }
  const others = [
    ...feeds.map((feed) => feed.misses()),
    await waitingSources(sandbox),
    await quarantineMisses(sandbox, feeds),
  ]
  return new Map([...misses, ...others.flatMap((each) => [...each])])
}

/** Bad rows that are not in quarantine with their reasons, and others that are. */
const quarantineMisses = async (sandbox: Sandbox, feeds: readonly Feed[]): Promise<Misses> => {
  const misses = new Map<string, string>()
  const byBrand = Map.groupBy(feeds, ({ quarantinedFor }) => quarantinedFor)
  for (const [brand, ofBrand] of byBrand) {
    if (brand === null) continue
    const rows = await quarantinedRows(sandbox, brand)
    const fields = new Map(
      rows.map(({ key, problems }) => [key?.[0], problems.map(({ field }) => field)]),
    )
    const colours = ofBrand.flatMap(({ sent }) => sent.flatMap((unit) => unit.colours))
    for (const { no, fault } of colours) {
      const id = naturalId(brand, 'colors', [no])
      const own = fields.get(id)
      fields.delete(id)
      const isRight = fault ? own?.includes(faultFields[fault]) : own === undefined
      if (isRight) continue
      const words = own ? `is in quarantine for ${own.join(', ')}` : 'is not in quarantine'
      misses.set(`${no} in quarantine`, `${no} (${fault ?? 'good'}) ${words}.`)
    }
    if (fields.size > 0) {
      misses.set(`others of ${brand}`, `${brand}: ${fields.size} other rows are in quarantine.`)
    }
  }
  return misses
}

const quarantinedRows = async (
  sandbox: Sandbox,
  brand: string,
): Promise<readonly QuarantinedRow[]> => {
  const args = ['intake', 'rows', '--brand', brand, '--limit', '10000', '--json']
  const { code, stdout } = await sandbox.run(args)
  return code === 0 ? JSON.parse(stdout).rows : []
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
