/** Clients that send a message and read nothing of what comes back. */
export interface Readers {
  readonly message: string
  readonly count: number
  /** When they give up by themselves. */
  readonly patienceMs: number
}
