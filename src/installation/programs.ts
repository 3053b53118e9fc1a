import { createRequire, enableCompileCache } from 'node:module'
import { getPriority, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { installationFolder, installedFileSync } from './files.ts'

/** A program that runs as a thread or a process of its own, by its path in `src`. */
export type ProgramPath = `${string}.ts` | `${string}.mjs`

/** Starts a thread that runs a program, which the single executable has as a text. */
export const startThread = (path: ProgramPath, options: WorkerOptions): Worker =>
  installationFolder === null
    ? new Worker(String(installedFileSync(threadAsset(path))), { ...options, eval: true })
    : new Worker(fileOf(path), options)

/**
 * Gives a thread less of the processor than the others when there is not enough for all, so that short
 * requests come first. On Linux a priority belongs to a thread; elsewhere it would be that of the process.
 */
export const lowerThreadPriority = (niceness: number): void => {
  if (process.platform !== 'linux') return
  try {
    // Raising a priority needs a permission, and a process may have a lower one already.
    if (getPriority() < niceness) setPriority(niceness)
  } catch {
    // The thread works with the priority that it has.
  }
}

/** Where the single executable has the text of a thread's program. */
export const threadAsset = (path: string): string => `threads/${path}`

/** What to fork to run a program. The single executable forks itself, with this as its first argument. */
export const processProgram = (path: ProgramPath): string =>
  installationFolder === null ? path : fileOf(path)

/** The program that the single executable was forked for; undefined for the command line. */
export const forkedProgram = (firstArgument: string | undefined): string | undefined =>
  process.connected ? firstArgument : undefined

/**
 * Loads a module at once, where it is needed so rarely that it is not imported. The build of the single
 * executable replaces calls of it.
 */
export const loadModule = (path: ProgramPath): unknown =>
  createRequire(import.meta.url)(fileOf(path))

/** Most of the start time of a process is compiling the sources; with the cache it is a third. */
export const cacheCompiledSources = (): void => {
  if (installationFolder === null) return
  enableCompileCache(join(installationFolder, 'node_modules/.cache/selvedge'))
}

/** Sources are TypeScript, as this file is. In the package all of them are compiled, as this file is. */
const fileOf = (path: ProgramPath): string =>
  fileURLToPath(new URL(`../${path.replace(/\.ts$/, extname(import.meta.url))}`, import.meta.url))
