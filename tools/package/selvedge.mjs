#!/usr/bin/env node
import module from 'node:module'

/** Older ones have a SQLite that can corrupt a database that several processes use. */
const oldestNode = [24, 15]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) {
  // Sources that were compiled once start a second time in less than half the time.
  const { directory } = module.enableCompileCache()
  // Threads and processes find the cache by this variable alone.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  await import('../src/cli/main.js')
} else {
  console.error(
    `Selvedge needs Node ${oldestNode.join('.')} or newer; this is Node ${process.versions.node}.`,
  )
  process.exitCode = 1
}
