import { runLoad, startLimiterProcess } from '../../test/support/load.ts'

/** Clock offsets of the processes in milliseconds. */
const skews = ['0', '30000', '-30000']

/** Three processes with clocks a minute apart take from one bucket as fast as they can. */
export const loadRedis = async (
  redisUrl: string,
  { seconds, tries: least }: { readonly seconds: number; readonly tries: number },
) => {
  const result = await runLoad(
    skews.map((skewMs) => startLimiterProcess('runLoad', redisUrl, String(seconds), skewMs)),
  )
  const { tries, admitted, most, offered, admittedEach } = result
  const misses: string[] = []
  if (admitted > most) misses.push(`${admitted} were admitted of ${most.toFixed(1)}.`)
  if (admitted < offered * 0.99) misses.push(`Only ${admitted} of ${offered.toFixed(1)} were used.`)
  if (tries < least) misses.push(`There were only ${tries} tries.`)
  // No process has an advantage. If each used its clock, one would have taken everything.
  if (!admittedEach.every((count) => count > most / 10)) {
    misses.push(`They were not treated alike: ${admittedEach.join(', ')}.`)
  }
  return { ...result, misses }
}
