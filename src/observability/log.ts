import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { type LogOutput, openLogOutput } from './log-output.ts'

export type Log = Logger

export interface LogOptions {
  readonly level: string
  /** For people at a terminal rather than for machines. */
  readonly readable: boolean
  readonly destination?: DestinationStream
}

/** Opens the log. Callers pass no headers to it, and only paths and queries without keys. */
export const openLog = ({ level, readable, destination }: LogOptions): Log => {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: stdSerializers.errWithCause },
  }
  if (destination) return pino(options, destination)
  if (!readable) return pino(options, standardOutput())
  const readableOutput = loadPretty()({
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  })
  return pino({ level, base: null, serializers: options.serializers }, readableOutput)
}

/** Loaded on demand: only at a terminal. */
const loadPretty = (): typeof import('pino-pretty') => createRequire(import.meta.url)('pino-pretty')

/** One per process: two would interleave their lines. */
let standard: LogOutput | null = null
const standardOutput = (): LogOutput => {
  standard ??= openLogOutput(1)
  return standard
}

/** Log lines of this process that could not be written. */
export const droppedLogLines = (): number => standard?.droppedLines ?? 0
