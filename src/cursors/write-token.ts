import { ApiError } from '#contract'
import { createSeals, plainHead } from './cursor.ts'

/** A committed write: its owner, a brand or `sharedOwner`, and its number. */
export interface CommittedWrite {
  readonly owner: string
  readonly change: number
}

/** Seals and opens the tokens of writes, with the secret of the cursors. */
export interface WriteTokens {
  seal(write: CommittedWrite): string
  /** Throws an `ApiError` for an invalid token. */
  open(token: string): CommittedWrite
}

export const createWriteTokens = (secret: string): WriteTokens => {
  const seals = createSeals(`write ${secret}`)
  return {
    seal: ({ owner, change }) => seals.seal(plainHead, JSON.stringify([owner, change])),
    open: (token) => {
      const bytes = seals.open(token, plainHead.length)
      if (!bytes) {
        throw new ApiError(
          'invalid_write_token',
          'After-Write is not a token that this server issued. Send a writeToken as it was given, or leave the header out.',
        )
      }
      const [owner, change] = JSON.parse(bytes.toString('utf8', plainHead.length))
      return { owner, change }
    },
  }
}
