/**
 * What is wrong: the request contradicts itself or lacks something, a value is not valid, the thing
 * does not exist, or its state does not allow this.
 */
export type OperatorErrorKind = 'usage' | 'invalid' | 'missing' | 'conflict'

/** A failure that an operator can act on. Its message is a sentence for people. */
export class OperatorError extends Error {
  readonly kind: OperatorErrorKind

  constructor(kind: OperatorErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
