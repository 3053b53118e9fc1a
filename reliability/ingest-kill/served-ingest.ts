/** `selvedge serve` with an ingest port, in a process group that can be killed and restarted. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openRecords, readServiceConfig } from '#server'
import { mainFile } from '../../test/support/command.ts'
import { freePort } from '../../test/support/postgres.ts'

export interface ServedIngest {
  /** The ingest URL, which stays the same after a restart. */
  readonly url: string
  /** Resolves when the current process has received records. */
  ready(): Promise<void>
  /** Kills all its processes at once and restarts it. */
  kill(): Promise<void>
  /** Kills all its processes at once, for good. */
  end(): Promise<void>
  close(): Promise<void>
}

/** Issues a key that sends records of brands at any rate. */
export const issueIngestKey = async (
  databaseUrl: string,
  brands: readonly string[],
): Promise<string> => {
  const records = await openRecords(readServiceConfig({ DATABASE_URL: databaseUrl }))
  const { key } = await records.keys.issue({
    ...{ name: 'senders', kind: 'ingest', brands, global: false },
    ...{ expiresAt: null, perSecond: null, burst: null },
  })
  await records.close()
  return key
}

export const openServedIngest = async (
  folder: string,
  databaseUrl: string,
  environment: { readonly [name: string]: string } = {},
): Promise<ServedIngest> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const start = () => {
    const log = openSync(join(folder, 'log'), 'a')
    child = spawn(process.execPath, [mainFile, 'serve'], {
      cwd: folder,
      // The leader of a separate process group, which its workers belong to.
      detached: true,
      env: {
        HOST: '127.0.0.1',
        PORT: '0',
        INGEST_PORT: String(port),
        DATABASE_URL: databaseUrl,
        IMAGES_URL: `file:${join(folder, 'images')}`,
        WORKERS: '1',
        INGEST_RATE_PER_SECOND: '1000000',
        INGEST_RATE_BURST: '1000000',
        PUBLIC_RATE_PER_SECOND: '1000000',
        PUBLIC_RATE_BURST: '1000000',
        RATE_PER_SECOND: '1000000',
        RATE_BURST: '1000000',
        ...environment,
      },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
  }
  const end = async (signal: NodeJS.Signals) => {
    const { pid, exitCode, signalCode } = child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    const exited = once(child, 'exit')
    // The supervisor stops its workers itself on a graceful stop.
    process.kill(signal === 'SIGKILL' ? -pid : pid, signal)
    await exited
  }
  start()
  return {
    url,
    ready: async () => {
      for (;;) {
        const response = await fetch(`${url}/readyz`).catch(() => null)
        await response?.body?.cancel()
        if (response?.ok) return
        await wait(20)
      }
    },
    kill: async () => {
      await end('SIGKILL')
      start()
    },
    end: () => end('SIGKILL'),
    close: () => end('SIGTERM'),
  }
}
