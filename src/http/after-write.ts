import { ApiError } from '#contract'
import type { WriteTokens } from '#cursors'
import type { Grant } from '#keys'
import { type Store, sharedOwner } from '#store'

export interface AfterWriteParts {
  readonly store: Store
  readonly writeTokens: WriteTokens
}

/** A request with the token of a write. */
export interface AfterWriteRequest {
  readonly token: string
  readonly grant: Grant
  /** The brand in the path; null if the path has none. */
  readonly brand: string | null
}

/**
 * Runs the rest of a request, whose reads all contain a write. The work gets the number of the
 * write. Rejects with 400 unless the write belongs to the brand and is part of the records' history.
 */
export type AfterWrite = (
  request: AfterWriteRequest,
  work: (change: number) => undefined | Promise<void>,
) => Promise<void>

export const createAfterWrite =
  ({ store, writeTokens }: AfterWriteParts): AfterWrite =>
  async ({ token, grant, brand }, work) => {
    const { owner, change } = writeTokens.open(token)
    const isOwn = brand === null ? grant.global || grant.brands.has(owner) : owner === brand
    if (!isOwn && owner !== sharedOwner) throw ofAnother()
    if (!store.history.contains(change)) throw lost()
    const done = await store.readAfter(brand ?? owner, change, async () => work(change))
    if (!done) throw lost()
  }

const ofAnother = (): ApiError =>
  new ApiError(
    'invalid_write_token',
    'The token in After-Write belongs to another brand. Send the token of a write of this brand, or leave the header out.',
  )

const lost = (): ApiError =>
  new ApiError(
    'invalid_write_token',
    'The write of the token in After-Write is not in the database: it was restored from a backup, or the brand was removed. Send the records again, and leave the header out.',
  )
