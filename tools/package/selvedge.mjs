#!/usr/bin/env node
import module from 'node:module'

/** Older versions contain a SQLite that can corrupt a database used by several processes. */
const oldestNode = [24, 15]

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) {
  // The compile cache more than halves the time of later starts.
  const { directory } = module.enableCompileCache()
  // Threads and child processes find the cache only by this variable.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory
  await import('../src/cli/main.js')
} else {
  console.error(
    `Selvedge needs Node ${oldestNode.join('.')} or newer; this is Node ${process.versions.node}.`,
  )
  process.exitCode = 1
}
