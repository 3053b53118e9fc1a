/**
 * What a run of the tests makes once and its test files share. Without a run, as with `node --test`, a
 * file makes what it needs itself.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const variable = 'SELVEDGE_TEST_FOLDER'

/** Makes the folder that the processes of a run share. They inherit the environment. */
export const openPreparedFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-prepared-'))
  process.env[variable] = folder
  return folder
}

let own: string | undefined

/** The folder of the run, or of this process if it does not belong to one. */
export const preparedFolder = (): string => {
  const shared = process.env[variable]
  if (shared !== undefined) return shared
  if (own === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-prepared-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    own = folder
  }
  return own
}
