import { createRequire, enableCompileCache } from 'node:module'
import { getPriority, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads'
import { installationFolder, installedFileSync } from './files.ts'

/** A program that runs in a separate thread or process, by its path in `src`. */
export type ProgramPath = `${string}.ts` | `${string}.mjs`

/** Starts a thread that runs a program. The single executable contains it as text. */
export const startThread = (path: ProgramPath, options: WorkerOptions): Worker =>
  installationFolder === null
    ? new Worker(String(installedFileSync(threadAsset(path))), { ...options, eval: true })
    : new Worker(fileOf(path), options)

/**
 * Resource limits of a thread that a large piece of work passes through. Its young generation would
 * grow to 48 MB, and what it keeps from being freed is larger than that.
 */
export const smallYoungGeneration: ResourceLimits = { maxYoungGenerationSizeMb: 12 }

/**
 * Lowers the priority of a thread, so that short requests come first when the CPU is busy. On Linux
 * a priority belongs to a thread; elsewhere it would apply to the whole process.
 */
export const lowerThreadPriority = (niceness: number): void => {
  if (process.platform !== 'linux') return
  try {
    // Raising a priority needs a permission, and the process may already have a lower one.
    if (getPriority() < niceness) setPriority(niceness)
  } catch {
    // The thread keeps its priority.
  }
}

/** The asset of a thread's program in the single executable. */
export const threadAsset = (path: string): string => `threads/${path}`

/** The module to fork for a program. The single executable forks itself with this argument. */
export const processProgram = (path: ProgramPath): string =>
  installationFolder === null ? path : fileOf(path)

/** The program that the single executable was forked for; undefined for the command line. */
export const forkedProgram = (firstArgument: string | undefined): string | undefined =>
  process.connected ? firstArgument : undefined

/**
 * Loads a rarely needed module synchronously, instead of importing it. The build of the single
 * executable replaces the calls.
 */
export const loadModule = (path: ProgramPath): unknown =>
  createRequire(import.meta.url)(fileOf(path))

/** Compiling the sources takes most of a process's start time; the cache reduces it to a third. */
export const cacheCompiledSources = (): void => {
  if (installationFolder === null) return
  enableCompileCache(join(installationFolder, 'node_modules/.cache/selvedge'))
}

/** Sources have the extension of this file: TypeScript in a checkout, compiled in the package. */
const fileOf = (path: ProgramPath): string =>
  fileURLToPath(new URL(`../${path.replace(/\.ts$/, extname(import.meta.url))}`, import.meta.url))
