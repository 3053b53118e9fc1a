/** A copy cannot be made or kept, for a reason that whoever asked for it can act on. */
export class PullRefused extends Error {
  /** What the server answered, where it is the reason. */
  readonly answer: RefusedAnswer | undefined

  constructor(message: string, { answer, ...options }: RefusalOptions = {}) {
    super(printable(message, messageMax), options)
    this.answer = answer
  }
}

/** A response that is an error. */
export interface RefusedAnswer {
  readonly status: number
  /** The parsed JSON; undefined where the response is not JSON. */
  readonly body: unknown
  readonly retryAfterSeconds: number | null
}

interface RefusalOptions extends ErrorOptions {
  readonly answer?: RefusedAnswer
}

const messageMax = 2_000

/**
 * Text of another server, made safe to print: control and format characters could rewrite the
 * screen or the title of a terminal, or reverse the direction of what follows.
 */
export const printable = (text: string, max = 300): string => {
  const cleaned = text
    .slice(0, max * 2)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
  return cleaned.length > max ? `${cleaned.slice(0, max).toWellFormed()}…` : cleaned
}
