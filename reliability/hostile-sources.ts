import { openSandbox } from '../test/support/command.ts'
import {
  type HostileSource,
  hostileSources,
  mapping,
  openHostileSource,
  silentAfter,
} from '../test/support/hostile-sources.ts'
import { check } from './check.ts'
import { peakOf } from './hostile-servers.ts'

interface Size {
  /** Every so many sources of the list are tried. */
  readonly step: number
  /** Concurrent commands. */
  readonly atOnce: number
  readonly secondsMax: number
  readonly memoryMaxMb: number
}

/** The limits of a batch, of connecting and of a round follow from it. */
const timeout = '1s'

export default check<Size>({
  id: 'R28',
  claim:
    'No database that sync reads from can hold it, take its memory, or keep others from writing.',
  target: `Each source of a list (silence at every stage, rows that drip or have no end, a row of a gigabyte, wrong rows, a login error on an open connection) ends the round of a sync with --timeout ${timeout}, with an error that names the reason: within 60 s, with at most 256 MB of memory, without a stack or the password in the output; and another brand is written meanwhile (SQLite).`,
  sizes: {
    short: { step: 4, atOnce: 3, secondsMax: 300, memoryMaxMb: Infinity },
    full: { step: 1, atOnce: 1, secondsMax: 60, memoryMaxMb: 256 },
  },
  try: async (size, { log }) => {
    const silence = Promise.withResolvers<void>()
    const inRound = silentAfter(12, silence.resolve)
    const sources = [inRound, ...hostileSources.filter((_, index) => index % size.step === 0)]
    const misses: string[] = []
    let [longestSeconds, mostMb, writes] = [0, 0, 0]
    const tryOne = async (source: HostileSource) => {
      const ran = await runSync(source, source === inRound ? silence.promise : Promise.resolve())
      const name = `sync from ${source.engine} with ${source.name}`
      log(`${name}: ${ran.seconds.toFixed(1)} s, ${ran.peakMb} MB`)
      longestSeconds = Math.max(longestSeconds, ran.seconds)
      mostMb = Math.max(mostMb, ran.peakMb)
      writes += ran.hasWritten ? 1 : 0
      misses.push(...wrongWith(source, ran, size).map((each) => `${name} ${each}`))
    }
    const waiting = sources.values()
    const runner = async () => {
      for (const source of waiting) await tryOne(source)
    }
    await Promise.all(Array.from({ length: size.atOnce }, runner))
    return {
      measured: `${sources.length} kinds of sources of PostgreSQL and MySQL, with a timeout of ${timeout}: the longest round took ${longestSeconds.toFixed(1)} s, the largest used ${mostMb} MB of memory; another brand was written in ${writes} of ${sources.length} rounds.`,
      counts: {
        sources: sources.length,
        writes,
        longestMs: Math.round(longestSeconds * 1_000),
        peakMb: mostMb,
      },
      misses,
    }
  },
})

interface Ran {
  readonly printed: string
  readonly seconds: number
  readonly peakMb: number
  /** Whether another brand was written during the round. */
  readonly hasWritten: boolean
}

/** Runs one round, and writes another brand as soon as the source is where it should be. */
const runSync = async (source: HostileSource, isReached: Promise<void>): Promise<Ran> => {
  const place = openSandbox()
  const open = await openHostileSource(source)
  try {
    place.put({ 'shop.map.yaml': mapping })
    const addBrand = (slug: string) => place.start(['brands', 'add', slug, '--name', slug]).ended
    await addBrand('halden')
    const began = performance.now()
    const args = ['sync', '--map', 'shop.map.yaml', '--timeout', timeout]
    const { child, ended, said } = place.start(args, { SOURCE_URL: open.url })
    let peakMb = 0
    const looking = setInterval(() => {
      peakMb = Math.max(peakMb, peakOf(child))
    }, 20)
    // It is tried again, or has ended.
    const round = said('Trying again').then(() => (performance.now() - began) / 1_000)
    await Promise.race([isReached, round])
    const { code } = await addBrand('other')
    const seconds = await round
    clearInterval(looking)
    child.kill('SIGTERM')
    const { stdout, stderr } = await ended
    return { printed: stdout + stderr, seconds, peakMb, hasWritten: code === 0 }
  } finally {
    await open.close()
    place.close()
  }
}

const wrongWith = (
  { says }: HostileSource,
  { printed, seconds, peakMb, hasWritten }: Ran,
  { secondsMax, memoryMaxMb }: Size,
): readonly string[] => {
  const wrong: string[] = []
  if (seconds > secondsMax) wrong.push(`took ${seconds.toFixed(1)} s`)
  if (peakMb > memoryMaxMb) wrong.push(`took ${peakMb} MB`)
  if (!says.test(printed)) wrong.push(`printed: ${printed.slice(0, 500)}`)
  if (/unexpected error|\.ts:\d+/i.test(printed)) wrong.push(`failed: ${printed.slice(0, 500)}`)
  if (printed.includes('needle')) wrong.push('printed the password')
  if (!hasWritten) wrong.push('kept another brand from being written')
  return wrong
}
