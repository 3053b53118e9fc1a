/** The audit log of a server that is killed again and again while batches arrive, on both engines. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { ReadEntry } from '#audit'
import { ingestBasePath } from '#contract'
import { until } from '../support/cluster.ts'
import { openSandbox, type Started } from '../support/command.ts'
import { brand, tag } from '../support/import-records.ts'
import { freePort, openPostgresDatabases } from '../support/postgres.ts'

/** Kills a server and its processes at once. */
const killAll = async ({ child, ended }: Started) => {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  for (const pid of [child.pid, ...children.trim().split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(pid as number, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  await ended
}

describe('a server that is killed', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`has each committed batch in its audit log once, on ${engine}`, async (t) => {
      const postgres = engine === 'postgres' ? await openPostgresDatabases() : null
      t.after(() => postgres?.close())
      const place = openSandbox((await postgres?.url('killed')) ?? undefined)
      t.after(place.close)
      const run = async (...args: string[]) => {
        const ran = await place.run(args)
        assert.equal(ran.code, 0, ran.stderr)
        return ran.stdout
      }
      await run('brands', 'add', brand, '--name', 'Aldermoor')
      const key = (await run('keys', 'issue', '--ingest', '--brand', brand)).trim()
      const port = await freePort()
      const url = `http://127.0.0.1:${port}${ingestBasePath}/brands/${brand}/batches`
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
      const settings = { PORT: '0', INGEST_PORT: String(port), INGEST_RATE_BURST: '100000' }
      const start = async () => {
        const started = place.start(['serve'], settings)
        await started.said('Ctrl+C stops')
        return started
      }
      const accepted: string[] = []
      let sent = 0
      const send = async () => {
        sent += 1
        const record = tag(sent, { code: `C${sent}` })
        const item = { collection: 'tags', id: record['id'], operation: 'put', record }
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(item) })
        const { id } = (await response.json()) as { readonly id: string }
        if (response.status === 202) accepted.push(id)
      }
      for (const ms of [700, 1_400, 250]) {
        const server = await start()
        let isAlive = true
        const senders = Array.from({ length: 4 }, async () => {
          while (isAlive) await send().catch(() => wait(5))
        })
        await wait(ms)
        await killAll(server)
        isAlive = false
        await Promise.all(senders)
      }
      assert.ok(accepted.length > 20, `${accepted.length} batches`)
      const last = await start()
      // A batch that was interrupted three times is in quarantine.
      const committed: string[] = []
      for (const id of accepted) {
        await until(async () => {
          const { state } = (await (await fetch(`${url}/${id}`, { headers })).json()) as {
            readonly state: string
          }
          if (state === 'committed') committed.push(id)
          return ['committed', 'quarantined'].includes(state)
        })
      }
      assert.ok(committed.length >= accepted.length - 4, `${committed.length} were committed`)
      await killAll(last)
      assert.match(await run('audit', 'verify'), /in order/)
      const entries = (await run('audit', '--json', '--action', 'unit.committed'))
        .split('\n')
        .filter(Boolean)
        .map((line): ReadEntry => JSON.parse(line).entry)
      const recorded = entries.flatMap(({ subject, details }) => details['units'] ?? subject ?? [])
      assert.equal(new Set(recorded).size, recorded.length, 'none is there twice')
      for (const id of committed) assert.ok(recorded.includes(id), `${id} is not recorded`)
    })
  }
})
