/** The log where it cannot be written: requests are served all the same. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../support/cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const output = fileURLToPath(new URL('../../src/observability/log-output.ts', import.meta.url))

/** Writes numbered lines to standard output through the log, in a process of its own. */
const writeLines = (lines: number, stdout: number, queueMax: number, until = '') => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { openLogOutput } from ${JSON.stringify(output)}
      const log = openLogOutput(1, { queueMax: ${queueMax}, retryMs: 20 })
      let n = 0
      const some = () => {
        for (let k = 0; k < 100 && n < ${lines}; k += 1) log.write(JSON.stringify({ n: n++ }) + '\\n')
        if (n < ${lines}) setTimeout(some, 1)
        else finish()
      }
      const finish = () => {
        process.send({ dropped: log.droppedLines })
        ${until}
      }
      some()`,
    ],
    { stdio: ['ignore', stdout, 'inherit', 'ipc'] },
  )
  after(() => child.kill('SIGKILL'))
  return child
}

const nextMessage = (child: ReturnType<typeof writeLines>) =>
  new Promise<{ readonly dropped: number }>((resolve) =>
    child.once('message', (message) => resolve(message as { dropped: number })),
  )

const exitOf = (child: ReturnType<typeof writeLines>) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))

const makePipe = (name: string) => {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  // Open for both, so that opening does not wait for the other end.
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  return { path, reader, writer: openSync(path, constants.O_WRONLY) }
}

/** Everything that can be read at the moment. */
const drain = (reader: number): string => {
  const parts: Buffer[] = []
  const buffer = Buffer.alloc(65_536)
  for (;;) {
    try {
      const bytes = readSync(reader, buffer)
      if (bytes === 0) break
      parts.push(Buffer.from(buffer.subarray(0, bytes)))
    } catch {
      break
    }
  }
  return Buffer.concat(parts).toString()
}

describe('a log on a full disk', () => {
  it('drops and counts its lines, and does not keep the process from exiting', async () => {
    const child = writeLines(5_000, openSync('/dev/full', 'w'), 10_000)
    const exited = exitOf(child)
    const { dropped } = await nextMessage(child)
    assert.ok(dropped > 1_000, `${dropped} dropped`)
    child.disconnect()
    assert.equal(await exited, 0)
  })
})

describe('a log whose reader is stuck', () => {
  it('keeps whole lines, drops the rest, and says how many when the reader continues', async () => {
    const { reader, writer } = makePipe('stuck')
    const lines = 30_000
    // It continues to write one line at a time until it is disconnected.
    const child = writeLines(
      lines,
      writer,
      50_000,
      `process.once('message', () => {
        const more = setInterval(() => log.write(JSON.stringify({ n: n++ }) + '\\n'), 20)
        process.once('message', () => {
          clearInterval(more)
          process.send({ dropped: log.droppedLines, last: n })
          process.disconnect()
        })
      })`,
    )
    const exited = exitOf(child)
    const { dropped } = await nextMessage(child)
    assert.ok(dropped > 10_000, `${dropped} dropped`)
    let text = drain(reader)
    child.send('continue')
    await until(() => {
      text += drain(reader)
      // The first lines after it continues may still find the queue full.
      const last = Math.max(0, ...[...text.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n)))
      return text.includes('droppedLines') && last >= lines
    })
    const ended = nextMessage(child)
    child.send('stop')
    const { dropped: inAll } = await ended
    assert.equal(await exited, 0)
    text += drain(reader)
    const records = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { n?: number; droppedLines?: number })
    const reported = records.reduce((sum, { droppedLines = 0 }) => sum + droppedLines, 0)
    const written = records.filter(({ n }) => n !== undefined).map(({ n }) => n ?? 0)
    assert.equal(reported, inAll)
    assert.equal(written.length + inAll, Math.max(...written) + 1)
    assert.deepEqual(
      written,
      [...written].sort((a, b) => a - b),
    )
  })
})
