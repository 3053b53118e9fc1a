/** Commands that begin while a restore puts its files in place use the new database. */
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { lockSqliteFiles, replacedFilesOf, replaceFiles } from '#database'
import { openSandbox, type Sandbox, type Started } from '../support/command.ts'

const skip = process.platform !== 'linux' && 'only Linux shows which files a process has open'

/** Waits until a process has opened a file. */
const hasOpened = async ({ child }: Started, file: string): Promise<void> => {
  const folder = `/proc/${child.pid}/fd`
  const isOpen = (descriptor: string): boolean => {
    try {
      return readlinkSync(join(folder, descriptor)) === file
    } catch {
      return false
    }
  }
  while (!readdirSync(folder).some(isOpen)) {
    assert.equal(child.exitCode, null)
    await wait(2)
  }
}

describe('a command that waits for a restore', { skip }, () => {
  const created: Sandbox[] = []
  const emptyPlace = (): Sandbox => {
    const sandbox = openSandbox()
    created.push(sandbox)
    return sandbox
  }
  const installationOf = async (brand: string): Promise<Sandbox & { readonly file: string }> => {
    const sandbox = emptyPlace()
    const ran = await sandbox.run(['brands', 'add', brand, '--name', brand])
    assert.equal(ran.code, 0, ran.stderr)
    return { ...sandbox, file: join(sandbox.folder, 'selvedge.db') }
  }
  let restored: Awaited<ReturnType<typeof installationOf>>
  before(async () => {
    restored = await installationOf('restored')
  })
  after(() => {
    for (const sandbox of created) sandbox.close()
  })

  const assertRestored = async ({ ended }: Started): Promise<void> => {
    const { code, stdout, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.match(stdout, /"slug":"restored"/)
    assert.doesNotMatch(stdout, /"slug":"old"/)
  }

  it('continues when another process has moved the files', async () => {
    const { file, start } = await installationOf('old')
    const pending = `${file}.restored`
    mkdirSync(pending)
    cpSync(restored.file, join(pending, 'records.db'))
    const lock = new DatabaseSync(join(pending, 'lock'))
    lock.exec('begin exclusive')
    const started = start(['brands', 'list', '--json'])
    await hasOpened(started, join(pending, 'lock'))
    renameSync(join(pending, 'records.db'), file)
    rmSync(pending, { recursive: true })
    lock.close()
    await assertRestored(started)
  })
  for (const before of ['a database', 'no database']) {
    it(`uses the new files where there was ${before}`, async () => {
      const { folder, databaseUrl, start } =
        before === 'a database' ? await installationOf('old') : emptyPlace()
      const file = join(folder, 'selvedge.db')
      const next = join(folder, 'next')
      mkdirSync(next)
      for (const [name, path] of Object.entries(replacedFilesOf(restored.databaseUrl))) {
        if (existsSync(path)) cpSync(path, join(next, name))
        else writeFileSync(join(next, name), '')
      }
      const files = replacedFilesOf(databaseUrl)
      const unlock = lockSqliteFiles(Object.values(files))
      const started = start(['brands', 'list', '--json'])
      await hasOpened(started, file)
      replaceFiles(next, file, files)
      unlock()
      await assertRestored(started)
      assert.match((await start(['brands', 'list']).ended).stdout, /restored/)
    })
  }

  it('creates a database where the restore has failed', async () => {
    const { folder, databaseUrl, start } = emptyPlace()
    const unlock = lockSqliteFiles(Object.values(replacedFilesOf(databaseUrl)))
    const started = start(['brands', 'add', 'late', '--name', 'Late'])
    await hasOpened(started, join(folder, 'selvedge.db'))
    unlock()
    const { code, stderr } = await started.ended
    assert.equal(code, 0, stderr)
    assert.match((await start(['brands', 'list']).ended).stdout, /late/)
    assert.equal(statSync(join(folder, 'selvedge.db')).mode & 0o777, 0o600)
  })
})
