import { readFile } from 'node:fs/promises'
import { sha256Of } from '#files'
import { type Mapping, parseMapping, requireDecided, withFirstCandidates } from '#mapping'
import type { Records } from '#server'
import type { OpenOptions } from './open-option.ts'
import { CommandError, UsageError } from './output.ts'

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

/**
 * Reads and checks a mapping file to import with it. Open values are refused, or decided by their
 * first candidates.
 */
export const loadDecidedMapping = async (
  path: string,
  { allowOpen }: OpenOptions,
): Promise<Mapping> => {
  const mapping = await loadMapping(path)
  if (allowOpen) return withFirstCandidates(mapping)
  requireDecided(mapping, ', or add --allow-open to use the first candidate of each')
  return mapping
}

/** Fails if the command names another brand than the mapping. */
export const requireMappedBrand = ({ file, brand }: Mapping, named: string | undefined): void => {
  if (brand === null || named === undefined || named === brand) return
  throw new UsageError(
    `${file} is for the brand ${brand}. Leave out --brand, or remove brand from the file.`,
  )
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
