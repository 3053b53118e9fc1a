import { useRef, useState } from 'react'
import type { Api, Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { countText } from '../figures.ts'
import { Menu } from '../menu.tsx'
import { type FileFormat, fileFormats } from './file-formats.ts'

interface DownloadProps {
  readonly api: Api
  readonly group: Group
  readonly filters: Filters
  readonly total: number | null
}

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly done: number; readonly of: number }
  | { readonly state: 'done'; readonly done: number }
  | { readonly state: 'failed'; readonly why: string }

/** Downloads the whole filtered list page by page and shows the progress. */
export const Download = ({ api, group, filters, total }: DownloadProps) => {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' })
  const running = useRef<AbortController | null>(null)

  const run = async (format: FileFormat) => {
    const abort = new AbortController()
    running.current = abort
    setProgress({ state: 'running', done: 0, of: total ?? 0 })
    try {
      const { parts, done } = await readParts(
        { api, group, filters, signal: abort.signal },
        format,
        (count, of) => setProgress({ state: 'running', done: count, of }),
      )
      saveAs(new Blob(parts, { type: format.type }), `${api.brand}-${group.path}.${format.ending}`)
      setProgress({ state: 'done', done })
    } catch (error) {
      setProgress(
        abort.signal.aborted
          ? { state: 'idle' }
          : { state: 'failed', why: error instanceof Error ? error.message : String(error) },
      )
    }
  }

  return (
    <Menu title="Download">
      {progress.state === 'running' ? (
        <>
          <label>
            <span className="number">
              {countText(progress.done)} of {countText(progress.of)}
            </span>
            <progress value={progress.done} max={Math.max(1, progress.of)} />
          </label>
          <button type="button" onClick={() => running.current?.abort()}>
            Cancel
          </button>
        </>
      ) : (
        <>
          <p>{total === null ? 'Counting …' : `All ${countText(total)} records of this list`}</p>
          <div className="row">
            {fileFormats.map((format) => (
              <button key={format.ending} type="button" onClick={() => void run(format)}>
                {format.title}
              </button>
            ))}
          </div>
        </>
      )}
      <p className="quiet small" role="status">
        {progress.state === 'done' && `${countText(progress.done)} records saved.`}
        {progress.state === 'failed' && progress.why}
      </p>
    </Menu>
  )
}

interface Source {
  readonly api: Api
  readonly group: Group
  readonly filters: Filters
  readonly signal: AbortSignal
}

/** Each page becomes a blob, since browsers move large blobs to disk. */
const readParts = async (
  { api, group, filters, signal }: Source,
  format: FileFormat,
  onPage: (done: number, of: number) => void,
) => {
  const parts = [new Blob([format.head(group)])]
  let done = 0
  let cursor: string | null = null
  do {
    const page = await api.list(group.path, {
      filters,
      limit: 100,
      signal,
      ...(cursor && { cursor }),
    })
    parts.push(new Blob([format.rows(group, page.items)]))
    done += page.items.length
    cursor = page.next
    onPage(done, page.total)
  } while (cursor !== null)
  return { parts, done }
}

const saveAs = (blob: Blob, name: string): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
