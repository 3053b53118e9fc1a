/** The real command line, within this process or in its own, against a database in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'
import { runHere } from './run-here.ts'

export const mainFile = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** How a command ended, and its whole output. */
export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
  /** Resolves when these words are on one of its outputs, or when it has ended. */
  said(words: string): Promise<void>
}

export interface Sandbox {
  readonly folder: string
  readonly databaseUrl: string
  readonly environment: NodeJS.ProcessEnv
  /** Writes files below the folder and returns the path of the first one. */
  put(files: { readonly [name: string]: string | Uint8Array }): string
  /** Starts a command in a process of its own. `environment` overrides the workplace's own. */
  start(args: readonly string[], environment?: NodeJS.ProcessEnv): Started
  /** Runs a command to its end within this process, one at a time. */
  run(
    args: readonly string[],
    input?: string | Uint8Array,
    environment?: NodeJS.ProcessEnv,
  ): Promise<Ran>
  /** Runs a command to its end in a process of its own, where the process is the subject. */
  runProcess(args: readonly string[], input?: string | Uint8Array): Promise<Ran>
  /** Kills the commands that still run, and removes the folder. */
  close(): void
}

export const openSandbox = (database?: string): Sandbox => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-command-'))
  const databaseUrl = database ?? `sqlite:${join(folder, 'selvedge.db')}`
  const environment = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    NODE_COMPILE_CACHE: compileCache,
    NODE_TEST_CONTEXT: undefined,
  }

  const running = new Set<ChildProcess>()

  const start = (args: readonly string[], extra?: NodeJS.ProcessEnv): Started => {
    const env = { ...environment, ...extra }
    const child = spawn(process.execPath, [mainFile, ...args], { env, cwd: folder })
    running.add(child)
    child.once('exit', () => running.delete(child))
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const ended = new Promise<Ran>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
    })
    return {
      child,
      ended,
      said: (words) =>
        new Promise((resolve) => {
          const look = () => {
            if (stdout.includes(words) || stderr.includes(words)) resolve()
          }
          look()
          child.stdout.on('data', look)
          child.stderr.on('data', look)
          child.once('close', () => resolve())
        }),
    }
  }

  return {
    folder,
    databaseUrl,
    environment,
    put: (files) => {
      for (const [name, content] of Object.entries(files)) {
        const file = join(folder, name)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
      return join(folder, Object.keys(files)[0] ?? '')
    },
    start,
    run: (args, input, extra) =>
      runHere(args, { environment: { ...environment, ...extra }, folder, input }),
    runProcess: (args, input) => {
      const { child, ended } = start(args)
      // A command that refuses before it reads closes its end.
      child.stdin?.once('error', () => undefined)
      child.stdin?.end(input)
      return ended
    },
    close: () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Records as newline-delimited JSON. */
export const ndjson = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
