/** Builds the console into `console/dist`: pages, files, and each of them compressed twice. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const folder = join(import.meta.dirname, 'dist')

await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })

for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const file = join(folder, path)
  if (!statSync(file).isFile()) continue
  const bytes = readFileSync(file)
  // The best quality takes ten times as long for the largest file, and saves a twentieth.
  const quality = bytes.length > 1_000_000 ? 9 : 11
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
