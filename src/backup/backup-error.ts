/** A backup cannot be made, read or trusted. The message is for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** The archive is not what was written: cut off, changed, or put together from others. */
export const damaged = (what: string): BackupError =>
  new BackupError(`The backup is damaged: ${what}. Use another one.`)
