import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparedFolder } from './prepared.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Fills a folder as `selvedge demo` does, around today. The demo is generated once and copied. */
export const putDemo = (folder: string): void => {
  const prepared = join(preparedFolder(), 'demo')
  if (!existsSync(prepared)) {
    const making = mkdtempSync(`${prepared}-`)
    const { DATABASE_URL: _, IMAGES_URL: __, ...env } = process.env
    const { status, stderr } = spawnSync(process.execPath, [main, 'demo'], { cwd: making, env })
    if (status !== 0) throw new Error(String(stderr))
    try {
      renameSync(making, prepared)
    } catch {
      // Another process has made it meanwhile; the two are alike.
      rmSync(making, { recursive: true, force: true })
    }
  }
  cpSync(prepared, folder, { recursive: true })
}
