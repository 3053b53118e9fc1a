/** Loses the disk of a server that is backed up regularly, and restores it elsewhere. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fillBrand } from '../../bench/brand.ts'
import { postgresSettings } from '../../bench/engine.ts'
import { openProduct } from '../../bench/product.ts'
import { openSandbox } from '../../test/support/command.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import { storyBrand } from '../../test/support/queue.ts'
import { inSandbox, type Sandbox } from '../../tools/sandbox.ts'
import type { Task } from '../check.ts'
import { type Engine, engineNames, patient } from '../engine.ts'
import { issueIngestKey, openServedIngest } from '../ingest-kill/served-ingest.ts'
import { startBatches } from './load.ts'
import { readState } from './state.ts'

export interface RecoverySize {
  readonly rows: number
  /** Backups until the disk is lost. */
  readonly backups: number
}

export interface RecoveryFigures {
  /** From the first write that was lost until the disk was lost. */
  readonly lostMs: number
  /** The longest backup. */
  readonly backupMs: number
  readonly restoreMs: number
  /** From the start of the restore to the first response of a server. */
  readonly servedMs: number
  readonly misses: readonly string[]
}

/** The shortest interval that the command takes. */
const everyMs = 60_000
/** What a busy machine may add. */
const slackMs = 5_000

export const recover = (
  engine: Engine,
  { rows, backups }: RecoverySize,
  { log }: Task,
): Promise<RecoveryFigures> =>
  inSandbox(async (sandbox) => {
    const misses: string[] = []
    const [lost, empty] = [
      await openDisk(sandbox, engine, 'lost'),
      await openDisk(sandbox, engine, 'empty'),
    ]
    const brand = await fillBrand(sandbox, openProduct(sandbox, 'fill', lost.url), {
      ...{ rows, others: 0, otherOrders: 0 },
    })
    const folder = join(sandbox.folder, 'backups')
    mkdirSync(folder)

    const commands = openSandbox(lost.url)
    sandbox.onClose(commands.close)
    const added = await commands.runProcess(['brands', 'add', storyBrand, '--name', storyBrand])
    if (added.code !== 0) throw new Error(added.stderr)
    const ingestKey = await issueIngestKey(lost.url, [storyBrand])
    const server = await openServedIngest(commands.folder, lost.url)
    sandbox.onClose(server.close)
    await server.ready()
    const load = startBatches({ server, ingestKey })
    const schedule = commands.start(['backup', folder, '--every', '1m', '--json'])
    const files = await untilBackups(folder, backups, schedule.ended)
    // The moment before the last backup had its name is the worst one to lose the disk at.
    const lostAt = performance.now()
    // Its report comes after its name, and has the time that it took.
    await schedule.said(files.at(-1) ?? '')
    schedule.child.kill('SIGKILL')
    const { stdout } = await schedule.ended
    await server.end()
    await load.abandon()
    await lost.remove()
    const times = stdout
      .split('\n')
      .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line).durationMs as number] : []))
    const backupMs = Math.max(...times)
    log(`${engineNames[engine]}: ${times.length} backups, the longest in ${backupMs.toFixed(0)} ms`)

    const file = join(folder, files.at(-2) ?? '')
    const restoring = openSandbox(empty.url)
    sandbox.onClose(restoring.close)
    const beganAt = performance.now()
    const restored = await restoring.runProcess(['restore', file, '--verify', '--json'])
    const restoreMs = performance.now() - beganAt
    if (restored.code !== 0) throw new Error(restored.stderr)
    const served = await openProduct(sandbox, 'restored', empty.url).serve({
      path: `${brand.items}?limit=1`,
      headers: brand.headers,
    })
    const servedMs = performance.now() - beganAt
    const { totalItems } = JSON.parse(String((await served.get(`${brand.items}?limit=1`)).body))
    if (totalItems < rows)
      misses.push(`${engineNames[engine]}: ${totalItems} of ${rows} records are served`)
    await served.close()

    const state = await readState(empty.url, load)
    misses.push(...state.misses)
    const missing = load.writers.flatMap(({ name, writes }) =>
      writes.filter(({ number }) => number > (state.lasts.get(name) ?? 0)),
    )
    const firstAckedAt = Math.min(...missing.flatMap(({ ackedAt }) => ackedAt ?? []))
    const lostMs = Math.max(0, lostAt - firstAckedAt)
    const limitMs = Math.max(everyMs, backupMs) + backupMs + slackMs
    if (lostMs > limitMs) {
      misses.push(
        `${engineNames[engine]}: ${lostMs.toFixed(0)} ms were lost, more than ${limitMs.toFixed(0)}`,
      )
    }
    log(
      `${engineNames[engine]}: lost ${lostMs.toFixed(0)} ms, served after ${servedMs.toFixed(0)} ms`,
    )
    return { lostMs, backupMs, restoreMs, servedMs, misses }
  })

interface Disk {
  readonly url: string
  remove(): Promise<void>
}

/** A database on a disk, or of a server, that nothing else uses. */
const openDisk = async (sandbox: Sandbox, engine: Engine, name: string): Promise<Disk> => {
  if (engine === 'sqlite') {
    const folder = join(sandbox.folder, name)
    mkdirSync(folder)
    return {
      url: `sqlite:${join(folder, 'selvedge.db')}`,
      remove: async () => rmSync(folder, { recursive: true }),
    }
  }
  const postgres = await openPostgres({ settings: postgresSettings })
  sandbox.onClose(postgres.close)
  return { url: patient(await postgres.url()), remove: postgres.kill }
}

/** Waits for a number of backups, and returns their names. */
const untilBackups = async (
  folder: string,
  count: number,
  ended: Promise<{ readonly stderr: string }>,
): Promise<readonly string[]> => {
  let end: { readonly stderr: string } | undefined
  void ended.then((each) => {
    end = each
  })
  for (;;) {
    const names = readdirSync(folder)
      .filter((name) => name.endsWith('.backup'))
      .sort()
    if (names.length >= count) return names
    if (end) throw new Error(end.stderr)
    await wait(20)
  }
}
