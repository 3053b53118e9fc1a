#!/usr/bin/env node
// Runs the command line on the pinned Node, whichever Node was found first.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/cli/main.ts', import.meta.url)
const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= 24) await import(main.href)
else if (existsSync(pinned)) {
  const args = [fileURLToPath(main), ...process.argv.slice(2)]
  const { status, signal } = spawnSync(pinned, args, { stdio: 'inherit' })
  process.exitCode = status ?? (signal ? 1 : 0)
} else {
  console.error('Selvedge is not installed here yet. Run: npm install')
  process.exitCode = 1
}
