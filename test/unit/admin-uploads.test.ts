/** Files that wait on the server of the operator page, without what reads them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  openUploads,
  type Session,
  type UploadOutcome,
  type Uploads,
  type UploadThreads,
} from '#admin'
import { type UploadChoices, uploadLimits } from '#contract'

const session: Session = {
  ...{ id: 'one', operator: 'Ada', csrfToken: '', expiresAt: '2030-01-01T00:00:00.000Z' },
}
const config = {
  ...{ databaseUrl: 'sqlite:none', redisUrl: null, imagesUrl: 'file:none' },
  ...{ changeFeed: true, requiresRowSecurity: false },
}

/** Ends the job that runs. */
let end: (outcome: UploadOutcome) => void
let started = 0
const threads: UploadThreads = {
  start: () => {
    const { promise, resolve } = Promise.withResolvers<UploadOutcome>()
    end = resolve
    started += 1
    return { outcome: promise, cancel: () => undefined, stop: async () => undefined }
  },
  close: async () => undefined,
}

let uploads: Uploads
beforeEach(async () => {
  started = 0
  uploads = await openUploads({
    ...{ config, now: Date.now, newId: randomUUID, threads },
    liveSessions: async () => new Set([session.id]),
    onError: (error) => assert.fail(String(error)),
  })
})
afterEach(() => uploads.close())

const send = (id: string | null, name: string, text: string) =>
  uploads.add(session, id, {
    ...{ name, bytesExpected: text.length, signal: new AbortController().signal },
    openBody: () => Readable.from([Buffer.from(text)]),
  })

const choices: UploadChoices = {
  ...{ brand: 'aldermoor', collections: {}, replace: false, allowRemovals: false },
  onError: 'refuse',
}
const imported: UploadOutcome = {
  is: 'imported',
  result: {
    ...{ isWritten: true, isRefused: false, collections: [], errors: 0, warnings: 0 },
    ...{ problems: [], changes: [], waitingRows: 0, brokenRules: null },
  },
}
const stateOf = (id: string) => uploads.read(session, id).job?.state
const until = async (isReached: () => boolean): Promise<void> => {
  while (!isReached()) await wait(1)
}

/** The ids of stored files, which are their names in the temporary folder. */
const stored = (): readonly string[] =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith('selvedge-uploads-') && name.includes(`-${process.pid}-`))
    .flatMap((name) => readdirSync(`${tmpdir()}/${name}`))

describe('files of an upload', () => {
  it('replace those of their names, also at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `tags-${index}.csv`)
    const { id } = await send(null, 'tags-0.csv', 'old')
    await Promise.all(names.slice(1).map((name) => send(id, name, 'old')))
    await Promise.all(names.map((name) => send(id, name, 'newer')))
    const { files } = uploads.read(session, id)
    assert.deepEqual(files.map(({ name, bytes }) => `${name} ${bytes}`).sort(), [
      ...names.map((name) => `${name} 5`).sort(),
    ])
    assert.deepEqual([...stored()].sort(), files.map(({ id }) => id).sort())
  })

  it('free their space once, also if they are discarded after the import', async (context) => {
    const limits = uploadLimits as { totalBytes: number }
    const { totalBytes } = limits
    context.after(() => {
      limits.totalBytes = totalBytes
    })
    limits.totalBytes = 10
    const { id } = await send(null, 'tags.csv', '12345678')
    uploads.start(session, id, 'import', choices)
    await until(() => started === 1)
    end(imported)
    await until(() => stateOf(id) === 'done')
    await uploads.discard(session, id)
    await send(null, 'tags.csv', '1234567890')
    await assert.rejects(send(null, 'tags.csv', '1'), /more than 10 bytes together/)
  })
})

describe('a job that waits for another one', () => {
  it('is cancelled at once', async () => {
    const [one, other] = [await send(null, 'tags.csv', 'one'), await send(null, 'tags.csv', 'two')]
    uploads.start(session, one.id, 'import', choices)
    uploads.start(session, other.id, 'import', choices)
    await until(() => started === 1)
    uploads.cancel(session, other.id)
    await until(() => stateOf(other.id) === 'cancelled')
    assert.equal(stateOf(one.id), 'running')
    end(imported)
    await until(() => stateOf(one.id) === 'done')
    assert.equal(started, 1)
  })
})

describe('the end of a session', () => {
  it('does not wait for the import that runs, which keeps its files until then', async () => {
    const [one, other] = [await send(null, 'tags.csv', 'one'), await send(null, 'tags.csv', 'two')]
    uploads.start(session, one.id, 'import', choices)
    uploads.start(session, other.id, 'import', choices)
    await until(() => started === 1)
    await uploads.discardOf(session)
    assert.throws(() => uploads.read(session, one.id), /no such upload/)
    await until(() => stored().length === 1)
    assert.deepEqual(stored(), [one.files[0]?.id])
    end({ is: 'cancelled' })
    await until(() => stored().length === 0)
    assert.equal(started, 1)
  })
})
