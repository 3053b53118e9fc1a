/**
 * Compiles the client into `client/dist`: JavaScript and types. Runs on any Node from 20 on, before
 * the package is packed. A file is put in place as a whole and only if it has changed, so that
 * whoever is reading the folder meanwhile sees no half of it.
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
const made = mkdtempSync(join(here, 'dist', '.building-'))

try {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const ran = spawnSync(
    process.execPath,
    [join(dirname(compiler), 'bin/tsc'), '-p', here, '--outDir', made],
    { stdio: ['ignore', 2, 2] },
  )
  if (ran.status !== 0) process.exitCode = 1
  else replace(made, dist)
} finally {
  rmSync(made, { recursive: true, force: true })
}

function replace(from, to) {
  const files = filesIn(from)
  for (const file of filesIn(to)) {
    if (!files.includes(file)) rmSync(join(to, file))
  }
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true })
    const text = readFileSync(join(from, file), 'utf8')
    // The compiler turns imports of .ts into .js in programs, but leaves them in types.
    const whole = text.replace(/'(\.{1,2}\/[^']+)\.ts'/g, "'$1.js'")
    if (whole === present(join(to, file))) continue
    writeFileSync(join(from, file), whole)
    renameSync(join(from, file), join(to, file))
  }
}

/** Files that begin with a dot are nobody's product: a stamp, or another build at work. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('.'))
}

function present(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
