/** Restores a backup into an empty place, serves it, and judges what is in it. */
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import type { Sandbox } from '../../test/support/command.ts'
import { freePort } from '../../test/support/postgres.ts'
import { storyBrand } from '../../test/support/queue.ts'
import { batchOf } from '../ingest-kill/senders.ts'
import { openServedIngest } from '../ingest-kill/served-ingest.ts'
import { type Load, senders, type Write, writerNames } from './load.ts'
import { type RestoredState, readState } from './state.ts'

/** A file that looks like a complete backup. */
export interface MadeBackup {
  readonly file: string
  /** Before the process was started that made it. */
  readonly beganAt: number
}

/** What is wrong with a backup, as sentences, and how many batches waited in it. */
export interface Judgement {
  readonly misses: readonly string[]
  readonly waiting: number
}

export const judgeBackup = async (
  sandbox: Sandbox,
  { file, beganAt }: MadeBackup,
  load: Load,
): Promise<Judgement> => {
  const { code, stdout, stderr } = await sandbox.runProcess(['restore', file, '--verify', '--json'])
  if (code !== 0) return { misses: [`restore failed: ${stderr}${stdout}`], waiting: 0 }
  const state = await readState(sandbox.databaseUrl, load)
  const misses = [
    ...state.misses,
    ...missesOfState(state, load, beganAt),
    ...(await missesOfService(sandbox, state, load)),
  ]
  return { misses, waiting: state.waiting }
}

/**
 * The writes of all writers are those of one moment after the backup began: no write is there that
 * began after one was acknowledged that is not there.
 */
export const missesOfState = (
  { lasts }: Pick<RestoredState, 'lasts'>,
  { writers }: Pick<Load, 'writers'>,
  beganAt: number,
): readonly string[] => {
  const misses: string[] = []
  const nameOf = (write: Write) =>
    `write ${write.number} of ${writers.find(({ writes }) => writes.includes(write))?.name}`
  const isIn = (last: number) => (write: Write) => write.number <= last
  const all = writers.map(({ name, writes }) => {
    const last = lasts.get(name) ?? 0
    return {
      there: writes.filter(isIn(last)),
      missing: writes.filter((write) => !isIn(last)(write) && write.ackedAt !== undefined),
    }
  })
  const ackedAt = (write: Write) => write.ackedAt ?? Number.POSITIVE_INFINITY
  const missing = all.flatMap((each) => each.missing).sort((a, b) => ackedAt(a) - ackedAt(b))
  const there = all.flatMap((each) => each.there).sort((a, b) => b.beganAt - a.beganAt)
  const [[firstMissing], [lastThere]] = [missing, there]
  if (!firstMissing) return misses
  const early = beganAt - ackedAt(firstMissing)
  if (early > 0) {
    misses.push(
      `${nameOf(firstMissing)} was acknowledged ${early.toFixed(0)} ms before the backup began, and is missing`,
    )
  }
  if (lastThere && lastThere.beganAt > ackedAt(firstMissing)) {
    misses.push(
      `${nameOf(lastThere)} is there, and ${nameOf(firstMissing)} is not, which was acknowledged before`,
    )
  }
  return misses
}

/** How long a server may take until it has stored what waits. */
const settleMs = 60_000

const missesOfService = async (
  sandbox: Sandbox,
  { lasts }: RestoredState,
  load: Load,
): Promise<readonly string[]> => {
  const misses: string[] = []
  const port = await freePort()
  const server = await openServedIngest(sandbox.folder, sandbox.databaseUrl, { PORT: String(port) })
  try {
    await server.ready()
    const until = performance.now() + settleMs
    let state = await readState(sandbox.databaseUrl, load)
    while (state.waiting > 0 && performance.now() < until) {
      await wait(50)
      state = await readState(sandbox.databaseUrl, load)
    }
    misses.push(...state.misses)
    if (state.waiting > 0) misses.push(`${state.waiting} batches wait after ${settleMs / 1_000} s`)
    for (let sender = 0; sender < senders; sender += 1) {
      const accepted = lasts.get(writerNames.units(sender)) ?? 0
      const batches = load.writers.find(({ name }) => name === writerNames.batches(sender))
      const expected = batches?.writes.findLast(({ number }) => number <= accepted)?.number ?? 0
      const stored = state.lasts.get(writerNames.batches(sender)) ?? 0
      // The original has not stored those that were killed three times there.
      const isRight = stored <= accepted && !batchOf(sender, stored).isWrong
      if (stored === expected || (stored > expected && isRight)) continue
      misses.push(
        `unit ${expected} of sender ${sender} was accepted, and ${stored} is the last stored`,
      )
    }
    const newest = lasts.get(writerNames.keys) ?? 0
    const url = `http://127.0.0.1:${port}${basePath}/brands/${storyBrand}/tags?limit=1`
    const read = async (number: number): Promise<Response> => {
      const headers = { authorization: `Bearer ${load.keys.get(number) ?? ''}` }
      const readUntil = performance.now() + settleMs
      for (;;) {
        const response = await fetch(url, { headers }).catch(() => null)
        if (response) return response
        if (performance.now() > readUntil) throw new Error('The server does not answer.')
        await wait(20)
      }
    }
    if (load.keys.has(newest)) {
      const response = await read(newest)
      const body = await response.text()
      const { totalItems } = JSON.parse(body) as { readonly totalItems?: number }
      if (totalItems !== state.tags) {
        misses.push(
          `${state.tags} records are not served: ${response.status} ${body.slice(0, 300)}`,
        )
      }
    }
    const later = load.keys.has(newest + 1) ? await read(newest + 1) : null
    if (later && later.status !== 401) misses.push(`key ${newest + 1} is unknown and accepted`)
  } finally {
    await server.close()
  }
  return misses
}
