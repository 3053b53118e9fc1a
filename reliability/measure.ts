import { commandOf, machine } from '../bench/results.ts'
import type { Result } from '../tools/reference/reliability.ts'
import type { Form, Task } from './check.ts'
import { type CheckName, checks } from './checks.ts'

/** Why a check cannot run here, if so. */
export const unavailableReason = async (name: CheckName): Promise<string | undefined> => {
  return (await checks[name]()).missing?.()
}

/** Runs a check. An exception counts as a miss, so that a check never fails silently. */
export const measure = async (name: CheckName, form: Form, task: Task): Promise<Result> => {
  const check = await checks[name]()
  const on = machine()
  const started = performance.now()
  const outcome = await check.try(check.sizes[form], task).catch((error: unknown) => ({
    measured: 'The bench broke off.',
    counts: {},
    misses: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  return {
    id: check.id,
    name,
    claim: check.claim,
    target: check.target,
    ...(check.earlierTarget && { earlierTarget: check.earlierTarget }),
    form,
    met: outcome.misses.length === 0,
    ...outcome,
    seed: task.seed,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    command: commandOf('reliability', [
      name,
      ...(form === 'short' ? ['--short'] : []),
      ...(task.before ? ['--before', '<folder>'] : []),
    ]),
    date: new Date().toISOString().slice(0, 10),
    machine: on,
  }
}
