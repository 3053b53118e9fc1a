import { setTimeout as wait } from 'node:timers/promises'
import { ask, startCluster } from '../test/support/cluster.ts'
import { openSandbox } from '../test/support/command.ts'
import { holdImport } from '../test/support/held-import.ts'
import { check, type Task } from './check.ts'
import { type Engine, forEngines, onEngine } from './engine.ts'
import { sumsOf } from './sums.ts'

interface Size {
  readonly workers: number
  readonly rounds: number
}

const limitMs = 1_000
/** The number of concurrent clients. */
const lanes = 6

export default check<Size>({
  id: 'R25',
  claim: 'Keys can be revoked, issued and rotated while an import is running.',
  target:
    'On both engines, while an import holds the write lock: every command succeeds, a new key and its successor are accepted by the first request, and from 1 s after its revocation no process accepts a key.',
  sizes: { short: { workers: 1, rounds: 1 }, full: { workers: 4, rounds: 10 } },
  try: async (size, task) => {
    const all = await forEngines((engine) =>
      onEngine(engine, (url) => tryOn(engine, url, size, task)),
    )
    const { commands, requests } = sumsOf(all, 'commands', 'requests')
    const lastTakenMs = Math.round(Math.max(...all.map((each) => each.lastTakenMs)))
    return {
      measured: `${commands} key commands during imports on SQLite and PostgreSQL, ${size.workers} ${size.workers === 1 ? 'process' : 'processes'}, ${requests.toLocaleString('en')} requests; the last accepted request with a revoked key was sent ${lastTakenMs} ms after its revocation.`,
      counts: {
        ...{ commands, processes: size.workers, requests, lastTakenMs },
      },
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})

const tryOn = async (
  engine: Engine,
  url: string | undefined,
  { workers, rounds }: Size,
  { log }: Task,
) => {
  const place = openSandbox(url)
  // The server makes the demo if it is not there, with far more orders than this check needs.
  const made = await place.run(['demo', '--orders', '1'])
  if (made.code !== 0) throw new Error(made.stderr)
  const cluster = await startCluster({
    DATABASE_URL: place.databaseUrl,
    WORKERS: String(workers),
    STANDBY_WORKERS: '0',
  })
  const misses: string[] = []
  // `lastTakenMs`: when the last accepted request with a revoked key was sent, after its
  // revocation.
  let [commands, requests, lastTakenMs] = [0, 0, 0]

  const command = async (...args: readonly string[]) => {
    commands += 1
    const { code, stdout, stderr } = await place.runProcess(['keys', ...args, '--json'])
    if (code !== 0) {
      misses.push(`${engine}: keys ${args[0]} ended with ${code}: ${stderr.trim()}`)
      return null
    }
    return JSON.parse(stdout) as { readonly id: string; readonly key: string }
  }
  const statusOf = async (key: string) => {
    requests += 1
    return (await ask({ url: cluster.url, path: cluster.path, key })).status
  }
  const isTaken = async (key: string, what: string) => {
    const statuses = await Promise.all(Array.from({ length: lanes }, () => statusOf(key)))
    for (const status of statuses) if (status !== 200) misses.push(`${engine}: ${what}: ${status}.`)
  }
  /** Uses a key until it has been refused for a while. Returns when it was last accepted. */
  const askUntilRefused = async (key: string, revoking: Promise<unknown>): Promise<number> => {
    let revokedAt = Number.POSITIVE_INFINITY
    void revoking.then(() => {
      revokedAt = performance.now()
    })
    let lastTakenAt = 0
    const lane = async () => {
      while (performance.now() < revokedAt + limitMs * 1.5) {
        const askedAt = performance.now()
        if ((await statusOf(key)) === 200) lastTakenAt = Math.max(lastTakenAt, askedAt)
        await wait(10)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return Math.max(0, lastTakenAt - revokedAt)
  }

  const held = await holdImport(place, 'aldermoor')
  try {
    for (let round = 0; round < rounds; round += 1) {
      const issued = await command('issue', '--brand', 'aldermoor')
      if (!issued) break
      await isTaken(issued.key, 'a key that was just issued')
      const successor = await command('rotate', issued.id, '--overlap', '1h')
      if (successor) await isTaken(successor.key, 'a successor that was just issued')
      const last = await askUntilRefused(issued.key, command('revoke', issued.id))
      lastTakenMs = Math.max(lastTakenMs, last)
      if (last > limitMs) {
        misses.push(`${engine}: taken when asked ${Math.round(last)} ms after the revocation.`)
      }
      if (successor) await isTaken(successor.key, 'a successor after the revocation')
      log(
        `${engine}: round ${round + 1} of ${rounds}: last taken ${Math.round(last)} ms afterwards`,
      )
    }
    if (!(await held.isHeld())) misses.push(`${engine}: the import had ended before the commands.`)
    const { code, stderr } = await held.end()
    if (code !== 0) misses.push(`${engine}: the import ended with ${code}: ${stderr.trim()}`)
  } finally {
    await held.end()
    await cluster.close()
    place.close()
  }
  return { commands, requests, lastTakenMs, misses }
}
