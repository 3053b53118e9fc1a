/** An operator who uploads files to the operator page. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import {
  fileNameHeader,
  type OperatorUpload,
  type UploadChoices,
  type UploadJob,
  type UploadJobKind,
} from '#contract'
import type { SignedIn, TestAdmin } from './admin-service.ts'

export interface UploadResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  readonly body: any
}

/** A file that is being sent. */
export interface Sending {
  readonly answer: Promise<UploadResponse>
  write(text: string): void
  breakOff(): void
}

export interface Uploader {
  ask(method: string, path: string, body?: object): Promise<UploadResponse>
  /** Begins to send a file of which more comes later. */
  begin(name: string, bytes: number, id?: string): Sending
  send(name: string, bytes: string | Buffer, id?: string): Promise<UploadResponse>
  /** Sends files into one upload, which must be accepted. */
  upload(files: { readonly [name: string]: string | Buffer }): Promise<OperatorUpload>
  start(id: string, kind: UploadJobKind, choices?: Partial<UploadChoices>): Promise<UploadResponse>
  /** Starts a job, and waits for its end. */
  run(id: string, kind: UploadJobKind, choices?: Partial<UploadChoices>): Promise<UploadJob>
  /** The job, once it fulfils the condition. */
  until(id: string, isReached: (job: UploadJob) => boolean): Promise<UploadJob>
}

const usualChoices: UploadChoices = {
  ...{ brand: 'aldermoor', collections: {} },
  ...{ replace: false, allowRemovals: false, onError: 'refuse' },
}

export const isOver = ({ state }: UploadJob): boolean => state !== 'waiting' && state !== 'running'

export const uploaderOf = ({ url }: Pick<TestAdmin, 'url'>, signedIn: SignedIn): Uploader => {
  const { session, cookie } = signedIn
  const begin: Uploader['begin'] = (name, bytes, id) => {
    const path = id === undefined ? '/api/uploads' : `/api/uploads/${id}/files`
    const sending = request(url + path, {
      method: 'POST',
      headers: {
        ...{ origin: url, cookie, 'x-csrf-token': session.csrfToken },
        ...{ [fileNameHeader]: encodeURIComponent(name), 'content-length': bytes },
      },
    })
    sending.flushHeaders()
    const answer = once(sending, 'response').then(async ([response]) => {
      const { statusCode: status = 0 } = response as IncomingMessage
      return { status, body: JSON.parse(await text(response as IncomingMessage)) }
    })
    answer.catch(() => undefined)
    return {
      answer,
      write: (more) => void sending.write(more),
      breakOff: () => void sending.destroy(new Error('broken off')),
    }
  }
  const send: Uploader['send'] = (name, bytes, id) => {
    const sending = begin(name, Buffer.byteLength(bytes), id)
    sending.write(bytes as string)
    return sending.answer
  }
  const ask: Uploader['ask'] = (method, path, body) =>
    signedIn.ask(`/api${path}`, { method, ...(body && { body }) })
  const until: Uploader['until'] = async (id, isReached) => {
    for (;;) {
      const { status, body } = await ask('GET', `/uploads/${id}`)
      assert.equal(status, 200, JSON.stringify(body))
      if (isReached(body.job)) return body.job
      await wait(20)
    }
  }
  const start: Uploader['start'] = (id, kind, choices) =>
    ask('POST', `/uploads/${id}/${kind}`, { ...usualChoices, ...choices })
  return {
    ...{ ask, begin, send, start, until },
    upload: async (files) => {
      let upload: OperatorUpload | undefined
      for (const [name, bytes] of Object.entries(files)) {
        const { status, body } = await send(name, bytes, upload?.id)
        assert.equal(status, 200, JSON.stringify(body))
        upload = body
      }
      return upload as OperatorUpload
    },
    run: async (id, kind, choices) => {
      const { status, body } = await start(id, kind, choices)
      assert.equal(status, 200, JSON.stringify(body))
      return until(id, isOver)
    },
  }
}
