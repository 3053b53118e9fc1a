import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type {
  OperatorUpload,
  UploadChoices,
  UploadedFile,
  UploadJob,
} from '../../../../src/contract/index.ts'
import { countText } from '../../figures.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { bytesText } from '../bytes.ts'
import { RadioList } from '../check-list.tsx'
import { DropZone } from './drop-zone.tsx'
import { Preview } from './previews.tsx'
import { Results } from './results.tsx'
import { isActive, type SentFile, useUploading } from './uploading.ts'
import './first.css'

interface ImportFlowProps {
  /** The brand that owns the records; null for shared ones. */
  readonly brand: string | null
  /** An upload that an earlier visit has begun. */
  readonly uploadId: string | null
  readonly onUploadId: (id: string | null) => void
  readonly onImported: () => void
  /** Shown after the import. */
  readonly next: ReactNode
}

/** How rows are taken, apart from the owner and the collections. */
type Handling = Omit<UploadChoices, 'brand' | 'collections'>

/** Files become records: drop, preview, dry run, import. */
export const ImportFlow = (props: ImportFlowProps) => {
  const { brand, uploadId, onUploadId, onImported, next } = props
  const words = adminTexts().upload
  const [collections, setCollections] = useState<UploadChoices['collections']>({})
  const [handling, setHandling] = useState<Handling>({
    ...{ replace: false, allowRemovals: false, onError: 'refuse' },
  })
  const choices: UploadChoices = { brand, collections, ...handling }
  const latest = useRef({ choices, onUploadId })
  latest.current = { choices, onUploadId }
  const arrived = useRef<(upload: OperatorUpload) => void>(() => undefined)
  const [parts] = useState(() => ({
    onId: (id: string | null) => latest.current.onUploadId(id),
    onArrived: (upload: OperatorUpload) => arrived.current(upload),
  }))
  const uploading = useUploading({ id: uploadId, ...parts })
  const { upload, sent, error, isSending } = uploading
  const job = upload?.job ?? null
  const files = upload?.files ?? []
  const isBusy = isActive(job) || isSending
  const isImported = job?.kind === 'import' && Boolean(job.result?.isWritten)
  arrived.current = ({ files: all }) => {
    if (all.some(({ kind }) => kind === 'records')) void preview(latest.current.choices)
  }

  const preview = (with_: UploadChoices) => uploading.start('preview', with_)

  const previews = usePreviews(job)
  // What was previewed for another brand says nothing about this one. After a reload, a dry run has
  // no preview, and the choices that it was made with are lost.
  const isOther = job?.choices.brand !== brand || (previews === null && job.kind !== 'preview')
  const hasFiles = files.some(({ kind }) => kind === 'records')
  const isStale = job !== null && !isBusy && !isImported && isOther && hasFiles
  useEffect(() => {
    if (isStale) arrived.current(upload as OperatorUpload)
  }, [isStale, upload])

  const reported = useRef(false)
  useEffect(() => {
    if (isImported && !reported.current) onImported()
    reported.current = isImported
  }, [isImported, onImported])

  const isReady =
    previews?.every(({ collection, error: reason }) => collection !== null && reason === null) ??
    false
  const isMapped = files.some(({ kind }) => kind === 'mapping')
  const result = job?.result ?? null
  const isChecked = job?.kind === 'check' && job.state === 'done' && result !== null
  return (
    <div className="upload-flow">
      {!isImported && (
        <DropZone isDisabled={isBusy} onFiles={(chosen) => void uploading.addFiles(chosen)} />
      )}
      <Files
        files={files}
        sent={sent}
        isDisabled={isBusy || isImported}
        onRemove={(file) => void uploading.removeFile(file)}
      />
      {error !== null && <Failure error={error} />}
      {isActive(job) && job && <Progress job={job} onCancel={() => void uploading.cancel()} />}
      {job?.state === 'failed' && (
        <p className="upload-error" role="alert">
          {job.error}
        </p>
      )}
      {job?.state === 'cancelled' && <p role="status">{words.cancelled}</p>}
      {!isImported && previews && hasFiles && (
        <>
          <h2>{words.preview}</h2>
          {previews.map((each) => {
            const file = files.find(({ id }) => id === each.file)
            return (
              file && (
                <Preview
                  key={`${each.file} ${each.collection}`}
                  {...{ file, preview: each, isMapped, isDisabled: isBusy }}
                  onCollection={(collection) => {
                    const more = { ...collections, [each.file]: collection }
                    setCollections(more)
                    void preview({ ...choices, collections: more })
                  }}
                />
              )
            )
          })}
        </>
      )}
      {result && !isBusy && (
        <>
          <h2>{result.isWritten ? words.done : words.dryRun}</h2>
          <Results result={result} />
        </>
      )}
      {!isImported && previews && hasFiles && (
        <>
          <Choices value={handling} isDisabled={isBusy} onChange={setHandling} />
          <div className="admin-actions">
            <button
              type="button"
              className={isChecked ? undefined : 'primary'}
              disabled={!isReady || isBusy}
              onClick={() => void uploading.start('check', choices)}
            >
              {isChecked ? words.checkAgain : words.check}
            </button>
            {isChecked && !result.isRefused && isSame(job.choices, choices) && (
              <button
                type="button"
                className="primary"
                disabled={isBusy}
                onClick={() => void uploading.start('import', choices)}
              >
                {words.import}
              </button>
            )}
            <button
              type="button"
              disabled={isBusy}
              onClick={() => {
                setCollections({})
                void uploading.discard()
              }}
            >
              {words.discard}
            </button>
          </div>
          {!isReady && !isBusy && <p className="quiet">{words.notReady}</p>}
        </>
      )}
      {isImported && (
        <div className="admin-actions">
          {next}
          <button type="button" onClick={() => void uploading.discard()}>
            {words.another}
          </button>
        </div>
      )}
    </div>
  )
}

/** What was checked is what would be imported. */
const isSame = (one: UploadChoices, other: UploadChoices): boolean =>
  one.brand === other.brand &&
  one.replace === other.replace &&
  one.allowRemovals === other.allowRemovals &&
  one.onError === other.onError

/** The last preview, also while a dry run is shown. */
const usePreviews = (job: UploadJob | null): UploadJob['previews'] => {
  const last = useRef<UploadJob['previews']>(null)
  if (job === null) last.current = null
  else if (job.previews) last.current = job.previews
  return last.current
}

interface FilesProps {
  readonly files: readonly UploadedFile[]
  readonly sent: readonly SentFile[]
  readonly isDisabled: boolean
  readonly onRemove: (file: string) => void
}

const Files = ({ files, sent, isDisabled, onRemove }: FilesProps) => {
  const words = adminTexts().upload
  if (files.length + sent.length === 0) return null
  return (
    <ul className="upload-files" aria-label={words.files}>
      {files.map(({ id, name, bytes, kind }) => (
        <li key={id}>
          <span className="admin-name">{name}</span>
          <span className="quiet">{bytesText(bytes)}</span>
          {kind === 'mapping' && <span className="chip">{words.mapping}</span>}
          {!isDisabled && (
            <button
              type="button"
              className="plain"
              aria-label={words.remove(name)}
              onClick={() => onRemove(id)}
            >
              ×
            </button>
          )}
        </li>
      ))}
      {sent.map(({ name, share, error }) => (
        <li key={name}>
          <span className="admin-name">{name}</span>
          {error === null ? (
            <progress aria-label={words.sending(name)} value={share} />
          ) : (
            <span className="upload-error" role="alert">
              {error}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

const Progress = ({ job, onCancel }: { job: UploadJob; onCancel: () => void }) => {
  const words = adminTexts().upload
  const { kind, state, progress } = job
  const { bytes, bytesTotal, rows } = progress
  const share = bytesTotal > 0 ? Math.min(bytes / bytesTotal, 1) : 0
  const [isCancelling, setCancelling] = useState(false)
  return (
    <div className="upload-progress">
      <p role="status">
        {state === 'waiting' ? words.waitingForOthers : words.running[kind]}
        {rows > 0 && ` ${words.rowsRead(countText(rows))}`}
      </p>
      <progress
        aria-label={words.running[kind]}
        {...(kind !== 'preview' && share > 0 && share < 1 && { value: share })}
      />
      <button
        type="button"
        disabled={isCancelling}
        onClick={() => {
          setCancelling(true)
          onCancel()
        }}
      >
        {isCancelling ? words.cancelling : adminTexts().tables.cancel}
      </button>
    </div>
  )
}

interface ChoicesProps {
  readonly value: Handling
  readonly isDisabled: boolean
  readonly onChange: (value: Handling) => void
}

const Choices = ({ value, isDisabled, onChange }: ChoicesProps) => {
  const words = adminTexts().upload
  const id = useId()
  return (
    <fieldset className="upload-choices" disabled={isDisabled}>
      <legend className="unseen">{words.choices}</legend>
      <RadioList
        label={words.onError}
        value={value.onError}
        choices={[
          ['refuse', words.onErrors.refuse],
          ['quarantine', words.onErrors.quarantine],
        ]}
        onChange={(onError) => onChange({ ...value, onError })}
      />
      <div className="admin-choice">
        <label htmlFor={`${id}-replace`}>
          <input
            id={`${id}-replace`}
            type="checkbox"
            checked={value.replace}
            onChange={({ target }) =>
              onChange({ ...value, replace: target.checked, allowRemovals: false })
            }
          />
          <span>{words.replace}</span>
        </label>
        {value.replace && (
          <label htmlFor={`${id}-removals`}>
            <input
              id={`${id}-removals`}
              type="checkbox"
              checked={value.allowRemovals}
              onChange={({ target }) => onChange({ ...value, allowRemovals: target.checked })}
            />
            <span>{words.allowRemovals}</span>
          </label>
        )}
      </div>
    </fieldset>
  )
}
