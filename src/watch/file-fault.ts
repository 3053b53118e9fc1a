import { type Fault, faultOf, faultOutside } from '#intake'
import { StorageUnavailable } from '#s3'
import { hasCode } from './held-folder.ts'

/**
 * What a failed attempt at a file says. A bucket or a share may come back, and a full disk may get
 * room: the file is not at fault.
 */
export const fileFault = (error: unknown): Fault => {
  if (error instanceof StorageUnavailable) return 'unavailable'
  return error instanceof Error && 'syscall' in error ? 'unavailable' : faultOf(error)
}

/** What a failure says that no attempt has caught. */
export const watchFault = (error: unknown): Fault => {
  const fault = fileFault(error)
  return fault === 'unit' ? faultOutside(error) : fault
}

/** Whether the file itself cannot be read: its disk is damaged. A share that is away cannot be listed. */
export const isUnreadable = (error: unknown): boolean =>
  hasCode(error, ['EIO', 'EBADMSG', 'EUCLEAN'])
