import { type ChildProcess, spawn } from 'node:child_process'

export interface OutputOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Interrupts the program after this time. */
  readonly stopMs?: number
  /** Called with the process once it has started. */
  readonly onStart?: (child: ChildProcess) => void
}

export interface Output {
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds from the start to the first output. */
  readonly saidAfterMs: number
}

/** The output of a program. Throws an error with all output if the program fails. */
export const outputOf = (
  command: string,
  args: readonly string[],
  { env = process.env, stopMs, onStart }: OutputOptions = {},
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(command, args, { env })
    onStart?.(child)
    const stop = stopMs === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), stopMs)
    let stdout = ''
    let stderr = ''
    let saidAfterMs = Number.NaN
    child.stdout.once('data', () => {
      saidAfterMs = performance.now() - began
    })
    child.stdout.on('data', (text) => {
      stdout += text
    })
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(stop)
      if (code === 0) resolve({ stdout, stderr, saidAfterMs })
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`))
    })
  })
