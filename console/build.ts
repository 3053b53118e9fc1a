/**
 * Builds the console, the guides and the operator page into `console/dist`. A file that becomes smaller is
 * kept in its two compressed forms only; `files.json` lists all of them.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { writeGuides } from './guides/write.ts'

const folder = join(import.meta.dirname, 'dist')
const configFile = join(import.meta.dirname, 'vite.config.ts')

await build({ configFile, logLevel: 'warn' })
await build({ configFile, mode: 'admin', logLevel: 'warn' })
writeGuides(join(import.meta.dirname, '..', 'docs'), folder)

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => statSync(join(folder, path)).isFile())
  .sort()
  .map((path) => {
    const bytes = readFileSync(join(folder, path))
    const isCompressed = compress(join(folder, path), bytes)
    return { path: path.replaceAll(sep, '/'), sizeBytes: bytes.length, isCompressed }
  })
writeFileSync(join(folder, 'files.json'), `${JSON.stringify(files, null, 1)}\n`)

/** Replaces a file by its compressed forms, unless that saves nothing, as with pictures. */
function compress(file: string, bytes: Buffer): boolean {
  const zipped = gzipSync(bytes, { level: 9 })
  if (zipped.length > bytes.length * 0.9) return false
  // The best quality takes ten times as long for the largest file, and saves a twentieth.
  const quality = bytes.length > 1_000_000 ? 9 : 11
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, zipped)
  rmSync(file)
  return true
}
