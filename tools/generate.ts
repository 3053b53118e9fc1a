/**
 * Writes every generated file. `--check` writes nothing and fails if a file is out of date. Both
 * fail with one message if a resource, field, rule or command lacks a part that generated files
 * need.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { generatedFiles } from './generated-files.ts'
import { describeMissing, missingParts } from './missing-parts.ts'

const missing = missingParts()
if (missing.length > 0) {
  console.error(describeMissing(missing))
  process.exit(1)
}

const checkOnly = process.argv.includes('--check')
let stale = 0

for (const { path, text } of await generatedFiles()) {
  const file = new URL(`../${path}`, import.meta.url)
  const present = await readFile(file, 'utf8').catch(() => '')
  if (present === text) continue
  stale += 1
  if (checkOnly) console.error(`${path} is out of date.`)
  else {
    await mkdir(new URL('./', file), { recursive: true })
    await writeFile(file, text)
    console.log(`${path} written.`)
  }
}

if (checkOnly && stale > 0) {
  console.error('Run: npm run generate')
  process.exit(1)
}
if (stale === 0) console.log('Generated files are up to date.')
