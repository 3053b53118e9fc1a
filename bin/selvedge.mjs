#!/usr/bin/env node
// Runs the command line on the pinned Node, whichever Node was found first.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/cli/main.ts', import.meta.url)
const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Sources that were compiled once start a second time in less than half the time.
  module.enableCompileCache()
  await import(main.href)
} else if (existsSync(pinned)) {
  const args = [fileURLToPath(new URL(import.meta.url)), ...process.argv.slice(2)]
  const child = spawn(pinned, args, { stdio: 'inherit' })
  // Whoever stops this process means the one that does the work.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('exit', (status, signal) => {
    process.exitCode = status ?? (signal ? 1 : 0)
    process.exit()
  })
} else {
  console.error('Selvedge is not installed here yet. Run: npm install')
  process.exitCode = 1
}
