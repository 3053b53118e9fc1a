import type { FieldChange } from './difference.ts'

/*
 * Files that an operator uploads on the operator page, as its endpoints take and return them:
 * - `POST /api/uploads` and `POST /api/uploads/{id}/files` take the bytes of one file;
 * - `GET /api/uploads/{id}` is the state, to be polled while a job runs;
 * - `DELETE /api/uploads/{id}/files/{file}` takes one file out;
 * - `POST /api/uploads/{id}/preview`, `…/check` and `…/import` start a job with `UploadChoices`;
 * - `POST /api/uploads/{id}/cancel` ends the job;
 * - `DELETE /api/uploads/{id}` discards all of it.
 * Each returns the upload, except the last, which returns nothing.
 */

/** Has the name of an uploaded file, percent-encoded. */
export const fileNameHeader = 'x-file-name'

export const uploadLimits = {
  fileBytes: 1_073_741_824,
  /** Files of one upload. */
  files: 100,
  /** Uploads of all operators that are not finished, and their bytes. */
  uploads: 20,
  totalBytes: 8_589_934_592,
  /** For one file to arrive. */
  fileMinutes: 60,
  /** An upload that was not used for this long is removed. */
  idleMinutes: 60,
  /** Rows of a file that a preview shows, and rows that it checks. */
  shownRows: 10,
  previewRows: 1_000,
  /** Problems and changes in one answer. */
  problems: 100,
  changes: 100,
} as const

export interface OperatorUpload {
  readonly id: string
  readonly files: readonly UploadedFile[]
  /** The last job; null before the first. */
  readonly job: UploadJob | null
}

export interface UploadedFile {
  readonly id: string
  readonly name: string
  readonly bytes: number
  /** Records, or the mapping file for the others. */
  readonly kind: 'records' | 'mapping'
  /** The collection in its name; null if the name has none. */
  readonly collection: string | null
}

/** How the files become records. */
export interface UploadChoices {
  /** The brand that owns the records; null for those that all brands share. */
  readonly brand: string | null
  /** The collections of files by their id, instead of those in their names. */
  readonly collections: { readonly [file: string]: string }
  /** Remove stored records of these collections that are not in the files. */
  readonly replace: boolean
  /** Allow a replacement to remove more than half of a collection. */
  readonly allowRemovals: boolean
  /** Rows that cannot be stored refuse everything, or wait in quarantine while others are stored. */
  readonly onError: 'refuse' | 'quarantine'
}

export const uploadJobKinds = ['preview', 'check', 'import'] as const
export type UploadJobKind = (typeof uploadJobKinds)[number]

export interface UploadJob {
  readonly kind: UploadJobKind
  /** A job waits while another one writes. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly choices: UploadChoices
  readonly progress: UploadProgress
  /** Why it failed. */
  readonly error: string | null
  /** The result of a preview. */
  readonly previews: readonly FilePreview[] | null
  /** The result of a check, which is a dry run, and of an import. */
  readonly result: UploadResult | null
}

export interface UploadProgress {
  /** The file that is read; null before the first and after the last. */
  readonly file: string | null
  /** Of all files, before decompression. */
  readonly bytes: number
  readonly bytesTotal: number
  readonly rows: number
}

/** The first rows of a file, and what would become of them. */
export interface FilePreview {
  readonly file: string
  /** Null if it is not known yet: it has to be chosen. */
  readonly collection: string | null
  readonly columns: readonly PreviewColumn[]
  /** Required fields that no column has. */
  readonly missing: readonly string[]
  readonly rows: readonly PreviewRow[]
  /** Rows that were checked, and whether these are all. */
  readonly checkedRows: number
  readonly isWhole: boolean
  readonly problems: readonly UploadProblem[]
  /** Why the file cannot be read. */
  readonly error: string | null
}

export interface PreviewColumn {
  readonly name: string
  /** Whether it is a field, or the mapping uses it. */
  readonly isUsed: boolean
}

export interface PreviewRow {
  readonly line: number
  /** Cells in the order of the columns, shortened. */
  readonly cells: readonly string[]
}

/** Problems of one file that differ only in their rows: the first, and the number of them. */
export interface UploadProblem {
  readonly file: string
  /** 0 if no row is at fault. */
  readonly line: number
  /** The row as its sender knows it. */
  readonly key?: string
  readonly field: string
  readonly value: string
  readonly reason: string
  readonly severity: 'error' | 'warning'
  readonly column?: string
  readonly mappingFile?: string
  readonly mappingLine?: number
  readonly problems: number
  readonly rows: number
}

export interface UploadResult {
  readonly isWritten: boolean
  /** Whether problems prevent the import; in a dry run, whether they would. */
  readonly isRefused: boolean
  readonly collections: readonly UploadCounts[]
  readonly errors: number
  readonly warnings: number
  /** The first kinds of problems. */
  readonly problems: readonly UploadProblem[]
  /** The first changes of a dry run. */
  readonly changes: readonly UploadChange[]
  /** Rows in quarantine after the import, including earlier ones. */
  readonly waitingRows: number
  /** Business rules that the records break after an import; null if that was not checked. */
  readonly brokenRules: number | null
}

export interface UploadCounts {
  readonly collection: string
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Rows that wait for a record they refer to. */
  readonly parked: number
  readonly refused: number
  readonly quarantined: number
  /** A replacement that removed nothing, because some rows were refused. */
  readonly keptMissing: boolean
}

export interface UploadChange {
  readonly operation: 'added' | 'changed' | 'removed'
  readonly collection: string
  readonly id: string
  /** The natural name of the record, such as an order number; null if it has none. */
  readonly title: string | null
  readonly fields: readonly FieldChange[]
}

/** `POST /api/first-request`: reads records through the public API, as a client of the key would. */
export interface FirstRequest {
  readonly brand: string
  readonly key: string
  readonly collection: string
}

export interface FirstResponse {
  readonly status: number
  readonly milliseconds: number
  /** The body as it came, shortened. */
  readonly body: string
}
