import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparedFolder } from './prepared.ts'

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** Enough orders for tests that are not about their number; those of the standard demo take long. */
export const fewOrders = 30

/** Fills a folder as `selvedge demo` does, around today. The demo is generated once and copied. */
export const putDemo = (folder: string, orders = 200): void => {
  const prepared = join(preparedFolder(), `demo-${orders}`)
  if (!existsSync(prepared)) {
    const making = mkdtempSync(`${prepared}-`)
    const { DATABASE_URL: _, IMAGES_URL: __, ...env } = process.env
    const { status, stderr } = spawnSync(
      process.execPath,
      [main, 'demo', '--orders', String(orders)],
      { cwd: making, env },
    )
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
