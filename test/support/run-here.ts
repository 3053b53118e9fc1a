/** Commands within the process of the test: a process of its own takes half a second to load the program. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable, Writable } from 'node:stream'
import { runCommand } from '../../src/cli/run-command.ts'
import type { Ran } from './command.ts'

export interface RunOptions {
  readonly environment: NodeJS.ProcessEnv
  readonly folder: string
  readonly input?: string | Uint8Array | undefined
  /** Gets what the command writes, as it writes it. */
  readonly onOutput?: ((name: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined
}

/** What a command sees as its own process. */
interface Streams {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

const command = new AsyncLocalStorage<Streams>()

// The test keeps its own: a command is told apart by the calls it comes from.
for (const name of ['env', 'stdin', 'stdout', 'stderr'] as const) {
  const { get, value } = Object.getOwnPropertyDescriptor(process, name) ?? {}
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get: () => command.getStore()?.[name] ?? (get ? get.call(process) : value),
  })
}

const collect = (
  onChunk: (chunk: Buffer) => void = () => undefined,
): { readonly stream: Writable; text(): string } => {
  const chunks: Buffer[] = []
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    chunks.push(chunk)
    onChunk(chunk)
    done()
  }
  return { stream: new Writable({ write }), text: () => Buffer.concat(chunks).toString() }
}

let last: Promise<unknown> = Promise.resolve()

/** Runs a command to its end. The exit code and the folder belong to the process: one runs at a time. */
export const runHere = (args: readonly string[], options: RunOptions): Promise<Ran> => {
  const ran = last.then(() => run(args, options))
  last = ran.catch(() => undefined)
  return ran
}

const run = async (
  args: readonly string[],
  { environment, folder, input = '', onOutput }: RunOptions,
): Promise<Ran> => {
  const stdout = collect((chunk) => onOutput?.('stdout', chunk))
  const stderr = collect((chunk) => onOutput?.('stderr', chunk))
  const streams = {
    env: { ...environment },
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const { exitCode } = process
  const cwd = process.cwd()
  process.exitCode = undefined
  process.chdir(folder)
  try {
    await command.run(streams, () => runCommand(args))
    const code = Number(process.exitCode ?? 0)
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.chdir(cwd)
    process.exitCode = exitCode
  }
}
