import { useRef, useState } from 'react'
import { type DownloadFormat, downloadFormats } from '../../../src/contract/index.ts'
import type { Api, Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { countText } from '../figures.ts'
import { Menu } from '../menu.tsx'
import { saveFile } from '../save-file.ts'
import { type Language, language, texts } from '../texts/index.ts'
import { type Received, receiveFile } from './receive-file.ts'

interface DownloadProps {
  readonly api: Api
  readonly group: Group
  /** The filters and the sort order. */
  readonly parameters: Filters
  readonly fields: readonly string[]
  readonly total: number | null
  readonly title?: string
}

type Progress =
  | { readonly state: 'idle' }
  | ({ readonly state: 'running' } & Received)
  | { readonly state: 'done'; readonly records: number }
  | { readonly state: 'failed'; readonly why: string }

/** The most used formats first. */
const shownFormats = [...downloadFormats].reverse()

/** Downloads the whole list as one file, which the server streams. */
export const Download = ({ api, group, parameters, fields, total, title }: DownloadProps) => {
  const [progress, setProgress] = useState<Progress>({ state: 'idle' })
  const [isNarrow, setNarrow] = useState(false)
  const [hasSemicolons, setSemicolons] = useState(false)
  const running = useRef<AbortController | null>(null)
  const t = texts().explorer

  const run = async (format: DownloadFormat, labels: Language | null = null) => {
    const abort = new AbortController()
    running.current = abort
    setProgress({ state: 'running', records: 0, total: total ?? 0, bytes: 0 })
    const { include: _, ...selection } = parameters
    try {
      const response = await api.download(
        group.path,
        {
          ...selection,
          format,
          ...(labels !== null && { labels }),
          ...(format === 'csv' && { bom: 'true' }),
          ...(format === 'csv' && hasSemicolons && { delimiter: 'semicolon' }),
          ...(isNarrow && { fields: fields.join(',') }),
        },
        { signal: abort.signal },
      )
      const { blob, records } = await receiveFile(response, format, (received) =>
        setProgress({ state: 'running', ...received }),
      )
      saveFile(blob, `${api.brand}-${group.path}.${format}`)
      setProgress({ state: 'done', records })
    } catch (error) {
      setProgress(
        abort.signal.aborted
          ? { state: 'idle' }
          : { state: 'failed', why: error instanceof Error ? error.message : String(error) },
      )
    }
  }

  return (
    <Menu title={title ?? t.download}>
      {progress.state === 'running' ? (
        <>
          <label>
            <span className="number">{progressText(progress)}</span>
            <progress
              {...(progress.records > 0 && {
                value: progress.records,
                max: Math.max(1, progress.total),
              })}
            />
          </label>
          <button type="button" onClick={() => running.current?.abort()}>
            {t.cancel}
          </button>
        </>
      ) : (
        <>
          <p>{total === null ? t.counting : t.downloadAll(total)}</p>
          <label className="checked">
            <input
              type="checkbox"
              checked={isNarrow}
              onChange={(event) => setNarrow(event.target.checked)}
            />{' '}
            {t.shownColumnsOnly}
          </label>
          <button type="button" className="primary" onClick={() => void run('xlsx', language())}>
            {t.forExcel}
          </button>
          <p className="small">{t.forExcelMeans}</p>
          <h3>{t.asData}</h3>
          <label className="checked">
            <input
              type="checkbox"
              checked={hasSemicolons}
              onChange={(event) => setSemicolons(event.target.checked)}
            />{' '}
            {t.semicolons}
          </label>
          <div className="row">
            {shownFormats.map((format) => (
              <button key={format} type="button" onClick={() => void run(format)}>
                {format.toUpperCase()}
              </button>
            ))}
          </div>
        </>
      )}
      <p className="small" role="status">
        {progress.state === 'done' && t.saved(progress.records)}
        {progress.state === 'failed' && <span className="problem">{progress.why}</span>}
      </p>
    </Menu>
  )
}

const progressText = ({ records, total, bytes }: Received): string => {
  const t = texts().explorer
  if (bytes === 0) return t.preparing
  if (records > 0) return t.received(countText(Math.min(records, total)), countText(total))
  return t.bytesReceived(`${countText(Math.ceil(bytes / 1_024))} KB`)
}
