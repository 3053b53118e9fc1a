import { ApiError } from '#contract'
import { databaseFailureOf } from '#store'

/** Converts any thrown value to an API error. The cause of an internal error is not sent. */
export const toApiError = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError) return thrown
  const failure = databaseFailureOf(thrown)
  // A retry of what the database refused would fail the same way.
  if (failure !== null && failure !== 'refused') {
    return new ApiError(
      'store_unavailable',
      failure === 'timedOut'
        ? 'Reading the records takes longer than one request may. Try again shortly.'
        : 'The records cannot be reached at the moment. Try again shortly.',
      { cause: thrown, retryAfterSeconds: 1 },
    )
  }
  return new ApiError('internal_error', 'Something went wrong on the server. It has been logged.', {
    cause: thrown,
  })
}

/** One message for every unreadable record, so that it reveals nothing. */
export const notFound = (): ApiError =>
  new ApiError('not_found', 'The record does not exist or is not available to this brand.')
