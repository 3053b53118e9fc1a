import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own, and all that must be ended before it goes. */
export interface Workplace {
  readonly folder: string
  /** Says what is done, on standard error. */
  say(sentence: string): void
  /** Says what is done, and how long it took. */
  step<Result>(sentence: string, work: () => Promise<Result>): Promise<Result>
  /** Called at the end, the last one first. */
  atEnd(end: () => unknown): void
}

/** Works in a temporary folder and leaves nothing behind, whether it succeeds, fails or is told to stop. */
export const inWorkplace = async <Result>(
  work: (workplace: Workplace) => Promise<Result>,
): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-bench-'))
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const stop = () => void close().finally(() => process.exit(130))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  try {
    return await work({
      folder,
      say,
      step: async (sentence, part) => {
        const began = performance.now()
        if (process.stderr.isTTY) process.stderr.write(`${sentence} …`)
        const result = await part()
        if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
        say(`${sentence}: ${((performance.now() - began) / 1_000).toFixed(1)} s`)
        return result
      },
      atEnd: (end) => void ends.push(end),
    })
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await close()
  }
}
