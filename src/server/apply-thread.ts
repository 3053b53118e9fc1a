import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { smallYoungGeneration, startThread } from '#installation'
import {
  type ApplyEvents,
  buffersOf,
  type FinishedBatch,
  type GroupApplier,
  type PreparedGroup,
} from '#intake'
import { type CallFailure, errorOf, failureOf } from './call-failure.ts'
import type { DatabaseConfig } from './service-database.ts'

/** The data of the thread. */
export interface ApplyThreadData {
  readonly config: DatabaseConfig
  readonly keepMs: number | undefined
}

export interface ApplyThreadOptions extends ApplyThreadData {
  /** Whether the thread runs all the time. Otherwise it is started when it is needed. */
  readonly isKept: boolean
}

/** A group for the thread. */
export interface ApplyCall {
  readonly call: number
  readonly brand: string
  readonly group: PreparedGroup
}

/** The messages to the thread: a group, the answer to `locked`, and its end. */
export type ApplyOrder =
  | ApplyCall
  | { readonly begun: number; readonly failure: CallFailure | null }
  | { readonly close: true }

/** The messages of the thread. */
export type ApplyMessage =
  | { readonly call: number; readonly finished: readonly FinishedBatch[] }
  | { readonly call: number; readonly failure: CallFailure | null }
  /** The work on the group waits for the answer. */
  | { readonly call: number; readonly locked: true }
  | { readonly call: number; readonly begun: readonly number[] }
  | { readonly closed: true }
  | { readonly call: number; readonly parked: Parameters<ApplyEvents['onReleasedProblem']> }

interface OpenCall extends PromiseWithResolvers<void> {
  readonly events: ApplyEvents
}

/** A thread that is not kept ends after this time without a group. */
const idleMs = 30_000

/**
 * Commits groups of batches in a separate thread, which has its own connections: a statement of a
 * large batch takes SQLite hundreds of milliseconds, and meanwhile other batches are accepted. If the
 * thread ends, its groups fail, and the next one starts it again.
 */
export const createApplyThread = (
  options: ApplyThreadOptions,
): GroupApplier & { close(): Promise<void> } => {
  const { config, keepMs, isKept } = options
  const calls = new Map<number, OpenCall>()
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let lastCall = 0

  const begin = async (begun: number, { events }: OpenCall) => {
    const failure = await events.onLocked().then(() => null, failureOf)
    thread?.postMessage({ begun, failure } satisfies ApplyOrder)
  }
  const receive = (message: ApplyMessage) => {
    if ('closed' in message) return
    const call = calls.get(message.call)
    if (!call) return
    if ('locked' in message) void begin(message.call, call)
    else if ('begun' in message) call.events.onBegun(message.begun)
    else if ('finished' in message) call.events.onFinished(message.finished)
    else if ('parked' in message) call.events.onReleasedProblem(...message.parked)
    else {
      calls.delete(message.call)
      if (message.failure) call.reject(errorOf(message.failure))
      else call.resolve()
    }
  }
  const open = (): Worker => {
    clearTimeout(idle)
    if (thread) return thread
    const workerData: ApplyThreadData = { config, keepMs }
    const started = startThread('server/apply-thread-main.ts', {
      workerData,
      resourceLimits: smallYoungGeneration,
    })
    const fail = (error: Error) => {
      if (thread !== started) return
      thread = null
      for (const { reject } of calls.values()) reject(error)
      calls.clear()
    }
    started.on('message', receive)
    started.on('error', fail)
    started.on('exit', (code) => fail(new Error(`The thread exited with code ${code}.`)))
    thread = started
    return started
  }
  const end = async () => {
    clearTimeout(idle)
    const ended = thread
    thread = null
    if (!ended) return
    const closed = Promise.race([once(ended, 'message'), once(ended, 'exit')])
    ended.postMessage({ close: true } satisfies ApplyOrder)
    await closed.catch(() => undefined)
    await ended.terminate()
  }
  if (isKept) open()
  return {
    apply: async (brand, group, events) => {
      const call: OpenCall = { ...Promise.withResolvers<void>(), events }
      lastCall += 1
      calls.set(lastCall, call)
      const message: ApplyCall = { call: lastCall, brand, group }
      open().postMessage(message, buffersOf(group.map(({ prepared }) => prepared)))
      try {
        await call.promise
      } finally {
        if (!isKept && calls.size === 0) idle = setTimeout(() => void end(), idleMs).unref()
      }
    },
    close: end,
  }
}
