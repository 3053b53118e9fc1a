import { commandOf, machine } from '../bench/results.ts'
import type { Form, Result, Task } from './check.ts'
import { type FigureName, figures } from './checks.ts'

/** Why a figure cannot be tried here, if it cannot. */
export const whyNot = async (name: FigureName): Promise<string | undefined> => {
  const { default: figure } = await figures[name]()
  return figure.missing?.()
}

/** Tries a figure. What breaks off counts as a miss, so that a bench never ends in silence. */
export const measure = async (name: FigureName, form: Form, task: Task): Promise<Result> => {
  const { default: figure } = await figures[name]()
  const on = machine()
  const started = performance.now()
  const outcome = await figure.try(figure.sizes[form], task).catch((error: unknown) => ({
    measured: 'The bench broke off.',
    counts: {},
    misses: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }))
  return {
    id: figure.id,
    name,
    claim: figure.claim,
    target: figure.target,
    form,
    met: outcome.misses.length === 0,
    ...outcome,
    seed: task.seed,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    command: commandOf(`trust:${name}`, form === 'short' ? ['--short'] : []),
    date: new Date().toISOString().slice(0, 10),
    machine: on,
  }
}
