import { read } from 'node:fs'
import { promisify } from 'node:util'

/** An open file. Plain data, so that it can be posted to a thread. */
export interface OpenedFile {
  readonly descriptor: number
  readonly bytes: number
}

/** Reads at an offset: several readers may share a descriptor. */
export const readAt = promisify(read)
