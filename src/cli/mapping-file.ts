import { readFile } from 'node:fs/promises'
import { sha256Of } from '#files'
import { type Mapping, parseMapping } from '#mapping'
import type { Records } from '#server'
import { CommandError } from './output.ts'

/** Reads and checks a mapping file. */
export const loadMapping = async (path: string): Promise<Mapping> => {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new CommandError(
      code === 'ENOENT'
        ? `There is no mapping file ${path}. To propose one for your files: selvedge map init <files>`
        : `The mapping file ${path} cannot be read: ${code}.`,
    )
  }
  return parseMapping({ file: path, text })
}

/** Records in the audit log that a brand's records, or shared ones, are read with a mapping file. */
export const noteMapping = async (
  { audit }: Records,
  brand: string,
  file: string | undefined,
): Promise<void> => {
  if (file === undefined) return
  await audit.noteMapping({ brand, name: file, sha256: await sha256Of(file) })
}
