import { printable, type SelvedgeError, shortUrl } from '#client'

const messageMax = 2_000

/** A copy cannot be made or updated, for a reason that the user can act on. */
export class PullError extends Error {
  override readonly name = 'PullError'

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message, messageMax), options)
  }

  /** Describes the final failure of a request for the user of a copy. */
  static from(error: SelvedgeError): PullError {
    const end = error.tries > 1 ? ` Gave up after ${error.tries} tries.` : ''
    return new PullError(describeFailure(error) + end, { cause: error })
  }
}

/** The reason for a failed request, in one or two sentences. */
export const describeFailure = ({ code, status, message, url }: SelvedgeError): string => {
  if (code === 'response_too_large') return `${message} No page of records is that large.`
  const isReported = status !== undefined && code !== 'unreadable_answer'
  if (isReported && status === 401) {
    return code === 'out_of_scope' ? message : `The key is not accepted. ${message}`
  }
  return isReported ? `${shortUrl(url)} answered ${status}. ${message}` : message
}
