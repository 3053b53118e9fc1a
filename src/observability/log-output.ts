import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { pino } from 'pino'

/**
 * Writes log text to a file descriptor and never blocks, throws or grows without bound. Serving
 * requests matters more than logging them: text that cannot be written is dropped and counted.
 */
export interface LogOutput {
  write(text: string): void
  /** Lines dropped so far, because a write failed or the reader was too slow. */
  readonly droppedLines: number
  /** Writes the queue before the process exits, as far as possible without waiting. */
  flushSync(): void
}

export interface LogOutputOptions {
  /** Maximum length of the queued text. */
  readonly queueMax?: number
  /** Delay before the next write after a failed one. */
  readonly retryMs?: number
}

/** About ten thousand lines: enough for a pause of the reader, and little memory. */
const defaultQueueMax = 2 ** 21
const defaultRetryMs = 1_000
/** Retries soon on a full pipe, since nothing is lost yet. */
const busyRetryMs = 50

export const openLogOutput = (
  standardFd: number,
  { queueMax = defaultQueueMax, retryMs = defaultRetryMs }: LogOutputOptions = {},
): LogOutput => {
  const fd = openNonBlocking(standardFd)
  let queue = ''
  let droppedLines = 0
  /** Dropped lines that the log itself does not mention yet. */
  let unreported = 0
  /** The unwritten rest of the current write. */
  let chunk: Buffer | null = null
  /** Dropped lines that the chunk's notice mentions. */
  let reported = 0
  let timer: NodeJS.Timeout | null = null
  /** Whether the last successful write ended within a line. */
  let isMidLine = false

  const drop = (lines: number) => {
    droppedLines += lines
    unreported += lines
  }

  const nextChunk = (): Buffer => {
    const notice = unreported > 0 ? droppedNotice(unreported) : ''
    const text = `${isMidLine ? '\n' : ''}${notice}${queue}`
    reported = unreported
    unreported = 0
    queue = ''
    return Buffer.from(text)
  }

  const writeNext = () => {
    timer = null
    if (chunk === null && queue === '') return
    chunk ??= nextChunk()
    write(fd, chunk, onWritten)
  }

  const onWritten = (error: NodeJS.ErrnoException | null, bytes: number) => {
    if (chunk === null) return
    if (error) {
      const isBusy = error.code === 'EAGAIN' || error.code === 'EBUSY'
      if (!isBusy) {
        unreported += reported
        drop(countLines(chunk) - (reported > 0 ? 1 : 0))
        chunk = null
      }
      timer = setTimeout(writeNext, isBusy ? busyRetryMs : retryMs).unref()
      return
    }
    isMidLine = chunk[bytes - 1] !== newline
    // A notice comes first in its chunk: once a part is written, so is the notice.
    if (bytes > 0) reported = 0
    chunk = bytes < chunk.length ? chunk.subarray(bytes) : null
    writeNext()
  }

  const output: LogOutput = {
    write: (text) => {
      if (queue.length + text.length > queueMax) {
        drop(countLines(Buffer.from(text)))
        return
      }
      queue += text
      if (chunk === null && timer === null) writeNext()
    },
    get droppedLines() {
      return droppedLines
    },
    flushSync: () => {
      const isWriting = chunk !== null && timer === null
      if (timer) clearTimeout(timer)
      timer = null
      try {
        // A thread finishes the write in progress; the rest follows here.
        if (chunk !== null && !isWriting) writeSync(fd, chunk)
        chunk = null
        if (queue !== '') writeSync(fd, nextChunk())
      } catch {
        // The process is about to exit, and the log was the place to report this.
      }
    },
  }
  process.once('exit', output.flushSync)
  return output
}

const newline = 0x0a

/**
 * A write to a full pipe blocks a thread until its reader catches up, and a blocked thread keeps
 * the process from exiting. Reopening the pipe gives a descriptor that returns "busy" instead,
 * without changing the mode of the one that other processes share.
 */
const openNonBlocking = (fd: number): number => {
  try {
    if (!fstatSync(fd).isFIFO()) return fd
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
    if (fstatSync(own).isFIFO()) return own
    closeSync(own)
  } catch {
    // Not Linux, or already closed: use the shared descriptor.
  }
  return fd
}

const countLines = (text: Buffer): number => {
  let lines = 0
  for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) lines += 1
  return lines
}

const droppedNotice = (lines: number): string =>
  `{"level":"warn"${pino.stdTimeFunctions.isoTime()},"droppedLines":${lines},"msg":"Log lines were dropped because they could not be written."}\n`
