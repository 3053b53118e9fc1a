/**
 * Compiles the client into `client/dist`: JavaScript and types. Runs on Node 20 or newer, before the
 * package is packed. Each file is replaced as a whole, and only if it has changed, so that a process
 * that reads the folder meanwhile never sees half of it.
 */
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('./', import.meta.url))
const dist = join(here, 'dist')
mkdirSync(dist, { recursive: true })
const output = mkdtempSync(join(here, 'dist', '.building-'))

try {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const result = spawnSync(
    process.execPath,
    [join(dirname(compiler), 'bin/tsc'), '-p', here, '--outDir', output],
    { stdio: ['ignore', 2, 2] },
  )
  if (result.status !== 0) process.exitCode = 1
  else replace(output, dist)
} finally {
  rmSync(output, { recursive: true, force: true })
}

function replace(from, to) {
  const files = filesIn(from)
  for (const file of filesIn(to)) {
    if (!files.includes(file)) rmSync(join(to, file))
  }
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    const text = readFileSync(join(from, file), 'utf8')
    // The compiler rewrites imports of .ts to .js in programs, but not in types.
    const rewritten = text.replace(/'(\.{1,2}\/[^']+)\.ts'/g, "'$1.js'")
    if (rewritten === read(join(to, file))) continue
    writeFileSync(join(from, file), rewritten)
    renameSync(join(from, file), join(to, file))
  }
}

/** Files that begin with a dot are not products: a stamp, or another build in progress. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('.'))
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
