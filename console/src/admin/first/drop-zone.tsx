import { type DragEvent, useId, useState } from 'react'
import { adminTexts } from '../../texts/admin.ts'

const accepted = [
  ...['.ndjson', '.jsonl', '.json', '.csv', '.tsv', '.xlsx', '.xlsm', '.parquet', '.gz'],
  ...['.yaml', '.yml'],
].join()

interface DropZoneProps {
  readonly isDisabled: boolean
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped or chosen. */
export const DropZone = ({ isDisabled, onFiles }: DropZoneProps) => {
  const words = adminTexts().upload
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (!isDisabled && files.length > 0) onFiles(files)
  }
  return (
    <div
      className="upload-drop"
      role="group"
      aria-label={words.files}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p className="upload-drop-title">{words.drop}</p>
      <input
        id={id}
        className="unseen"
        type="file"
        multiple
        accept={accepted}
        disabled={isDisabled}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          // The same file can be chosen again, after it was corrected.
          target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
      <label htmlFor={id} className="button" data-disabled={isDisabled}>
        {words.chooseFiles}
      </label>
      <p id={`${id}-note`} className="quiet small">
        {words.formats}
      </p>
    </div>
  )
}
