import { fork, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { oneOf, Refused } from './options.ts'
import type { Workplace } from './sandbox.ts'
import { wrkLoad } from './wrk.ts'

/** Requests to make: for as long, over as many connections. */
export interface Load {
  readonly port: number
  /** A file with the paths to ask for, a line each. After the last comes the first. */
  readonly file: string
  /** The line to begin at, from 0. */
  readonly from: number
  readonly headers: { readonly [name: string]: string }
  readonly seconds: number
  readonly connections: number
}

/** What became of them. */
export interface Loaded {
  readonly requests: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Paths that were taken from the file; a few were not answered any more. */
  readonly asked: number
  /** Answers with a status of 400 or more. */
  readonly refused: number
}

/** Makes requests from a process of its own. */
export type LoadGenerator = (load: Load) => Promise<Loaded>

const generators = ['wrk', 'own'] as const
export type GeneratorName = (typeof generators)[number]

const hasWrk = (): boolean => spawnSync('wrk', ['-v']).error === undefined

/** The generator that was asked for, or the best one that is here. */
export const readGenerator = (text?: string): GeneratorName => {
  const name = text === undefined ? null : oneOf('generator', text, generators)
  if (name === 'wrk' && !hasWrk()) throw new Refused('There is no wrk here. Leave out --generator.')
  return name ?? (hasWrk() ? 'wrk' : 'own')
}

export const openGenerator = (name: GeneratorName, workplace: Workplace): LoadGenerator =>
  name === 'wrk' ? wrkLoad(workplace.folder) : ownLoad(workplace)

/** One process for all loads, so that it is warm when it counts. */
const ownLoad = (workplace: Workplace): LoadGenerator => {
  const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)))
  workplace.atEnd(() => child.kill())
  return (load) =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error('The generator ended.'))
      child.once('exit', ended)
      child.once('message', (answer: Loaded | { readonly problem: string }) => {
        child.off('exit', ended)
        if ('problem' in answer) reject(new Error(answer.problem))
        else resolve(answer)
      })
      child.send(load)
    })
}
