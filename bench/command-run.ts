/** Runs a command of the program on a database in a folder, and measures its resources. */
import { join } from 'node:path'
import { outputOf } from './output.ts'
import { cpuMsOf, type MemoryWatch, watchMemory } from './process-usage.ts'

export interface CommandRun {
  /** From the start of the process to its exit. */
  readonly seconds: number
  /** From the start to the report of success. */
  readonly saidAfterSeconds: number
  readonly cpuSeconds: number
  readonly megabytes: number
  readonly stdout: string
}

const cpuReadEveryMs = 50

/** Runs a command and measures its CPU time and memory. */
export const runCommandIn = async (folder: string, ...args: string[]): Promise<CommandRun> => {
  const began = performance.now()
  const main = new URL('../bin/selvedge.mjs', import.meta.url).pathname
  const watches: MemoryWatch[] = []
  let cpuMs = 0
  let reading: NodeJS.Timeout | undefined
  const { stdout, saidAfterMs } = await outputOf(process.execPath, [main, ...args], {
    env: {
      ...process.env,
      DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
      IMAGES_URL: `file:${join(folder, 'images')}`,
    },
    onStart: ({ pid = 0 }) => {
      watches.push(watchMemory([pid]))
      reading = setInterval(() => {
        cpuMs = cpuMsOf([pid]) ?? cpuMs
      }, cpuReadEveryMs)
    },
  }).finally(() => clearInterval(reading))
  const seconds = (performance.now() - began) / 1_000
  const megabytes = Math.max(...watches.map(({ stop }) => stop()))
  const cpuSeconds = cpuMs / 1_000
  return { seconds, saidAfterSeconds: saidAfterMs / 1_000, cpuSeconds, megabytes, stdout }
}
