/** Ways to be slow: saying nothing at all, dripping the head, dripping a body. */
export const slowKinds = ['idle', 'headers', 'body'] as const
export type SlowKind = (typeof slowKinds)[number]

/** After how many seconds the server may end a connection that is slow in this way. */
export const timeoutSeconds: Readonly<Record<SlowKind, number>> = { idle: 5, headers: 5, body: 10 }

export interface WasCut {
  readonly kind: SlowKind
  readonly tookMs: number
}
