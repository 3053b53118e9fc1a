import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary folder, with resources to close before it is removed. */
export interface Sandbox {
  readonly folder: string
  /** Prints a sentence on standard error. */
  log(sentence: string): void
  /** Prints a description of the work and its duration. */
  step<Result>(sentence: string, work: () => Promise<Result>): Promise<Result>
  /** Registers a cleanup function. They run at the end, in reverse order. */
  onClose(end: () => unknown): void
}

/**
 * Runs work in a temporary folder that is removed on success, on failure and on SIGINT or SIGTERM.
 */
export const inSandbox = async <Result>(
  work: (sandbox: Sandbox) => Promise<Result>,
): Promise<Result> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-bench-'))
  const ends: (() => unknown)[] = []
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const stop = () => void close().finally(() => process.exit(130))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const log = (sentence: string) => void process.stderr.write(`${sentence}\n`)
  try {
    return await work({
      folder,
      log,
      step: async (sentence, part) => {
        const began = performance.now()
        if (process.stderr.isTTY) process.stderr.write(`${sentence} …`)
        const result = await part()
        if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
        log(`${sentence}: ${((performance.now() - began) / 1_000).toFixed(1)} s`)
        return result
      },
      onClose: (end) => void ends.push(end),
    })
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await close()
  }
}
