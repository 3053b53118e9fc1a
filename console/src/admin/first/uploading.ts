import { useCallback, useEffect, useRef, useState } from 'react'
import { SelvedgeError } from '../../../../client/src/index.ts'
import type {
  OperatorUpload,
  UploadChoices,
  UploadJob,
  UploadJobKind,
} from '../../../../src/contract/index.ts'
import { useAdmin } from '../admin.ts'
import { sendFile } from './send-file.ts'

/** A file on its way, or one that was refused. */
export interface SentFile {
  readonly name: string
  /** From 0 to 1. */
  readonly share: number
  readonly error: string | null
}

export interface Uploading {
  readonly upload: OperatorUpload | null
  /** Files that are not on the server: on their way, waiting, or refused. */
  readonly sent: readonly SentFile[]
  readonly error: unknown
  readonly isSending: boolean
  addFiles(files: readonly File[]): Promise<void>
  removeFile(id: string): Promise<void>
  start(kind: UploadJobKind, choices: UploadChoices): Promise<void>
  cancel(): Promise<void>
  discard(): Promise<void>
}

const pollMs = 400

export const isActive = (job: UploadJob | null | undefined): boolean =>
  job?.state === 'waiting' || job?.state === 'running'

interface UploadingParts {
  /** An upload that an earlier visit has begun. */
  readonly id: string | null
  readonly onId: (id: string | null) => void
  /** Called when the last of some files has arrived. */
  readonly onArrived: (upload: OperatorUpload) => void
}

/** The files of an import: sends them, and follows the job that reads them. */
export const useUploading = ({ id, onId, onArrived }: UploadingParts): Uploading => {
  const { api, session } = useAdmin()
  const [upload, setUpload] = useState<OperatorUpload | null>(null)
  const [sent, setSent] = useState<readonly SentFile[]>([])
  const [error, setError] = useState<unknown>(null)
  const current = useRef<OperatorUpload | null>(null)

  const show = useCallback((next: OperatorUpload | null) => {
    current.current = next
    setUpload(next)
  }, [])

  /** An upload that the server has removed begins again. */
  const fail = useCallback(
    (problem: unknown) => {
      setError(problem)
      if (!(problem instanceof SelvedgeError) || problem.status !== 404) return
      show(null)
      onId(null)
    },
    [onId, show],
  )

  useEffect(() => {
    if (id === null || current.current) return
    api.get<OperatorUpload>(`/uploads/${id}`).then(show, fail)
  }, [api, id, show, fail])

  const job = upload?.job ?? null
  const uploadId = upload?.id
  useEffect(() => {
    if (!isActive(job) || !uploadId) return
    const timer = setTimeout(
      () => void api.get<OperatorUpload>(`/uploads/${uploadId}`).then(show, fail),
      pollMs,
    )
    return () => clearTimeout(timer)
  }, [api, job, uploadId, show, fail])

  const change = async (work: () => Promise<OperatorUpload>): Promise<OperatorUpload | null> => {
    setError(null)
    try {
      const next = await work()
      show(next)
      return next
    } catch (problem) {
      fail(problem)
      return null
    }
  }

  const sendOne = async (file: File): Promise<void> => {
    const set = (changes: Partial<SentFile> | null) =>
      setSent((all) =>
        changes === null
          ? all.filter(({ name }) => name !== file.name)
          : all.map((each) => (each.name === file.name ? { ...each, ...changes } : each)),
      )
    try {
      const next = await sendFile(file, {
        csrfToken: session.csrfToken,
        upload: current.current?.id ?? null,
        onProgress: (share) => set({ share }),
      })
      show(next)
      onId(next.id)
      set(null)
    } catch (problem) {
      set({ error: problem instanceof Error ? problem.message : String(problem) })
    }
  }

  return {
    upload,
    sent,
    error,
    isSending: sent.some((each) => each.error === null),
    addFiles: async (files) => {
      setError(null)
      const names = new Set(files.map(({ name }) => name))
      setSent((all) => [
        ...all.filter(({ name, error: reason }) => reason === null && !names.has(name)),
        ...files.map(({ name }) => ({ name, share: 0, error: null })),
      ])
      for (const file of files) await sendOne(file)
      if (current.current) onArrived(current.current)
    },
    removeFile: async (file) => {
      const next = await change(() =>
        api.change<OperatorUpload>('DELETE', `/uploads/${uploadId}/files/${file}`),
      )
      if (next && next.files.length > 0) onArrived(next)
    },
    start: async (kind, choices) => {
      await change(() =>
        api.change<OperatorUpload>('POST', `/uploads/${current.current?.id}/${kind}`, choices),
      )
    },
    cancel: async () => {
      await change(() => api.change<OperatorUpload>('POST', `/uploads/${uploadId}/cancel`))
    },
    discard: async () => {
      setError(null)
      setSent([])
      const discarded = current.current
      show(null)
      onId(null)
      if (discarded) await api.change('DELETE', `/uploads/${discarded.id}`).catch(() => undefined)
    },
  }
}
