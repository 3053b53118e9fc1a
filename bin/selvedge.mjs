#!/usr/bin/env node
// Runs the command line on the pinned Node, unless the one that was found first fits as well.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/cli/main.ts', import.meta.url)
const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

/** Older ones do not run TypeScript. */
const oldestNode = [24, 0, 0]
/** Older ones can corrupt a database that several processes use. */
const oldestSqlite = [3, 51, 3]

const isAtLeast = (version, oldest) => {
  const parts = (version ?? '').split('.').map(Number)
  const place = oldest.findIndex((part, index) => parts[index] !== part)
  return place < 0 || parts[place] > oldest[place]
}

if (process.env.npm_lifecycle_event !== undefined) stopWithParent()

const runsIt = isAtLeast(process.versions.node, oldestNode)

if (runsIt && isAtLeast(process.versions.sqlite, oldestSqlite)) await run()
else if (existsSync(pinned) && realpathSync(pinned) !== realpathSync(process.execPath)) runPinned()
// PostgreSQL can be used with any SQLite; opening a SQLite file is refused with the reason.
else if (runsIt) await run()
else {
  console.error('Selvedge is not installed here yet. Run: npm install')
  process.exitCode = 1
}

/**
 * npm runs a script in a shell, and passes a signal on to that shell alone. A shell that ends does not
 * stop what it has started, which then belongs to another process.
 */
function stopWithParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 200)
  timer.unref()
}

async function run() {
  // Sources that were compiled once start a second time in less than half the time.
  const { directory } = module.enableCompileCache()
  // Threads and processes find the cache by this variable alone.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  await import(main.href)
}

function runPinned() {
  const args = [fileURLToPath(new URL(import.meta.url)), ...process.argv.slice(2)]
  const child = spawn(pinned, args, { stdio: 'inherit' })
  // A signal to this process is meant for the one that does the work.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (status, signal) => {
    process.exitCode = status ?? (signal ? 1 : 0)
    process.exit()
  })
}
