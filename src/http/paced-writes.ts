/** Writes of long responses, a few per turn of the event loop. */
import type { ServerResponse } from 'node:http'

/** Time spent on these writes per turn of the event loop, for all clients together. */
const writingMs = 1

/** In arrival order. */
const waiting: (() => void)[] = []

/**
 * Calls a function that writes one piece, in one of the next turns of the event loop. A kernel
 * takes several megabytes at once, which is a millisecond of copying: with a thousand clients, no
 * other client would get a response for a second.
 */
export const writeSoon = (write: () => void): void => {
  waiting.push(write)
  if (waiting.length === 1) setImmediate(writeWaiting)
}

const writeWaiting = (): void => {
  const until = performance.now() + writingMs
  do waiting.shift()?.()
  while (waiting.length > 0 && performance.now() < until)
  if (waiting.length > 0) setImmediate(writeWaiting)
}

/**
 * Writes a piece to the kernel during this call. Node would collect the writes of a turn and hand
 * them to the kernel at its end, when nothing limits their time.
 */
export const writeNow = (
  response: ServerResponse,
  piece: Uint8Array,
  done?: () => void,
): boolean => {
  const { socket } = response
  socket?.cork()
  const isAccepted = response.write(piece, done)
  socket?.uncork()
  return isAccepted
}
