/** Point-in-time recovery by the tools of PostgreSQL, with the commands of the documentation. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { basePath, feedBasePath } from '#contract'
import { readServiceConfig } from '#server'
import { ndjson, openSandbox, type Sandbox } from '../support/command.ts'
import { findDebianPostgres } from '../support/debian-postgres.ts'
import { openService } from '../support/open-service.ts'
import { blocksOf, read } from '../support/pages.ts'
import { createTemplate, openPostgres } from '../support/postgres.ts'

const run = promisify(execFile)
const debian = await findDebianPostgres()
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** The block of the page with these words. */
const blockWith = (words: string): string => {
  const block = blocksOf(read('docs/how-to/recover.md')).find(({ text }) => text.includes(words))
  assert.ok(block, words)
  return block.text
}

it('PostgreSQL returns to the minute before a bad import', {
  skip: 'missing' in debian && debian.missing,
}, async () => {
  assert.ok(!('missing' in debian))
  const { bin } = debian
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-point-in-time-'))
  const [WAL, BASE, PGDATA] = [join(folder, 'wal'), join(folder, 'base'), join(folder, 'data')]
  mkdirSync(WAL)
  if (nobody.uid) for (const path of [folder, WAL]) chownSync(path, nobody.uid, nobody.gid)
  chmodSync(folder, 0o755)
  createTemplate(bin, join(folder, 'template'))
  const settings = blockWith('archive_mode')
    .split('\n')
    .map((line) => line.replace(/ = '?/, '=').replace(/'$/, '').replaceAll('$WAL', WAL))
  const installation = { bin, template: join(folder, 'template/data') }
  const postgres = await openPostgres({ installation, settings })
  const url = await postgres.url()
  const sandbox = openSandbox(url)
  let recovered: ChildProcess | undefined
  try {
    const shell = (words: string, variables: NodeJS.ProcessEnv) =>
      run('sh', ['-euc', blockWith(words)], {
        ...nobody,
        env: { PATH: `${bin}${delimiter}${process.env['PATH']}`, ...variables },
      })
    await succeed(sandbox, ['brands', 'add', 'acme', '--name', 'Acme'])
    const { key } = JSON.parse(
      await succeed(sandbox, ['keys', 'issue', '--brand', 'acme', '--json']),
    )
    await withServer(url, async () => undefined)
    await importTag(sandbox, 'before the copy')
    await shell('pg_basebackup', { PRIMARY_URL: url, BASE })
    await importTag(sandbox, 'good')
    const good = await withServer(url, (base) => readFeed(base, key))
    const [BEFORE] = await ask(url, 'select clock_timestamp()::text')
    await importTag(sandbox, 'bad')
    const [segment = ''] = await ask(url, 'select pg_walfile_name(pg_switch_wal())')
    while ((await ask(url, 'select last_archived_wal from pg_stat_archiver'))[0] !== segment) {
      await wait(50)
    }
    await postgres.stop()

    await shell('recovery_target_time', { BASE, PGDATA, WAL, BEFORE })
    recovered = spawn(
      join(bin, 'postgres'),
      ['-D', PGDATA, '-c', `port=${postgres.port}`, '-c', 'unix_socket_directories='],
      { ...nobody, stdio: 'ignore' },
    )
    while ((await ask(url, 'select pg_is_in_recovery()').catch(() => []))[0] !== 'false') {
      assert.equal(recovered.exitCode, null)
      await wait(50)
    }

    await withServer(url, async (base) => {
      assert.deepEqual((await readTags(base, key)).items, ['good'])
      assert.equal((await readFeed(base, key, good.cursor)).status, 200)
    })
    await importTag(sandbox, 'corrected')
    await withServer(url, async (base) => {
      assert.deepEqual((await readTags(base, key)).items, ['corrected'])
      assert.equal((await readFeed(base, key, good.cursor)).status, 200)
    })
  } finally {
    sandbox.close()
    if (recovered && recovered.exitCode === null) {
      const ended = once(recovered, 'exit')
      recovered.kill('SIGQUIT')
      await ended
    }
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const succeed = async (sandbox: Sandbox, args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await sandbox.run(args)
  assert.equal(code, 0, stderr)
  return stdout
}

const importTag = async (sandbox: Sandbox, name: string): Promise<void> => {
  const at = '2026-11-01T08:00:00.000Z'
  const id = '00000000-0000-4000-8000-000000000001'
  sandbox.put({
    'tags.ndjson': ndjson([{ id, name, code: null, uiColor: null, createdAt: at, updatedAt: at }]),
  })
  await succeed(sandbox, ['import', 'tags.ndjson', '--brand', 'acme', '--no-check'])
}

/** Serves the database with a change feed. */
const withServer = async <T>(url: string, work: (base: string) => Promise<T>): Promise<T> => {
  const service = await openService(
    readServiceConfig({
      ...{ DATABASE_URL: url, HOST: '127.0.0.1', PORT: '0', CHANGE_FEED: 'on' },
      LOG_LEVEL: 'silent',
    }),
  )
  try {
    return await work(service.url)
  } finally {
    await service.close()
  }
}

interface Body {
  readonly items: readonly { readonly name: string }[]
  readonly nextCursor: string
}

const get = async (url: string, key: string) => {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, body: (await response.json()) as Body }
}

const readTags = async (base: string, key: string) => {
  const { status, body } = await get(`${base}${basePath}/brands/acme/tags`, key)
  return { status, items: body.items.map(({ name }) => name) }
}

const readFeed = async (base: string, key: string, cursor?: string) => {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
  const { status, body } = await get(`${base}${feedBasePath}/brands/acme/changes${query}`, key)
  return { status, cursor: body.nextCursor }
}

const ask = async (url: string, text: string): Promise<readonly string[]> => {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query({ text, rowMode: 'array' })
    return rows.map(([value]) => String(value))
  } finally {
    await client.end()
  }
}
