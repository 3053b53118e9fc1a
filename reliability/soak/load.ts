import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from '../../test/support/cluster.ts'
import { mixedRequests, type Slice } from './requests.ts'

/** Clients of every kind, in a process of their own. */
export interface MixedLoad {
  /** Lets them ask for as long, and tells what became of it once they have come to rest. */
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
  const words = [new URL(cluster.url).port, file, seed, connections].map(String)
  const load = fork(new URL('load-process.ts', import.meta.url), words)
  return {
    askFor: async (seconds) => {
      load.send('go')
      await wait(seconds * 1_000)
      const reported = nextMessage(load)
      load.send('pause')
      return (await reported) as Slice
    },
    close: async () => {
      const exited = once(load, 'exit')
      load.disconnect()
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const ended = once(child, 'exit').then(() => {
    throw new Error('The load ended by itself.')
  })
  ended.catch(() => undefined)
  return (await Promise.race([once(child, 'message'), ended]))[0]
}
