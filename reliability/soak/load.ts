import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../../test/support/cluster.ts'
import type { Task } from '../check.ts'
import { openClient } from '../client-process.ts'
import { mixedRequests, type Slice } from './requests.ts'

/** Clients of every kind, in a separate process. */
export interface MixedLoad {
  /** Sends requests for some seconds and returns the results after the last response. */
  askFor(seconds: number): Promise<Slice>
  close(): Promise<void>
}

export const openMixedLoad = async (
  cluster: Cluster,
  { seed, connections }: { readonly seed: number; readonly connections: number },
): Promise<MixedLoad> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-load-'))
  const file = join(folder, 'requests.json')
  writeFileSync(file, JSON.stringify(await mixedRequests(cluster)))
  const words = [new URL(cluster.url).port, file, seed, connections]
  const load = openClient<{ readonly seconds: number }, Slice>(
    new URL('load-process.ts', import.meta.url),
    words,
  )
  return {
    askFor: (seconds) => load.run({ seconds }),
    close: async () => {
      await load.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface AroundOptions {
  readonly calmSeconds: number
  readonly meanwhileSeconds: number
  /** Maximum slowdown meanwhile. */
  readonly slower: number
}

/** Measures the load before, during and after some work, and compares the results. */
export const askAround = async <Result>(
  load: MixedLoad,
  { calmSeconds, meanwhileSeconds, slower }: AroundOptions,
  work: () => Promise<Result>,
  log: Task['log'],
) => {
  await load.askFor(calmSeconds)
  const before = await load.askFor(calmSeconds)
  log(`before: p99 ${before.p99Ms.toFixed(2)} ms`)
  const working = work()
  const meanwhile = await load.askFor(meanwhileSeconds)
  log(`meanwhile: p99 ${meanwhile.p99Ms.toFixed(2)} ms`)
  const result = await working
  const after = await load.askFor(calmSeconds)
  const calmMs = Math.max(before.p99Ms, after.p99Ms)
  const misses = [before, meanwhile, after].flatMap(({ examples }) => examples)
  if (meanwhile.p99Ms > calmMs * slower) {
    misses.push(`The p99 was ${meanwhile.p99Ms.toFixed(2)} ms, and ${calmMs.toFixed(2)} without.`)
  }
  return {
    result,
    meanwhile,
    calmMs,
    misses,
    measured: `The p99 of ${meanwhile.requests.toLocaleString('en')} other requests was ${meanwhile.p99Ms.toFixed(2)} ms; ${before.p99Ms.toFixed(2)} ms before, ${after.p99Ms.toFixed(2)} ms after.`,
  }
}
