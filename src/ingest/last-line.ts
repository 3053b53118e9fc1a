import { type FileInput, openChunks } from './input.ts'
import { type OpenedFile, readAt } from './opened-file.ts'
import { SourceError } from './row.ts'
import { type NamedFile, openableFile } from './source.ts'

const [newline, carriageReturn] = [0x0a, 0x0d]

/**
 * Whether a CSV file ends without a line break: what was cut off in its last cell looks the same as
 * what is complete. False for an empty file, for other formats, and for what cannot be unpacked.
 */
export const isUnterminated = async (file: NamedFile): Promise<boolean> => {
  try {
    const { input } = await openableFile(file, {})
    if (input.format !== 'csv') return false
    const last = await (input.gzipped ? lastUnpacked(input) : lastByte(file.opened))
    return last !== undefined && last !== newline && last !== carriageReturn
  } catch (error) {
    // The import says what is wrong.
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (error instanceof SourceError || code.startsWith('Z_')) return false
    throw error
  }
}

const lastByte = async ({ descriptor, bytes }: OpenedFile): Promise<number | undefined> => {
  if (bytes === 0) return undefined
  const { buffer, bytesRead } = await readAt(descriptor, Buffer.alloc(1), 0, 1, bytes - 1)
  return buffer.subarray(0, bytesRead)[0]
}

const lastUnpacked = async (input: FileInput): Promise<number | undefined> => {
  let last: number | undefined
  for await (const chunk of openChunks(input, () => undefined).chunks) last = chunk.at(-1) ?? last
  return last
}
